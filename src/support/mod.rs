//! The parts that commands share: arguments, inputs, outputs.

pub(super) mod bench_report;
pub(super) mod buckets;
#[cfg(unix)]
mod closed_output;
pub(super) mod columns;
pub(super) mod command_error;
pub(super) mod compare;
pub(super) mod engine;
pub(super) mod explaining;
pub(super) mod field;
pub(super) mod full_grids;
pub(super) mod given;
pub(super) mod grid_text;
pub(super) mod inputs;
pub(super) mod interrupt;
pub(super) mod job_run;
pub(super) mod measurement_table;
pub(super) mod outputs;
pub(super) mod parts;
pub(super) mod predicate;
pub(super) mod progress;
pub(super) mod puzzle_files;
pub(super) mod rating;
pub(super) mod reading;
pub(super) mod review;
pub(super) mod rows;
pub(super) mod selection;
pub(super) mod stages;
pub(super) mod summary;
mod table;
pub(super) mod target;
pub(super) mod typed_puzzle;
pub(super) mod values;
