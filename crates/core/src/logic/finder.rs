//! The trait of all techniques.

use super::deduction::Sink;
use super::rating::Rating;
use super::scratch::Scratch;
use super::state::State;

/// Finds all deductions of a technique, or of a few that share their work.
pub trait Finder: Sync {
    /// Returns the least rating of what it can find.
    fn least(&self) -> Rating;

    /// Returns whether, of several ways to one deduction, the order of cells and digits decides which one counts. Such a
    /// finder is asked in the coordinates of the minlex form, and its reasons are made of the links of the pattern; with
    /// [`Ties::Reading`](super::Ties::Reading) it is asked in those of the grid.
    fn depends_on_order(&self) -> bool {
        false
    }

    /// Hands *every* deduction in the state up to the limit of the sink to the sink. A deduction that places or removes
    /// nothing is none. The same deduction may be handed over more than once. The changes of the scratch have seen the
    /// state, or are new.
    fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink);
}
