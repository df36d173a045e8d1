//! The stages of the commands: what their runs do with chunks.

mod describe;
mod encode;
mod enumerate;
mod job_stage;
mod solution_rows;
mod verify;

pub use describe::{Describe, Describer, Description, NumberedRecord};
pub use encode::{BatchEncoder, Encode, ReadChunk};
pub use enumerate::Enumerate;
pub use job_stage::JobStage;
pub use verify::Verify;
