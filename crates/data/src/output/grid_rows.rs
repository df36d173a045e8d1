//! Solutions as framed grids, for people.

use gridmill_core::solver::Outcome;

use super::duration::duration;
use crate::record::{ChunkOutcomes, PuzzleLike, RecordOutcome, RowFormat, Status};
use crate::text::write_framed;

/// A framed grid for each record: its first solution, or the puzzle where there is none; and a line with the status.
///
/// ```text
/// +-----+-----+
/// | 1 2 | 4 3 |
/// | 3 4 | 2 1 |
/// +-----+-----+
/// | 2 1 | 3 4 |
/// | 4 3 | 1 2 |
/// +-----+-----+
/// unique, 0 guesses, 3 µs
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRows {
    kind: Kind,
}

/// The content of the grids of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Solutions,
    /// The cells that solutions share, and the number of solutions, at which the count ends if there is a limit.
    Counts {
        limit: Option<u64>,
    },
}

impl GridRows {
    /// Returns grids of solutions.
    #[must_use]
    pub fn of_solutions() -> GridRows {
        GridRows { kind: Kind::Solutions }
    }

    /// Returns grids of the cells that all solutions share, for the outcomes of
    /// [`SharedCells`](gridmill_core::solver::SharedCells), or else of the puzzles, with the numbers of solutions.
    /// A number that reaches the limit of the count, if it has one, is told as the least.
    #[must_use]
    pub fn of_counts(limit: Option<u64>) -> GridRows {
        GridRows { kind: Kind::Counts { limit } }
    }
}

impl<P: PuzzleLike> RowFormat<P> for GridRows {
    fn header(&self, _: &mut Vec<u8>) {}

    fn rows(&self, outcomes: &ChunkOutcomes<'_, P>, out: &mut Vec<u8>) {
        for outcome in outcomes.iter() {
            write(&outcome, outcomes.chunk, self.kind, out);
        }
    }
}

fn write<P: PuzzleLike>(outcome: &RecordOutcome<'_, P>, chunk: &[u8], kind: Kind, out: &mut Vec<u8>) {
    let mut line = Vec::new();
    match outcome.searched {
        Some((puzzle, found)) => {
            match &found.solution {
                Some(solution) => puzzle.write_solution(solution, &mut line),
                None => puzzle.write(&mut line),
            }
            write_framed(puzzle.shape(), &line, out);
            let text = match kind {
                Kind::Solutions => cost(outcome.status, found),
                Kind::Counts { limit } => count(outcome.status, found, limit),
            };
            out.extend_from_slice(text.as_bytes());
        }
        None => {
            out.extend_from_slice(outcome.record.text(chunk).trim_ascii());
            out.extend_from_slice(b"\nmalformed\n");
        }
    }
}

/// Returns the line behind a grid.
fn cost<S>(status: Status, found: &Outcome<S>) -> String {
    let meaning = match status {
        Status::Multiple => "multiple: this is one of several solutions",
        Status::None => "none: there is no solution",
        Status::Conflict => "conflict: a house holds a digit twice",
        status => status.name(),
    };
    let plural = if found.guesses == 1 { "" } else { "es" };
    format!("{meaning}, {} guess{plural}, {}\n", found.guesses, duration(found.nanos))
}

/// Returns the line behind a grid of a count, up to a limit if there is one.
fn count<S>(status: Status, found: &Outcome<S>, limit: Option<u64>) -> String {
    let plural = if found.solutions == 1 { "" } else { "s" };
    let number = format!("{} solution{plural}", found.solutions);
    let number = match status {
        Status::Budget => format!("gave up after {number}"),
        Status::Solved => "a solution; others were not looked for".to_owned(),
        Status::Multiple if limit == Some(found.solutions) => format!("at least {number}"),
        _ => number,
    };
    let is_of_several = found.solutions > 1 || matches!(status, Status::Budget | Status::Solved);
    let shared =
        if found.solution.is_some() && is_of_several { "; all solutions share these cells" } else { "" };
    format!("{}: {number}{shared}, {}\n", status.name(), duration(found.nanos))
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;
    use gridmill_core::solver::{SolutionLimit, SolverKind};

    use super::*;
    use crate::record::ChunkPlace;
    use crate::text::{Batch, ClassicReader, Format, LineFormat};

    #[test]
    fn a_grid_for_each_record() {
        let puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let text = format!("{puzzle}\nnone\n55{}\n", &puzzle[2..]);
        let mut batch = Batch::<Puzzle>::default();
        LineFormat(ClassicReader).read(text.as_bytes(), &mut batch);
        let mut engine = SolverKind::Bitmask.build();
        let outcomes: Vec<Outcome> =
            batch.puzzles.iter().map(|puzzle| engine.solve(puzzle, SolutionLimit::UNIQUENESS)).collect();
        let statuses = [Status::Unique, Status::Conflict];
        let outcomes = ChunkOutcomes {
            place: ChunkPlace::default(),
            chunk: text.as_bytes(),
            batch: &batch,
            outcomes: &outcomes,
            statuses: &statuses,
        };
        let mut out = Vec::new();
        GridRows::of_solutions().rows(&outcomes, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("+-------+-------+-------+\n| 5 3 4 | 6 7 8 | 9 1 2 |\n"), "{out}");
        assert!(out.contains("\nunique, 0 guesses, ") && out.contains("\nnone\nmalformed\n"), "{out}");
        assert!(out.contains("| 5 5 . | . 7 . | . . . |") && out.contains("\nconflict: a house"), "{out}");
    }
}
