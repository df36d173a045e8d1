//! `gridmill stats`: counts what is in a collection.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_core::jobs::Status;
use gridmill_core::logic::Profile;
use gridmill_data::collection::DuplicateFinder;
use gridmill_data::error::Error;
use gridmill_data::output::Destination;
use gridmill_data::text::Layout;
use gridmill_report::{CollectionCounts, KnownRecord, Report};

use crate::cli::End;
use crate::support::command_error::{only_clues, report};
use crate::support::compare::{CompareArgs, SameArgs};
use crate::support::inputs::InputSet;
use crate::support::options::{check_ratable, scale_parser};
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
        let report = self.html.as_deref().map(|path| report_file(path, &files)).transpose()?;
        let mut pass = self.comparing.pass(self.same(), files, 0)?;
        let stop = Arc::clone(&pass.files.stop);
        let mut finder = DuplicateFinder::new(&pass.space)?;
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
            let mut take = |known: &Vec<KnownRecord>| {
                counts.add_chunk(known, &mut finder, index as u32, record)?;
                record += known.len() as u64;
                Ok(ControlFlow::Continue(()))
            };
            let keys = self.same().keys(&layout);
            let stages = |layout: &Layout, diagnostics| {
                Ok(KnownRecord::stage(keys, self.profile(), layout, diagnostics))
            };
            if pass.run(input, &layout, &stages, true, &mut take)?.is_none() {
                return Ok(interrupted());
            }
        }
        let duplicates = finder.find(&stop)?.try_fold(0, |count, found| found.map(|_| count + 1))?;
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

/// Opens the file of the report before anything is counted, to know that it can be written.
fn report_file(path: &Path, files: &InputSet<'_>) -> Result<Destination, Error> {
    check_ending(path, "html", "--html writes HTML")?;
    files.open_output(Some(path))
}

fn interrupted() -> End {
    report("interrupted; there are no figures of a part");
    End::Interrupted
}
