//! No question at all: for callers that only read puzzles, and write them in another way.

use super::{Job, Schema, Searchable, StatusInfo, Worker, worker_from};

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

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        worker_from(|puzzles, _, _, answers| {
            puzzles.iter().for_each(|_| answers.push_status(0));
            Ok(())
        })
    }
}
