//! The program, run as people run it.

#[path = "../common/mod.rs"]
mod common;

mod any_shape;
mod bad_input;
mod bench;
#[cfg(unix)]
mod bench_programs;
mod book;
mod budget;
mod candidates;
mod canon;
mod collection;
mod columns;
mod compressed;
mod convert;
mod count;
#[cfg(unix)]
mod docs;
mod enumerate;
mod every_shape;
mod explain;
mod formats;
mod generate;
mod hidden_features;
mod hint;
mod hunt;
#[cfg(unix)]
mod interrupt;
mod jsonl;
#[cfg(unix)]
mod kills;
mod matrix;
#[cfg(unix)]
mod messages;
mod neighbors;
mod one_puzzle;
mod pencilmarks;
mod planted;
#[cfg(unix)]
mod process;
mod program;
mod rate;
#[cfg(unix)]
mod resume;
mod select;
mod several;
#[cfg(unix)]
mod shards;
#[cfg(unix)]
mod slurm_array;
mod solve;
mod sort;
mod split;
mod stats;
mod summary;
mod tables;
mod verify;
