//! `gridmill stats`: counts what is in a collection.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::{Refuted, Status};
use gridmill_core::logic::{BatchRater, Profile, PuzzleRating, Rated, Rater, Rating, RatingEnd};
use gridmill_core::solver::{Outcome, SolutionLimit, Solver};
use gridmill_data::collection::{CanonicalKey, DuplicateFinder, Equivalence, KeyBuilder, Place};
use gridmill_data::error::Error;
use gridmill_data::output::Destination;
use gridmill_data::pipeline::{BatchEncoder, ChunkSizing, ReadChunk};
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;
use gridmill_report::{CollectionCounts, RecordFigures, Report};

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::compare::CompareArgs;
use crate::support::encoded::{EncodedPart, EncoderFactory, PartKind, put_part};
use crate::support::interrupt::stop_on_interrupt;
use crate::support::outputs::{check_ending, put};
use crate::support::present_files::PresentFiles;
use crate::support::rating::{ScaleArg, check_ratable};
use crate::support::seen::note_bad;
use crate::support::values::file_name;

const EXAMPLES: &str = "\
Examples:
  gridmill stats puzzles.txt
      verdicts, numbers of clues, symmetries, guesses and times; how many puzzles come twice
  gridmill stats train.csv test.csv --json > stats.json
      two files as one collection, for a program
  gridmill stats puzzles.txt --isomorphic
      how many puzzles are others in disguise
  gridmill stats puzzles.txt --rating
      how hard they are for people: ratings, and the hardest technique of each
  gridmill stats puzzles.txt --rating --html report.html
      the table, and a page with pictures and tables to look at, print or send to others

Duplicates are records with the same cells as an earlier one, or with --isomorphic the same puzzle in disguise
(gridmill dedupe names them). Symmetries are those of the places of clues; a puzzle may have several. Guesses and
times are those of the lockstep engine, over puzzles that obey the rules; of bitmask for sizes above 16x16 and files
of several sizes.

Ratings are those of gridmill rate, of puzzles with exactly one solution; unsolved are those that no technique of the
scale solves.

For puzzles of every size. With --rating for 9x9 puzzles, with --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Say what is in a collection: verdicts, clues, symmetries, guesses, times, duplicates
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stats {
    /// Files of puzzles; - or none for standard input. Where one can't be opened, the figures are those of the others, and
    /// the exit code is 2
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Write a report too: a page with pictures and tables, in one file that any browser opens
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,

    /// Count puzzles as duplicates that are others in disguise too: rows, columns or digits permuted
    #[arg(long)]
    isomorphic: bool,

    /// Rate the puzzles: how hard they are for people, on the scale of Sudoku Explainer
    #[arg(long)]
    rating: bool,

    /// Whose techniques count, and at which ratings [default: sukaku]
    #[arg(long, value_name = "NAME", value_enum, requires = "rating")]
    scale: Option<ScaleArg>,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Stats {
    pub(crate) fn run(self) -> Result<End, Error> {
        let present = PresentFiles::of(&self.files)?;
        let output = Destination::create(None)?;
        let report = self.report_file()?;
        let stop = stop_on_interrupt();
        let equivalence = Equivalence { isomorphic: self.isomorphic, solution: false };
        let pass = self.comparing.passes.pass(equivalence, None, &stop)?;
        let mut finder = DuplicateFinder::new(&self.comparing.space())?;
        let profile = self.rating.then(|| self.scale.unwrap_or_default().into());
        let mut counts = CollectionCounts::new(profile);
        for (file, path) in (0..).zip(&present.paths) {
            let input = pass.common.open_input(path)?;
            let Some((input, layout)) = pass.open(input)? else { return Ok(End::Interrupted) };
            if layout.is_pencilmarks() {
                return Err(Error::from(CommandError::OnlyClues).in_file(input.name()));
            }
            if self.rating {
                check_ratable(&layout).map_err(|error| Error::from(error).in_file(input.name()))?;
            }
            let mut record = 0;
            let take = |(_, part): EncodedPart<'_>| {
                let place = Place { file, record, line: 0 };
                record += 1;
                add(part, place, &mut counts, &mut finder)
            };
            let encoders = FigureEncoders { equivalence, profile };
            if pass.run(input, &layout, &encoders, pass.messages, false, take)?.is_none() {
                return Ok(interrupted());
            }
        }
        let mut duplicates = 0;
        for duplicate in finder.find(&stop)? {
            duplicate?;
            duplicates += 1;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(interrupted());
        }
        let bad = [Status::Malformed, Status::Conflict].map(|status| counts.by_field().status(status));
        let bad: u64 = bad.iter().sum();
        let files = present.paths.iter().map(|path| path.display().to_string()).collect();
        let figures = counts.figures(files, duplicates);
        if bad > 0 {
            note_bad();
        }
        let counts = counts.by_field();
        let found = Report { figures: &figures, counts, is_isomorphic: self.isomorphic };
        self.write(&found, output, report)?;
        Ok(match bad {
            _ if !present.is_whole => End::Incomplete,
            0 => End::Good,
            _ => End::Imperfect,
        })
    }
}

impl Stats {
    /// Opens the file of the report before anything is counted, to know that it can be written.
    fn report_file(&self) -> Result<Option<Destination>, Error> {
        let Some(path) = &self.html else { return Ok(None) };
        check_ending(path, "html", "--html writes HTML")?;
        let inputs: Vec<_> = self.files.iter().map(|path| file_name(Some(path))).collect();
        Destination::open_before(Some(path), &inputs).map(Some)
    }

    /// Writes the report to its file, and the figures to the output, even where the report can't be written.
    fn write(
        &self,
        found: &Report<'_>,
        mut output: Destination,
        report: Option<Destination>,
    ) -> Result<(), Error> {
        let text = match self.json {
            true => {
                serde_json::to_string_pretty(found.figures).expect("figures are numbers and names") + "\n"
            }
            false => found.figures.to_string(),
        };
        let reported = report.map_or(Ok(()), |mut file| {
            put(&mut file, found.to_html().as_bytes())?;
            file.commit()
        });
        put(&mut output, text.as_bytes())?;
        output.commit()?;
        reported
    }
}

fn interrupted() -> End {
    eprint_message("gridmill: interrupted; there are no figures of a part\n");
    End::Interrupted
}

/// Counts what a [`FigureEncoder`] has encoded.
fn add(
    part: &[u8],
    place: Place,
    counts: &mut CollectionCounts,
    finder: &mut DuplicateFinder,
) -> Result<(), Error> {
    let (&[status, few, many, symmetries], rest) = part.split_first_chunk().expect("four bytes at least");
    let status = Status::ALL.into_iter().find(|known| *known as u8 == status).expect("a status");
    let mut record = RecordFigures { status: Some(status), ..RecordFigures::default() };
    if status == Status::Malformed {
        counts.add(&record);
        return Ok(());
    }
    record.clues = Some(u16::from_le_bytes([few, many]));
    record.symmetries = Some(symmetries);
    let (key, rest) = rest.split_first_chunk().expect("a key");
    let (&guesses, rest) = rest.split_first_chunk().expect("a number of guesses");
    let (&nanos, rating) = rest.split_first_chunk().expect("a time");
    if status != Status::Conflict {
        record.guesses = Some(u64::from_le_bytes(guesses));
        record.nanos = Some(u64::from_le_bytes(nanos));
    }
    record.er = add_rating(rating, counts);
    counts.add(&record);
    Ok(finder.add(&CanonicalKey::from_bytes(*key), place)?)
}

/// Makes encoders of figures.
struct FigureEncoders {
    equivalence: Equivalence,
    /// The scale of ratings, if they are wanted.
    profile: Option<Profile>,
}

impl EncoderFactory for FigureEncoders {
    type Encoder<P: PuzzleText> = FigureEncoder<P>;

    fn encoders<P: PuzzleText>(&self, layout: &Layout) -> impl Fn() -> FigureEncoder<P> + Sync + 'static {
        let (equivalence, engine) = (self.equivalence, layout.fastest_engine());
        let profile = self.profile;
        move || FigureEncoder {
            rater: profile.map(|profile| (profile, BatchRater::new(Rater::new(profile, Rating::BEYOND)))),
            has_given_up: false,
            engine: P::solver(engine),
            outcomes: Vec::new(),
            builder: KeyBuilder::with_engine(equivalence, || P::solver(engine)),
        }
    }

    fn sizing<P: PuzzleText>(&self, layout: &Layout) -> ChunkSizing {
        match self.profile {
            Some(_) => ChunkSizing::GRIDS,
            None => ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine()),
        }
    }
}

/// Encodes the status, clues and symmetries of each record, then its key, guesses and time, and its rating if that is
/// wanted.
struct FigureEncoder<P: PuzzleText> {
    rater: Option<(Profile, BatchRater<P>)>,
    has_given_up: bool,
    engine: Box<dyn Solver<P>>,
    outcomes: Vec<Outcome<P::Solution>>,
    builder: KeyBuilder<P>,
}

fn describe<P: PuzzleText>(
    puzzle: &P,
    outcome: &Outcome<P::Solution>,
    key: &CanonicalKey,
    part: &mut Vec<u8>,
) {
    let bits = Symmetry::ALL.into_iter().enumerate();
    let is_of = |symmetry: Symmetry| symmetry.is_of_cells(puzzle.shape(), puzzle.cells());
    let symmetries = bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum();
    let [few, many] = (puzzle.clue_count() as u16).to_le_bytes();
    part.extend_from_slice(&[Status::proved(puzzle, outcome) as u8, few, many, symmetries]);
    part.extend_from_slice(key.bytes());
    part.extend_from_slice(&outcome.guesses.to_le_bytes());
    part.extend_from_slice(&outcome.nanos.to_le_bytes());
}

impl<P: PuzzleText> FigureEncoder<P> {
    /// Rates the proper puzzles, if ratings are wanted. Fails for the first that the techniques lead into a
    /// contradiction.
    fn rate(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Vec<PuzzleRating>, Refuted> {
        let Some((profile, rater)) = &mut self.rater else { return Ok(Vec::new()) };
        let is_proper =
            |index: &usize| Status::proved(&puzzles[*index], &self.outcomes[*index]) == Status::Unique;
        let proper: Vec<usize> = (0..puzzles.len()).filter(is_proper).collect();
        let rated = rater.rate(proper.iter().map(|&index| &puzzles[index]), stop);
        self.has_given_up = rated.len() < proper.len();
        match rated.iter().position(Rated::is_refuted) {
            Some(refuted) => Err(Refuted { puzzle: proper[refuted], engine: profile.version() }),
            None => Ok(rated.into_iter().map(|rated| rated.rating).collect()),
        }
    }
}

/// Appends a rating: its tenths, and the hardest technique, if there is one; nothing for a puzzle that is not solved.
fn put_rating(rating: &PuzzleRating, part: &mut Vec<u8>) {
    let is_solved = rating.end == RatingEnd::Solved;
    part.push(u8::from(is_solved));
    if is_solved {
        part.extend_from_slice(&rating.er.in_tenths().to_le_bytes());
        part.extend(rating.hardest.map(|technique| technique as u8));
    }
}

/// Counts the hardest technique that [`put_rating`] appended, or that there is no rating, and returns the rating.
fn add_rating(encoded: &[u8], counts: &mut CollectionCounts) -> Option<Rating> {
    match *encoded {
        [1, low, high, ref hardest @ ..] => {
            hardest.iter().for_each(|technique| counts.add_hardest(usize::from(*technique)));
            Some(Rating::tenths(u16::from_le_bytes([low, high])))
        }
        [_, ..] => {
            counts.add_unsolved();
            None
        }
        [] => None,
    }
}

impl<P: PuzzleText> BatchEncoder<P> for FigureEncoder<P> {
    fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    fn encode(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<(), Refuted> {
        let batch = chunk.batch;
        self.outcomes.resize(batch.puzzles.len(), Outcome::NONE);
        self.engine.solve_batch(&batch.puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let mut ratings = self.rate(&batch.puzzles, chunk.stop)?.into_iter();
        let mut part = Vec::new();
        for (_, read) in batch.iter() {
            part.clear();
            match read.map(|(index, puzzle)| (index, puzzle, &self.outcomes[index])) {
                Some((index, puzzle, outcome)) if !puzzle.agrees(outcome) => {
                    return Err(Refuted { puzzle: index, engine: self.engine.name() });
                }
                Some((_, puzzle, outcome)) => {
                    describe(puzzle, outcome, &self.builder.key(puzzle), &mut part);
                    if Status::proved(puzzle, outcome) == Status::Unique
                        && let Some(rating) = ratings.next()
                    {
                        put_rating(&rating, &mut part);
                    }
                }
                None => part.extend_from_slice(&[Status::Malformed as u8, 0, 0, 0]),
            }
            put_part(PartKind::Record, &part, out);
        }
        Ok(())
    }
}
