//! Solving as people do: the steps of a solution with their reasons, and ratings, which say how hard puzzles
//! are on the scale of Sudoku Explainer. Traces show what an engine does with the cells, for people who want
//! to learn how it works.

use std::iter;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, JobPuzzle, PORTION, Result, Schema, Status, StatusInfo,
    Steps, Worker, WrongAnswer, worker_from,
};
use crate::grid::Puzzle;
use crate::logic::{
    Explainer, Explanation, ExplanationEnd, PuzzleRating, Rater, Rating, RatingEnd, Scale, State, Technique,
    Ties, Until,
};
use crate::solver::{Bounds, Engine, EngineKind, SearchEnd, Solvable, TraceEvent, TracedEngine, trace};

/// Explains proper 9x9 puzzles round by round, with every deduction and its reason.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Explain, Job, Steps, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Explain::default().answer(&[puzzle])?;
/// let Value::Steps(Steps::Explained(explanation)) = answers.value(1, 0) else { panic!("it has one solution") };
/// assert_eq!(explanation.rating.er.to_string(), "1.2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Explain {
    /// Which techniques count, and with which ratings.
    pub scale: Scale,
    /// The order of cells and digits that breaks ties between chains of equal length.
    pub ties: Ties,
    /// Where explanations end, if not at the solution.
    pub until: Option<Until>,
}

/// A puzzle that the techniques do not solve. (This job never gives `Status::Solved`, so it uses that variant;
/// [`Status::infos_with`] renames it.)
const STUCK: Status = Status::Solved;

impl Job for Explain {
    fn schema(&self) -> Schema {
        // A stuck puzzle is called unique, because it has one solution; only its explanation is incomplete.
        const STATUSES: &[StatusInfo] = &Status::infos_with([
            (STUCK, StatusInfo::wrong("unique")),
            (Status::Multiple, StatusInfo::wrong("multiple")),
            (Status::None, StatusInfo::wrong("none")),
        ]);
        let steps =
            "the rounds, each with its deductions and their reasons; only for puzzles with one solution";
        let rating = |name, meaning| Column::new(name, ColumnKind::Rating, meaning);
        let number = |name, meaning| Column::new(name, ColumnKind::SmallNumber, meaning);
        let columns = vec![
            Column::STATUS,
            Column::new("steps", ColumnKind::Steps, steps),
            Column::new("end", ColumnKind::Name(ExplanationEnd::NAMES), "how the explanation ended"),
            rating("er", "the highest rating of a round, if the explanation reached the solution"),
            rating("ep", "the highest rating up to the first placement"),
            rating("ed", "the rating of the first round"),
            number("rounds", "the number of rounds"),
            number("deductions", "the number of deductions of all rounds"),
        ];
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let mut search = BatchSearch::<P>::proof(Engine::Other(EngineKind::Bitmask));
        let mut explainer = Explainer::new(self.scale, self.until).with_ties(self.ties);
        worker_from(move |puzzles, _, stop, answers| {
            for (index, (puzzle, status, only)) in search.prove(puzzles, stop)?.enumerate() {
                let Some(only) = only.and_then(|digits| Puzzle::EMPTY.full_grid(digits)) else {
                    answers.push_status(status as u8);
                    push_explanation(answers, None);
                    continue;
                };
                let Some(explanation) = explainer.explain(State::new(puzzle), &only, stop) else { break };
                if explanation.end == ExplanationEnd::Contradiction {
                    return Err(WrongAnswer { puzzle: index, engine: "logic" });
                }
                let is_stuck = explanation.end == ExplanationEnd::BeyondTechniques;
                answers.push_status(if is_stuck { STUCK } else { status } as u8);
                push_explanation(answers, Some(explanation));
            }
            Ok(())
        })
    }
}

/// Adds an explanation, and its figures.
fn push_explanation(answers: &mut Answers, explanation: Option<Explanation>) {
    let figures = explanation.as_ref();
    answers.push_names(2, iter::once(figures.map(|explanation| explanation.end.index())));
    let ratings = [
        figures.and_then(Explanation::er),
        figures.and_then(|explanation| explanation.rating.ep),
        figures.and_then(|explanation| explanation.rating.ed),
    ];
    for (column, rating) in (3..).zip(ratings) {
        answers.push_ratings(column, iter::once(rating));
    }
    let deductions =
        |explanation: &Explanation| explanation.rounds.iter().map(|round| round.steps.len() as u64).sum();
    answers.push_numbers(6, iter::once(figures.map(|explanation| explanation.rounds.len() as u64)));
    answers.push_numbers(7, iter::once(figures.map(deductions)));
    answers.push_steps(1, explanation.map(|explanation| Steps::Explained(Box::new(explanation))));
}

/// Watches an engine fill and clear cells, up to the first solution of each puzzle. Of pencilmarks it sees
/// only the clues.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Steps, Trace, Value};
///
/// let answers = Trace { limit: 3, ..Trace::default() }.answer(&[Puzzle::EMPTY])?;
/// assert_eq!(answers.value(0, 0), Value::Text("budget"));
/// let Value::Steps(Steps::Traced(traced)) = answers.value(1, 0) else { panic!("its clues are in no conflict") };
/// assert_eq!((traced.events.len(), traced.is_cut), (3, true));
/// # Ok::<(), gridmill_core::jobs::WrongAnswer>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// The engine to watch.
    pub engine: TracedEngine,
    /// How many events of a puzzle are kept at most. Its search ends there.
    pub limit: usize,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace { engine: TracedEngine::Backtracking, limit: 200 }
    }
}

/// The record of a watched search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// The engine.
    pub engine: TracedEngine,
    /// The events, up to the limit.
    pub events: Vec<TraceEvent>,
    /// Whether the search was ended because the limit was reached.
    pub is_cut: bool,
    /// Whether the search found a solution.
    pub is_solved: bool,
}

/// The places of the statuses.
const SOLVED: u8 = 0;
const BUDGET: u8 = 1;
const NONE: u8 = 2;
const CONFLICT: u8 = 3;

impl Job for Trace {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("solved"),
            StatusInfo::right("budget"),
            StatusInfo::right("none"),
            StatusInfo::CONFLICT,
            StatusInfo::MALFORMED,
        ];
        let steps = "the events of the search, as far as the limit";
        Schema {
            columns: vec![Column::STATUS, Column::new("steps", ColumnKind::Steps, steps)],
            statuses: STATUSES,
        }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let job = *self;
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for puzzle in puzzles {
                if puzzle.find_conflict().is_some() {
                    answers.push_status(CONFLICT);
                    answers.push_steps(1, None);
                    continue;
                }
                let Some(traced) = job.watch(puzzle, stop) else { break };
                let status = match traced {
                    TraceRecord { is_cut: true, .. } => BUDGET,
                    TraceRecord { is_solved: true, .. } => SOLVED,
                    _ => NONE,
                };
                answers.push_status(status);
                answers.push_steps(1, Some(Steps::Traced(traced)));
            }
            Ok(())
        })
    }
}

impl Trace {
    /// Watches the search for the first solution. `None` if `stop` became true.
    fn watch<P: JobPuzzle>(&self, puzzle: &P, stop: &AtomicBool) -> Option<TraceRecord> {
        let mut watched =
            TraceRecord { engine: self.engine, events: Vec::new(), is_cut: false, is_solved: false };
        let mut watch = |event| {
            if watched.events.len() == self.limit {
                watched.is_cut = true;
                return ControlFlow::Break(());
            }
            watched.events.push(event);
            ControlFlow::Continue(())
        };
        let mut found = |_: &[u8]| ControlFlow::Continue(());
        let clues = puzzle.clues();
        let searched = trace(self.engine, clues, &Bounds::solutions(1), stop, &mut watch, &mut found);
        watched.is_solved = searched.solutions > 0;
        (searched.end != SearchEnd::Stopped || watched.is_cut).then_some(watched)
    }
}

/// Rates 9x9 puzzles.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Rate, Value};
/// use gridmill_core::logic::Rating;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Rate::default().answer(&[puzzle])?;
/// assert_eq!(answers.value(0, 0), Value::Rating(Rating::tenths(12)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The engine that finds out which puzzles are proper; the default is the fastest for 9x9.
    pub engine: Engine,
    /// Which techniques count, and with which ratings.
    pub scale: Scale,
    /// The order of cells and digits that breaks ties between chains of equal length.
    pub ties: Ties,
    /// The highest rating that is tried; `None` for no bound.
    pub up_to: Option<Rating>,
    /// Whether there is a column for each technique, with the number of rounds in which it found something.
    pub techniques: bool,
    /// Whether there is a column with the time. Puzzles are then rated one by one, so that each has its own
    /// time.
    pub times: bool,
}

/// `rate` uses these places of [`Status`] for proper puzzles, under other names.
const RATED: Status = Status::Unique;
const ABOVE: Status = Status::Solved;
const UNSOLVED: Status = Status::Budget;

impl Rate {
    /// The name of the scale with its version, as rows write it beside ratings.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.scale.version_with(self.ties)
    }
}

impl Job for Rate {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &Status::infos_with([
            (RATED, StatusInfo::right("rated")),
            (ABOVE, StatusInfo::right("above")),
            (Status::Multiple, StatusInfo::wrong("multiple")),
            (Status::None, StatusInfo::wrong("none")),
            (UNSOLVED, StatusInfo::wrong("unsolved")),
        ]);
        let rating = |name, meaning| Column::new(name, ColumnKind::Rating, meaning);
        let mut columns = vec![
            Column::ER,
            rating("ep", "the highest rating up to the first digit that is placed"),
            rating("ed", "the rating of the first round"),
            Column::new("hardest", ColumnKind::Name(Technique::SLUGS), "the technique of the highest rating"),
            Column::new(
                "steps",
                ColumnKind::SmallNumber,
                "the number of rounds, which Sudoku Explainer calls steps",
            ),
        ];
        if self.techniques {
            let rounds = "in how many rounds the technique found something";
            let column =
                |technique: &Technique| Column::new(technique.column(), ColumnKind::TinyNumber, rounds);
            columns.extend(Technique::ALL.iter().map(column));
        }
        let scale = "the scale of the rating, with its version";
        columns.push(Column::new("scale", ColumnKind::Name(Scale::VERSIONS), scale));
        columns.extend(self.up_to.map(|_| rating("up_to", "the highest rating that was tried")));
        columns.push(Column::STATUS);
        let time = Column::new(Column::TIME.name, ColumnKind::Nanos, "the nanoseconds that rating took");
        columns.extend(self.times.then_some(time));
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let rater = Rater::new(self.scale, self.up_to.unwrap_or(Rating::BEYOND)).with_ties(self.ties);
        let mut rater = if self.times { rater.one_by_one() } else { rater };
        let (job, mut search) = (*self, BatchSearch::proof(self.engine));
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (portion, start) in puzzles.chunks(PORTION).zip((0..).step_by(PORTION)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let of_all = |wrong: WrongAnswer| WrongAnswer { puzzle: start + wrong.puzzle, ..wrong };
                if !job.rate(portion, &mut search, &mut rater, stop, answers).map_err(of_all)? {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Rate {
    /// Answers some puzzles. Returns false if `stop` became true before the last of them.
    fn rate<P: JobPuzzle>(
        &self,
        puzzles: &[P],
        search: &mut BatchSearch<P>,
        rater: &mut Rater,
        stop: &AtomicBool,
        answers: &mut Answers,
    ) -> Result<bool> {
        let statuses: Vec<Status> = search.prove(puzzles, stop)?.map(|(_, status, _)| status).collect();
        let solved = puzzles.iter().zip(&statuses);
        let proper = solved.filter(|(_, status)| **status == Status::Unique).map(|(puzzle, _)| puzzle);
        let mut rated = rater.rate_all(proper, stop).into_iter();
        let mut rows: Vec<(Status, Option<PuzzleRating>, u64)> = Vec::with_capacity(puzzles.len());
        for (puzzle, &status) in statuses.iter().enumerate() {
            if status != Status::Unique {
                rows.push((status, None, 0));
                continue;
            }
            let Some((rating, nanos)) = rated.next() else { break };
            if rating.is_refuted() {
                return Err(WrongAnswer { puzzle, engine: self.version() });
            }
            let status = match (rating.end, self.up_to) {
                (RatingEnd::Solved, _) => RATED,
                (RatingEnd::AboveLimit, Some(_)) => ABOVE,
                (RatingEnd::AboveLimit | RatingEnd::Contradiction, _) => UNSOLVED,
            };
            rows.push((status, Some(rating), nanos));
        }
        self.push(&rows, answers);
        Ok(rows.len() == puzzles.len())
    }

    /// Adds answers, column by column in the order of the schema. Each has a status, and a rating with its
    /// time if the puzzle is proper.
    fn push(&self, rows: &[(Status, Option<PuzzleRating>, u64)], answers: &mut Answers) {
        let ratings = || rows.iter().map(|(_, rating, _)| rating.as_ref());
        // The rounds of an incomplete rating are left out, because they say nothing about the puzzle.
        let whole = || rows.iter().map(|(status, rating, _)| rating.as_ref().filter(|_| *status == RATED));
        rows.iter().for_each(|&(status, ..)| answers.push_status(status as u8));
        answers.push_ratings(0, whole().map(|rating| Some(rating?.er)));
        answers.push_ratings(1, ratings().map(|rating| rating?.ep));
        answers.push_ratings(2, ratings().map(|rating| rating?.ed));
        answers.push_names(3, whole().map(|rating| rating?.hardest.map(|technique| technique as usize)));
        answers.push_numbers(4, whole().map(|rating| Some(rating?.round_count.into())));
        let mut column = 5;
        if self.techniques {
            for index in 0..Technique::ALL.len() {
                answers.push_numbers(column, whole().map(|rating| Some(rating?.rounds[index].into())));
                column += 1;
            }
        }
        let scale = Scale::VERSIONS.iter().position(|name| *name == self.version());
        answers.push_names(column, ratings().map(|rating| rating.and(scale)));
        column += 1;
        if let Some(up_to) = self.up_to {
            answers.push_ratings(column, ratings().map(|rating| rating.map(|_| up_to)));
            column += 1;
        }
        if self.times {
            let nanos = rows.iter().map(|(_, rating, nanos)| rating.as_ref().map(|_| *nanos));
            answers.push_numbers(column + 1, nanos);
        }
    }
}
