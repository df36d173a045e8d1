//! Compiles generic code once for each kind of puzzle: the workers of all jobs, formats, sinks and stages.
//!
//! Every crate that calls a generic function compiles it again: the program, the Python package, and each
//! test. A function is compiled only once if it is `#[inline(never)]` and a crate below already has it for
//! that type. So everything that runs for each record is compiled here with optimisation, and the program, which
//! has none in the release profile, compiles in a few seconds. If you forget to add a job here, it still works, but slowly.

use std::hint::black_box;

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::jobs::{
    Backdoors, Candidates, Canon, Check, Count, Enumerate, Explain, Job, Keys, Minimize, MinimizeAll,
    Neighbors, Proposed, Rate, ReadOnly, RedundantClues, Solve, Trace, Unavoidable, Verify, Worker,
};

use crate::output::{
    CandidateCounts, CandidateGrids, ConvertedRows, Grids, Isomorphs, Listing, Rows, UnavoidableRows,
};
use crate::pipeline::{JobStage, Stage};
use crate::record::{AnsweredRecords, Sink, Subject};
use crate::text::{Batch, Format, GridPuzzle, Layout, ProposedFormat, PuzzleText, SolutionFault};

/// Names the functions for all kinds of puzzles, so that they are compiled. Never called.
pub fn compile() {
    of_kind::<Puzzle>();
    of_kind::<GridPuzzle>();
    of_kind::<Pencilmarks>();
}

fn of_kind<P: PuzzleText>() {
    worker::<Backdoors, P>();
    worker::<Candidates, P>();
    worker::<Canon, P>();
    worker::<Count, P>();
    worker::<Enumerate, P>();
    worker::<Explain, P>();
    worker::<Keys, P>();
    worker::<RedundantClues, P>();
    worker::<Minimize, P>();
    worker::<MinimizeAll, P>();
    worker::<Neighbors, P>();
    worker::<Rate, P>();
    worker::<ReadOnly, P>();
    worker::<Solve, P>();
    worker::<Trace, P>();
    worker::<Unavoidable, P>();
    worker::<Verify, P>();
    sink::<CandidateCounts, P>();
    sink::<CandidateGrids, P>();
    sink::<ConvertedRows<'_>, P>();
    sink::<Grids, P>();
    sink::<Isomorphs<P>, P>();
    sink::<Listing, P>();
    sink::<Rows, P>();
    sink::<UnavoidableRows, P>();
    stage::<P>();
    black_box(Layout::format::<P> as fn(&Layout) -> Box<dyn Format<P>>);
    of_proposed::<P>();
}

fn of_proposed<P: PuzzleText>() {
    type Asked<P> = Proposed<P, SolutionFault>;
    black_box(Check::worker::<P, SolutionFault> as fn(&Check) -> Box<dyn Worker<Asked<P>>>);
    black_box(<ProposedFormat<P> as Format<_>>::read as fn(&ProposedFormat<P>, &[u8], &mut Batch<Asked<P>>));
    sink::<Listing, Asked<P>>();
    stage::<Asked<P>>();
}

fn worker<J: Job, P: PuzzleText>() {
    black_box(J::worker::<P> as fn(&J) -> Box<dyn Worker<P>>);
}

fn sink<T: Sink<S>, S>() {
    black_box(T::write as fn(&T, &AnsweredRecords<'_, S>, &mut Vec<u8>));
}

fn stage<S: Subject + 'static>() {
    black_box(<JobStage<'_, S> as Stage>::processor as fn(&'static _, _) -> _);
}
