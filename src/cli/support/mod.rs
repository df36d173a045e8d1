//! The parts that commands share: arguments, inputs, outputs.

pub(super) mod advice;
pub(super) mod bench_report;
pub(super) mod command_error;
pub(super) mod compare;
pub(super) mod encoded;
pub(super) mod engine;
pub(super) mod figures;
pub(super) mod full_grids;
pub(super) mod help;
pub(super) mod input_args;
mod input_file;
pub(super) mod input_set;
pub(super) mod interrupt;
pub(super) mod making_progress;
pub(super) mod outputs;
pub(super) mod present_files;
pub(super) mod puzzle_files;
pub(super) mod replayable_input;
pub(super) mod review;
pub(super) mod rows;
pub(super) mod sample;
pub(super) mod seen;
pub(super) mod stage_factory;
pub(super) mod tabulate;
pub(super) mod threads;
mod typed_puzzle;
pub(super) mod values;
