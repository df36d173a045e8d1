//! `gridmill stats`: counts what is in a collection.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::{CanonicalKey, Refuted, Status};
use gridmill_core::logic::{BatchRater, Profile, PuzzleRating, Rater, Rating, RatingEnd};
use gridmill_core::solver::{Outcome, SolutionLimit, Solver};
use gridmill_data::collection::{DuplicateFinder, Place};
use gridmill_data::error::Error;
use gridmill_data::output::Destination;
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, ReadChunk};
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::{CollectionCounts, RecordFigures, Report, eprint_message};

use crate::cli::End;
use crate::support::command_error::only_clues;
use crate::support::compare::{CompareArgs, SameArgs};
use crate::support::inputs::InputSet;
use crate::support::job_run::{KeyMapper, StageFactory, StageResult, map_stage};
use crate::support::options::{check_ratable, file_name, scale_parser};
use crate::support::outputs::{check_ending, put};

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
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), requires = "rating")]
    scale: Option<Profile>,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Stats {
    pub(crate) fn run(self) -> Result<End, Error> {
        let files = InputSet::new(&self.files, &self.comparing.passes.common, None)?;
        let output = Destination::create(None)?;
        let report = self.report_file()?;
        let mut pass = self.comparing.passes.pass(self.same(), files, 0)?;
        let stop = Arc::clone(&pass.files.stop);
        let mut finder = DuplicateFinder::new(&self.comparing.space())?;
        let mut counts = CollectionCounts::new(self.profile());
        for index in 0..pass.files.paths().len() {
            let Some((input, layout)) = pass.open(index)? else { return Ok(End::Interrupted) };
            if layout.is_pencilmarks() {
                return Err(only_clues().in_file(input.name()));
            }
            if self.rating {
                check_ratable(&layout).map_err(|error| error.in_file(input.name()))?;
            }
            let mut record = 0;
            let mut take = |records: &Vec<KnownRecord>| {
                for known in records {
                    let place = Place { file: index as u32, record, line: 0 };
                    record += 1;
                    counts.add(&known.figures, known.rating.as_ref());
                    known.key.map_or(Ok(()), |key| finder.add(&key, place))?;
                }
                Ok(ControlFlow::Continue(()))
            };
            if pass.run(input, &layout, &self, true, &mut take)?.is_none() {
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
        let names = pass.files.paths().iter().map(|path| path.display().to_string()).collect();
        let figures = counts.figures(names, duplicates);
        let counts = counts.by_field();
        let found = Report { figures: &figures, counts, is_isomorphic: self.isomorphic };
        self.write(&found, output, report).map_err(|error| error.after_bad(bad > 0))?;
        Ok(End::of_whole(pass.files.lacks_files, bad > 0))
    }

    fn same(&self) -> SameArgs {
        SameArgs { isomorphic: self.isomorphic, same_solution: false }
    }

    /// Returns the scale of ratings, if they are wanted.
    fn profile(&self) -> Option<Profile> {
        self.rating.then(|| self.scale.unwrap_or(Profile::Sukaku))
    }

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

/// The facts of a record.
struct KnownRecord {
    figures: RecordFigures,
    /// The key of its puzzle, if it could be read.
    key: Option<CanonicalKey>,
    /// Its rating, if it was rated.
    rating: Option<PuzzleRating>,
}

impl StageFactory<Vec<KnownRecord>> for Stats {
    fn stage<'a, P: PuzzleText>(
        &'a self,
        layout: &Layout,
        diagnostics: bool,
    ) -> StageResult<'a, Vec<KnownRecord>> {
        let (keys, profile, engine) = (self.same().keys(layout), self.profile(), layout.fastest_engine());
        let sizing = match profile {
            Some(_) => ChunkSizing::GRIDS,
            None => ChunkSizing::for_puzzles(layout.kind(), engine),
        };
        let rater = |profile| (profile, BatchRater::new(Rater::new(profile, Rating::BEYOND)));
        let mapper = move || FigureMapper::<P> {
            rater: profile.map(rater),
            engine: P::solver(engine),
            outcomes: Vec::new(),
            keys: KeyMapper::new(keys),
        };
        Ok(map_stage(layout, diagnostics, sizing, mapper))
    }
}

/// Finds out about each record what is counted.
struct FigureMapper<P: PuzzleText> {
    rater: Option<(Profile, BatchRater<P>)>,
    engine: Box<dyn Solver<P>>,
    outcomes: Vec<Outcome<P::Solution>>,
    keys: KeyMapper<P>,
}

/// Returns the figures of a puzzle that was searched, but for its rating.
fn figures_of<P: PuzzleText>(puzzle: &P, outcome: &Outcome<P::Solution>) -> RecordFigures {
    let bits = Symmetry::ALL.into_iter().enumerate();
    let is_of = |symmetry: Symmetry| symmetry.is_of_cells(puzzle.shape(), puzzle.cells());
    let status = Status::proved(puzzle, outcome);
    let is_searched = status != Status::Conflict;
    RecordFigures {
        status: Some(status),
        clues: Some(puzzle.clue_count() as u16),
        symmetries: Some(bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum()),
        guesses: is_searched.then_some(outcome.guesses),
        nanos: is_searched.then_some(outcome.nanos),
        ..RecordFigures::default()
    }
}

impl<P: PuzzleText> FigureMapper<P> {
    /// Rates the proper puzzles, if ratings are wanted; `None` if the run was stopped meanwhile. Fails for the first that
    /// the techniques lead into a contradiction.
    fn rate(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Option<Vec<PuzzleRating>>, Refuted> {
        let Some((profile, rater)) = &mut self.rater else { return Ok(Some(Vec::new())) };
        let is_proper =
            |index: &usize| Status::proved(&puzzles[*index], &self.outcomes[*index]) == Status::Unique;
        let proper: Vec<usize> = (0..puzzles.len()).filter(is_proper).collect();
        let rated = rater.rate(proper.iter().map(|&index| &puzzles[index]), stop);
        if let Some(refuted) = rated.iter().position(|(rating, _)| rating.is_refuted()) {
            return Err(Refuted { puzzle: proper[refuted], engine: profile.version() });
        }
        let is_whole = rated.len() == proper.len();
        Ok(is_whole.then(|| rated.into_iter().map(|(rating, _)| rating).collect()))
    }
}

impl<P: PuzzleText> BatchMapper<P, Vec<KnownRecord>> for FigureMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        records: &mut Vec<KnownRecord>,
    ) -> Result<ControlFlow<()>, Refuted> {
        let batch = chunk.batch;
        self.outcomes.resize(batch.puzzles.len(), Outcome::NONE);
        self.engine.solve_batch(&batch.puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let Some(ratings) = self.rate(&batch.puzzles, chunk.stop)? else {
            return Ok(ControlFlow::Break(()));
        };
        let Some(keys) = self.keys.answer(&batch.puzzles, chunk.stop)? else {
            return Ok(ControlFlow::Break(()));
        };
        let mut ratings = ratings.into_iter();
        for (_, read) in batch.iter() {
            let Some((index, puzzle)) = read else {
                let figures = RecordFigures { status: Some(Status::Malformed), ..RecordFigures::default() };
                records.push(KnownRecord { figures, key: None, rating: None });
                continue;
            };
            let outcome = &self.outcomes[index];
            if !puzzle.agrees(outcome) {
                return Err(Refuted { puzzle: index, engine: self.engine.name() });
            }
            let mut figures = figures_of(puzzle, outcome);
            let is_proper = figures.status == Some(Status::Unique);
            let rating = if is_proper { ratings.next() } else { None };
            let solved = rating.as_ref().filter(|rating| rating.end == RatingEnd::Solved);
            figures.er = solved.map(|rating| rating.er);
            records.push(KnownRecord { figures, key: keys.key(index), rating });
        }
        Ok(ControlFlow::Continue(()))
    }
}
