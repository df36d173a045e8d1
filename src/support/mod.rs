//! The parts that commands share.

pub(super) mod bench_report;
pub(super) mod command_error;
pub(super) mod compare;
pub(super) mod inputs;
pub(super) mod job_run;
pub(super) mod measurement_table;
pub(super) mod options;
pub(super) mod outputs;
pub(super) mod parts;
pub(super) mod progress;
pub(super) mod reading;
pub(super) mod rows;
pub(super) mod summary;
