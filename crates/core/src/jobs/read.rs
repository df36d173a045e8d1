//! No question at all: for callers that only read puzzles, and write them in another way.

use std::sync::atomic::AtomicBool;

use super::{Answers, Job, Result, Schema, Searchable, StatusInfo, Worker};

/// Asks nothing: its answers have no columns, and every puzzle has the status `read`.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Read};
///
/// assert_eq!(Read.answer(&[Puzzle::EMPTY; 3])?.len(), 3);
/// # Ok::<(), gridmill_core::jobs::Refuted>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Read;

impl Job for Read {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[StatusInfo::right("read"), StatusInfo::MALFORMED];
        Schema { columns: Vec::new(), statuses: STATUSES }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        Box::new(Read)
    }
}

impl<P: Searchable> Worker<P> for Read {
    fn answer(&mut self, puzzles: &[P], _: u64, _: &AtomicBool, answers: &mut Answers) -> Result<()> {
        puzzles.iter().for_each(|_| answers.push_status(0));
        Ok(())
    }
}
