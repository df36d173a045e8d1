//! What commands tell people and programs about a run: progress, summaries, and the measurements of `bench`.

pub(crate) mod bench_report;
pub(crate) mod measurement_table;
pub(crate) mod progress;
pub(crate) mod summary;
pub(crate) mod table;
