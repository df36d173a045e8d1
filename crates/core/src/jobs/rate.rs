//! Ratings: how hard puzzles are for people, on the scale of Sudoku Explainer.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, PORTION, Refuted, Result, Schema, Searchable, Status,
    StatusInfo, Worker, worker_from,
};
use crate::logic::{Profile, PuzzleRating, Rater, Rating, RatingEnd, Technique, Ties};
use crate::solver::Engine;

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
    pub scale: Profile,
    /// Which order of cells decides if several chains lead to one deduction.
    pub ties: Ties,
    /// The highest rating that is tried; `None` for no bound.
    pub up_to: Option<Rating>,
    /// Whether there is a column for each technique, with the number of rounds in which it found something.
    pub techniques: bool,
    /// Whether there is a column with the time. Puzzles are then rated one by one, so that each has its own
    /// time.
    pub times: bool,
}

/// Proper puzzles have statuses of their own, which take the places of these.
const RATED: Status = Status::Unique;
const ABOVE: Status = Status::Solved;
const UNSOLVED: Status = Status::Budget;

const STATUSES: &[StatusInfo] = &Status::infos_with([
    (RATED, StatusInfo::right("rated")),
    (ABOVE, StatusInfo::right("above")),
    (Status::Multiple, StatusInfo::wrong("multiple")),
    (Status::None, StatusInfo::wrong("none")),
    (UNSOLVED, StatusInfo::wrong("unsolved")),
]);

impl Rate {
    /// The name of the scale with its version, as rows write it beside ratings.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.scale.version_with(self.ties)
    }
}

impl Job for Rate {
    fn schema(&self) -> Schema {
        let rating = |name, meaning| Column::new(name, ColumnKind::Rating, meaning);
        let mut columns = vec![
            Column::ER,
            rating("ep", "the highest rating up to the first digit that is placed"),
            rating("ed", "the rating of the first round"),
            Column::new("hardest", ColumnKind::Name(Technique::SLUGS), "the technique of the highest rating"),
            Column::new("steps", ColumnKind::SmallNumber, "the number of rounds"),
        ];
        if self.techniques {
            let rounds = "in how many rounds the technique found something";
            let column =
                |technique: &Technique| Column::new(technique.column(), ColumnKind::TinyNumber, rounds);
            columns.extend(Technique::ALL.iter().map(column));
        }
        let scale = "the scale of the rating, with its version";
        columns.push(Column::new("scale", ColumnKind::Name(Profile::VERSIONS), scale));
        columns.extend(self.up_to.map(|_| rating("up_to", "the highest rating that was tried")));
        columns.push(Column::STATUS);
        let time = Column::new(Column::TIME.name, ColumnKind::Nanos, "the nanoseconds that rating took");
        columns.extend(self.times.then_some(time));
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let rater = Rater::new(self.scale, self.up_to.unwrap_or(Rating::BEYOND)).with_ties(self.ties);
        let mut rater = if self.times { rater.one_by_one() } else { rater };
        let (job, mut search) = (*self, BatchSearch::proof(self.engine));
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (portion, start) in puzzles.chunks(PORTION).zip((0..).step_by(PORTION)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let of_all = |refuted: Refuted| Refuted { puzzle: start + refuted.puzzle, ..refuted };
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
    fn rate<P: Searchable>(
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
                return Err(Refuted { puzzle, engine: self.version() });
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
        answers.push_numbers(4, whole().map(|rating| Some(rating?.steps.into())));
        let mut column = 5;
        if self.techniques {
            for index in 0..Technique::ALL.len() {
                answers.push_numbers(column, whole().map(|rating| Some(rating?.rounds[index].into())));
                column += 1;
            }
        }
        let scale = Profile::VERSIONS.iter().position(|name| *name == self.version());
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
