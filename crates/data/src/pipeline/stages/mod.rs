//! The stages of the commands: what their runs do with chunks.

mod job_stage;
mod map_batch;

pub use job_stage::JobStage;
pub use map_batch::{BatchMapper, MapBatch, ReadChunk};
