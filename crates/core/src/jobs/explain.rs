//! Explaining: how people solve a puzzle, step by step.

use super::{
    Column, ColumnKind, Job, Refuted, Schema, Search, Searchable, Status, StatusInfo, Steps, Worker,
    worker_from,
};
use crate::grid::Puzzle;
use crate::logic::{Explainer, ExplanationEnd, Profile, Ties, Until};
use crate::solver::{Engine, Solvable, SolverKind};

/// Explains proper 9x9 puzzles: round after round, with every deduction and its reason.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Explain, Job, Steps, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Explain::default().answer(&[puzzle])?;
/// let Value::Steps(Steps::Explained(told)) = answers.value(1, 0) else { panic!("it has one solution") };
/// assert_eq!(told.rating.er.to_string(), "1.2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Explain {
    /// Whose techniques count.
    pub scale: Profile,
    /// Which deduction comes first where several are as cheap.
    pub ties: Ties,
    /// Where explanations end, if not at the solution.
    pub until: Option<Until>,
}

impl Default for Explain {
    fn default() -> Explain {
        Explain { scale: Profile::Sukaku, ties: Ties::default(), until: None }
    }
}

/// In the place of this status, which no puzzle has here, is that of puzzles that no technique solves further.
const STUCK: Status = Status::Solved;

impl Job for Explain {
    fn schema(&self) -> Schema {
        // A puzzle that is stuck has one solution all the same, but the explanation is not whole.
        const STATUSES: &[StatusInfo] = &Status::infos_with([
            (STUCK, StatusInfo::wrong("unique")),
            (Status::Multiple, StatusInfo::wrong("multiple")),
            (Status::None, StatusInfo::wrong("none")),
        ]);
        let steps =
            "the rounds, each with its deductions and their reasons; only of puzzles with one solution";
        Schema {
            columns: vec![Column::STATUS, Column::new("steps", ColumnKind::Steps, steps)],
            statuses: STATUSES,
        }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let mut search = Search::<P>::new(Engine::Other(SolverKind::Bitmask));
        let mut explainer = Explainer::new(self.scale, self.until).with_ties(self.ties);
        worker_from(move |puzzles, _, stop, answers| {
            for (index, (puzzle, status, only)) in search.prove(puzzles, stop)?.enumerate() {
                let Some(only) = only.and_then(|digits| Puzzle::EMPTY.full_grid(digits)) else {
                    answers.push_status(status as u8);
                    answers.push_steps(1, None);
                    continue;
                };
                let Some(told) = explainer.explain(puzzle.state(), &only, stop) else { break };
                if told.end == ExplanationEnd::Refuted {
                    return Err(Refuted { puzzle: index, engine: "logic" });
                }
                let is_stuck = told.end == ExplanationEnd::BeyondTechniques;
                answers.push_status(if is_stuck { STUCK } else { status } as u8);
                answers.push_steps(1, Some(Steps::Explained(Box::new(told))));
            }
            Ok(())
        })
    }
}
