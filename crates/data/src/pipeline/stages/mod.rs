//! The stages of the commands: what their runs do with chunks.

mod candidates;
mod describe;
mod encode;
mod enumerate;
mod map_rows;
mod solution_rows;
mod solve;
mod verify;

pub use candidates::Candidates;
pub use describe::{Describe, Describer, Description, NumberedRecord};
pub use encode::{BatchEncoder, Encode, ReadChunk, Refuted};
pub use enumerate::Enumerate;
pub use map_rows::{MapRows, RowMapper};
pub use solve::Solve;
pub use verify::Verify;
