//! `gridmill rate`: how hard puzzles are for people, on the scale of Sudoku Explainer.

use std::fmt::{self, Write};
use std::sync::atomic::AtomicBool;

use clap::Args;
use gridmill_core::logic::{BatchRater, PuzzleRating, Rated, Rater, Rating, RatingEnd, Technique};
use gridmill_core::solver::{Outcome, SolutionLimit, Solver};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{ChunkSizing, Engine, RowMapper, Searchable};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status, Tally};
use gridmill_data::text::Layout;
use gridmill_report::RatingCounts;

use crate::cli::End;
use crate::support::given::Given;
use crate::support::input_args::InputArgs;
use crate::support::parts::{PartArgs, Parts};
use crate::support::rating::{ScaleArgs, check_ratable, rating};
use crate::support::rows::TableRowsArgs;
use crate::support::seen::note_bad;
use crate::support::tabulate::{Columns, MapperFactory, status, tabulate};

const EXAMPLES: &str = "\
Examples:
  gridmill rate puzzles.txt -o rated.csv
      a row for every puzzle: puzzle,er,ep,ed,hardest,steps,scale,status
  gridmill rate puzzles.txt --up-to 3.8 -o rated.csv
      easier work: puzzles above 3.8 get the status above, and no rating
  gridmill rate train.csv --techniques -o rated.csv.zst
      the columns of train.csv, the new ones, and a column for each technique, such as rounds_x-wing
  gridmill rate train.csv --columns id,er,hardest -o rated.csv
      the column id of train.csv, and two of the new ones
  gridmill rate puzzles.txt --scale se | gridmill select - --where 'er>=6'
      on the scale of Sudoku Explainer itself; puzzles of 6.0 and above
  gridmill rate big.txt --shard 3/64 -o part3.csv --resume --skip-existing
      the third of 64 parts, each for a process of its own: together they are the whole
  gridmill rate hard.txt --ties reading -o rated.csv
      for comparison with published ratings from 7.5 up

A puzzle is solved as people do, in rounds. In each the cheapest technique is taken that finds something, and all its
deductions of the lowest rating are made together, so a rating depends on the puzzle alone: isomorphs have the same one.
er is the highest rating of a round, ep the highest up to the first placement of a digit, ed that of the first round;
hardest is the technique of er, steps the number of rounds. Ratings can only be compared on one scale, of one version:
the column scale names both.

From 7.5 up it may depend on the order of cells which of several chains to one deduction counts, and so its rating. The
order is that of the minlex form, for all isomorphs the same. Published ratings depend on how the grid was written: they
are compared with --ties reading, which takes the cells in reading order. The column scale then ends in -reading.

With --up-to there is a column up_to, and a puzzle that rounds up to that rating do not solve has the status above:
its rating is higher than up_to. The columns of its rating, but for ep and ed where they are known, are empty, so that a
number in er is always a rating, and never a bound.

Status of a row: rated, above (with --up-to), unsolved (no technique goes on), multiple or none (solutions: only puzzles
with exactly one are rated), conflict (two equal clues in a house), malformed (could not be read).

For 9x9 puzzles, and pencilmarks, which are rated from the candidates that they have.

Exit codes: 0 every puzzle was rated, or is above, 1 some have another status, 2 the job could not be done,
130 interrupted.";

/// Rate how hard every puzzle of a file is for people, on the scale of Sudoku Explainer
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Rate {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: TableRowsArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Try no technique above this rating
    #[arg(long, value_name = "RATING", value_parser = rating)]
    up_to: Option<Rating>,

    /// Add a column for each technique: in how many rounds it found something
    #[arg(long)]
    techniques: bool,

    /// Add the column time_ns: the nanoseconds that rating took
    #[arg(long)]
    times: bool,
}

impl Rate {
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        tabulate(&self.input, &self, Some(Parts { args: &self.parts, given }))
    }
}

impl MapperFactory for Rate {
    type Mapper<P: Searchable> = RateMapper<P>;

    const TAKES_PENCILMARKS: bool = true;
    const WANTS_PROPER: bool = true;

    fn rows(&self) -> Option<&TableRowsArgs> {
        Some(&self.rows)
    }

    fn names(&self) -> Vec<&'static str> {
        let mut names = vec!["er", "ep", "ed", "hardest", "steps"];
        if self.techniques {
            names.extend(Technique::ALL.iter().map(|technique| technique.column()));
        }
        names.push("scale");
        names.extend(self.up_to.map(|_| "up_to"));
        names.push("status");
        names.extend(self.times.then_some("time_ns"));
        names
    }

    fn name_of(&self, status: Status) -> &'static str {
        name_of(status)
    }

    fn gains(&self, tally: &Tally) -> Vec<(&'static str, String)> {
        let limit = self.up_to.map(|limit| format!(", up to {limit}")).unwrap_or_default();
        let mut lines = vec![("scale", format!("{}{limit}", self.scale.version()))];
        lines.extend(RatingCounts::of(tally).lines());
        lines
    }

    fn mappers<P: Searchable>(
        &self,
        layout: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> RateMapper<P> + Sync + 'static, Error> {
        check_ratable(layout)?;
        let (engine, scale, up_to) = (Engine::fastest_for(layout), self.scale, self.up_to);
        let (techniques, times) = (self.techniques, self.times);
        Ok(move || {
            let rater = Rater::new(scale.profile(), up_to.unwrap_or(Rating::BEYOND));
            let rater = BatchRater::new(rater.with_ties(scale.ties()));
            RateMapper {
                columns: columns.clone(),
                engine: P::solver(engine),
                outcomes: Vec::new(),
                rater: if times { rater.one_by_one() } else { rater },
                scale: scale.version(),
                up_to,
                techniques,
                times,
            }
        })
    }

    /// Returns how an input is cut: a puzzle may take as long as a hundred others.
    fn sizing<P: Searchable>(&self, _: &Layout) -> ChunkSizing {
        ChunkSizing::GRIDS
    }
}

/// Returns the name of a status: [`Status::Solved`] stands for puzzles above the limit, [`Status::Budget`] for those
/// that no technique solves.
fn name_of(status: Status) -> &'static str {
    match status {
        Status::Unique => "rated",
        Status::Solved => "above",
        Status::Budget => "unsolved",
        other => other.name(),
    }
}

pub(crate) struct RateMapper<P: PuzzleLike> {
    columns: Columns,
    /// Tells which puzzles are proper.
    engine: Box<dyn Solver<P>>,
    outcomes: Vec<Outcome<P::Solution>>,
    rater: BatchRater<P>,
    /// The scale of ratings, with its version.
    scale: &'static str,
    up_to: Option<Rating>,
    techniques: bool,
    times: bool,
}

pub(crate) struct RateAnswer {
    status: Status,
    /// The rating of a proper puzzle.
    rated: Option<Rated>,
    /// Who is wrong, if the engine's solution breaks the rules, or the techniques find none.
    refuted: Option<&'static str>,
}

impl<P: Searchable> RateMapper<P> {
    /// Returns the answer for a puzzle that is not proper.
    fn improper(&self, puzzle: &P, outcome: &Outcome<P::Solution>) -> RateAnswer {
        let refuted = (!puzzle.agrees(outcome)).then(|| self.engine.name());
        RateAnswer { status: status(puzzle, outcome), rated: None, refuted }
    }

    /// Returns the answer for a proper puzzle.
    fn proper(&self, rated: Rated) -> RateAnswer {
        let status = match (rated.rating.end, self.up_to) {
            (RatingEnd::Solved, _) => Status::Unique,
            (RatingEnd::AboveLimit, Some(_)) => Status::Solved,
            (RatingEnd::AboveLimit | RatingEnd::Contradiction, _) => Status::Budget,
        };
        let refuted = rated.is_refuted().then_some(self.scale);
        RateAnswer { status, rated: Some(rated), refuted }
    }

    /// Returns the new fields of a row.
    fn fields(&self, status: Status, rated: Option<&Rated>) -> Fields {
        let rating = rated.map(|rated| &rated.rating);
        let whole = rating.filter(|_| status == Status::Unique);
        let mut fields = Fields::default();
        fields.push(whole.map(|rating| rating.er));
        fields.push(rating.and_then(|rating| rating.ep));
        fields.push(rating.and_then(|rating| rating.ed));
        fields.push(whole.and_then(|rating| rating.hardest));
        fields.push(whole.map(|rating| rating.steps));
        if self.techniques {
            let rounds = |index: usize| whole.map(|rating: &PuzzleRating| rating.rounds[index]);
            (0..Technique::ALL.len()).for_each(|index| fields.push(rounds(index)));
        }
        fields.push(rating.map(|_| self.scale));
        if let Some(up_to) = self.up_to {
            fields.push(rating.map(|_| up_to));
        }
        fields.push(Some(name_of(status)));
        if self.times {
            fields.push(rated.map(|rated| rated.nanos));
        }
        fields
    }
}

impl<P: Searchable> RowMapper<P> for RateMapper<P> {
    type Answer = RateAnswer;

    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Vec<RateAnswer>) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        outcomes.clear();
        outcomes.resize(puzzles.len(), Outcome::NONE);
        self.engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut outcomes);
        let is_proper = |(puzzle, outcome): &(&P, &Outcome<P::Solution>)| {
            puzzle.agrees(outcome) && status(*puzzle, outcome) == Status::Unique
        };
        let solved = || puzzles.iter().zip(&outcomes);
        let mut rated =
            self.rater.rate(solved().filter(is_proper).map(|(puzzle, _)| puzzle), stop).into_iter();
        for (puzzle, outcome) in solved() {
            answers.push(match is_proper(&(puzzle, outcome)) {
                true => match rated.next() {
                    Some(rated) => self.proper(rated),
                    None => break,
                },
                false => self.improper(puzzle, outcome),
            });
        }
        self.outcomes = outcomes;
    }

    fn rating(&self, answer: &RateAnswer) -> Option<Rating> {
        let rated = answer.rated.as_ref().filter(|_| answer.status == Status::Unique);
        rated.map(|rated| rated.rating.er)
    }

    fn refuted(&self, _: &P, answer: &RateAnswer) -> Option<&'static str> {
        answer.refuted
    }

    fn rows(
        &self,
        record: &PlacedRecord<'_>,
        answered: Option<(&P, &RateAnswer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let status = answered.map_or(Status::Malformed, |(_, answer)| answer.status);
        let rated = answered.and_then(|(_, answer)| answer.rated.as_ref());
        if matches!(status, Status::Multiple | Status::None) {
            note_bad();
        }
        let fields = self.fields(status, rated);
        self.columns.write_row(record, puzzle, &fields.all(), out);
        status
    }
}

/// The new fields of a row, one behind the other.
#[derive(Default)]
struct Fields {
    text: String,
    ends: Vec<usize>,
}

impl Fields {
    /// Adds a field; an empty one for `None`.
    fn push(&mut self, field: Option<impl fmt::Display>) {
        if let Some(field) = field {
            // Memory takes every text.
            let _ = write!(self.text, "{field}");
        }
        self.ends.push(self.text.len());
    }

    fn all(&self) -> Vec<&[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text.as_bytes()[start..end]).collect()
    }
}
