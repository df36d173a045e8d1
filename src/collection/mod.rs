//! Questions about whole collections of puzzles: is every record as it should be?

mod answers;
mod checked;
mod judge;
mod proper;

pub use answers::AnswerFormat;
pub use checked::Checked;
pub use judge::{Judge, Reason};
pub use proper::Proper;
