//! The account of a running search: its guesses, its solutions, its bounds.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::{Bounds, SearchEnd, Searched};

/// Guesses between two readings of the clock and the stop flag.
const LOOK_INTERVAL: u64 = 256;

/// The account of a running search. Its methods break when the search must end.
pub(super) struct SearchAccount<'a> {
    bounds: Bounds,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    solutions: u64,
    guesses: u64,
}

impl<'a> SearchAccount<'a> {
    pub(super) fn new(
        bounds: &Bounds,
        stop: &'a AtomicBool,
        found: &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchAccount<'a> {
        SearchAccount { bounds: *bounds, deadline: bounds.deadline(), stop, found, solutions: 0, guesses: 0 }
    }

    /// Counts a solution, and hands it out.
    pub(super) fn solution(&mut self, cells: &[u8]) -> ControlFlow<SearchEnd> {
        self.solutions += 1;
        if (self.found)(cells).is_break() {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        if self.solutions == self.bounds.solution_limit() {
            return ControlFlow::Break(SearchEnd::Limit);
        }
        ControlFlow::Continue(())
    }

    /// Counts one more guess, if the bounds allow it.
    pub(super) fn guess(&mut self) -> ControlFlow<SearchEnd> {
        if self.guesses == self.bounds.guess_limit() {
            return ControlFlow::Break(SearchEnd::Budget);
        }
        if self.guesses.is_multiple_of(LOOK_INTERVAL) {
            self.look_around()?;
        }
        self.guesses += 1;
        ControlFlow::Continue(())
    }

    fn look_around(&self) -> ControlFlow<SearchEnd> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(SearchEnd::Stopped);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(SearchEnd::Budget),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Returns the result of a search that broke off or came to its end.
    pub(super) fn close(self, flow: ControlFlow<SearchEnd>) -> Searched {
        let end = flow.break_value().unwrap_or(SearchEnd::Complete);
        Searched { solutions: self.solutions, guesses: self.guesses, end }
    }
}
