//! The stages of the commands: what their runs do with chunks.

mod enumerate;
mod job_stage;
mod map_batch;
mod solution_rows;

pub use enumerate::Enumerate;
pub use job_stage::JobStage;
pub use map_batch::{BatchMapper, MapBatch, ReadChunk};
