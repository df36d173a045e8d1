//! `gridmill generate`: makes puzzles.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use gridmill_core::generate::{
    ALGORITHM, DuplicatePolicy, GenerateError, Goal, GridMethod, Made, MadeStats, ParallelGenerator, Pattern,
    Recipe, digit_of_symbol, symbols,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::jobs::Status;
use gridmill_core::simd::Backend;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, RowOutput};
use gridmill_data::packing::{ColumnType, Container, TableColumns};
use serde_json::json;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::{available, message, refuse, report, same_output};
use crate::support::options::{
    Choice, RatingConditions, Span, ThreadsParser, cores, file_name, one_of, span,
};
use crate::support::outputs::{flush, put, report_interrupted, stop_on_interrupt};
use crate::support::parts::{ResumeArgs, report_resumable};
use crate::support::progress::making_bar;
use crate::support::rows::is_container_name;
use crate::support::rows::{
    ColumnList, FormatsByName, check_rows_name, chosen_columns, column_list, has_extension, is_json_name,
};
use crate::support::summary::{plural, range, report_lines, write_summary};

const EXAMPLES: &str = "\
Examples:
  gridmill generate --count 1000 -o minimal.txt
      makes a thousand minimal puzzles, one on each line, the same in every run
  gridmill generate --count 1000 --clues 28..32 --symmetry rotate180 --seed 7
      makes symmetric puzzles of 28 to 32 clues; another seed gives other puzzles
  gridmill generate --count 100 --guesses 10.. -o hard.csv
      makes hard puzzles, with the columns puzzle,solution,clues,guesses
  gridmill generate --count 1000000 --er 5.0.. -o hard.csv --resume
      runs for days; if it is interrupted, run the same command again to continue
  gridmill generate --count 100 --no-guess --clues 30
      makes easy puzzles, which naked and hidden singles solve
  gridmill generate --count 100 --er 4.0..4.5 -o wings.csv
      makes puzzles rated 4.0 to 4.5 on the scale of Sudoku Explainer, with the columns er and scale
  gridmill generate --count 10 --technique x-wing --er ..3.8
      makes puzzles in which an X-wing finds something, and no technique is harder than a
      swordfish
  gridmill generate --shape 4x4 --clues 110 --with-solution
      makes a 16x16 puzzle, and writes its solution after a comma
  gridmill generate --pattern @heart.txt
      puts clues where the nine rows of the file have an x, and digits where they have digits
  gridmill generate --from @solution.txt --minimal -n 5
      makes five minimal puzzles with that solution
  gridmill generate --shape 5x5 -n 10 -o large.txt
      makes 25x25 puzzles of about 265 clues, several per second

gridmill starts with a full grid and removes clues in random order, as long as there is only one
solution: down to a number from --clues (all equally likely), or as far as possible. With a symmetry
or a pattern some single clues may be redundant in the end; --minimal accepts only puzzles without
such clues. Every puzzle is solved once more before it is written.

In grids with sides up to 12, clues are removed until none can be removed. In larger grids a proof
can take hours, so clues are first removed as far as naked and hidden singles prove the one
solution, and then further with a limited number of guesses, which the summary shows. A few clues
may be redundant in these puzzles. --minimal removes the limit: that takes seconds for each 16x16
puzzle, and hours for 25x25.

--er and --technique accept only puzzles whose rating, as gridmill rate computes it, is as you want:
9x9 only. A small upper end takes less time, and rare ratings take many attempts.

The same arguments give the same puzzles, for any number of threads and any backend, as long as the
algorithm is called gridmill-2.

Full grids come from a random search, for every shape, so any grid is possible. Each is then changed
by a random isomorphism: digits, rows, columns, bands and stacks are shuffled, and a grid with
square boxes may be transposed. Only --grid-method cycle makes just one grid and its isomorphs.

If a run gives up or is interrupted, the puzzles found so far are kept: with -o NAME they are in
NAME.partial.

Exit codes: 0 all puzzles were made, 2 they are impossible or were not found, 130 interrupted.";

/// Make puzzles with exactly one solution
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    /// Number of puzzles
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// Write the puzzles to this file. It gets its name when it is complete, and is compressed if
    /// the name ends in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Rows x columns of a box
    #[arg(long, value_name = "RxC", default_value_t = Shape::CLASSIC)]
    shape: Shape,

    /// How many clues: a number, or a range such as 24..28, 24.. or ..28 [default: clues are removed
    /// until none can be]
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// Only proper puzzles from which no clue can be taken; slow for sides above 12
    #[arg(long)]
    minimal: bool,

    /// Symmetry of the places of clues
    #[arg(long, value_parser = symmetry_parser(), default_value = "none")]
    symmetry: Choice<Symmetry>,

    /// Where the clues are, cell by cell: x for any clue, a digit for a clue with that digit, . for
    /// a blank; or @ and the name of a file with such a pattern. White space and frames are ignored
    #[arg(long, value_name = "CELLS|@FILE", value_parser = pattern)]
    pattern: Option<Pattern>,

    /// Take the clues from this full grid: its digits, or @ and the name of a file with them
    #[arg(long, value_name = "GRID|@FILE", value_parser = full_grid, conflicts_with = "grid_method")]
    from: Option<FullGrid>,

    /// Guesses of the search that finds whether there are no, one or several solutions: a number or a range. The
    /// engine is lockstep for 9x9, and bitmask for other shapes
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    guesses: Option<Span>,

    /// Only puzzles that naked and hidden singles solve
    #[arg(long)]
    no_guess: bool,

    #[command(flatten)]
    ratings: RatingConditions,

    /// Method that makes the full grids [default: bands for 9x9, else backtracking]
    #[arg(long, value_parser = method_parser())]
    grid_method: Option<GridMethod>,

    /// Reject puzzles that are equal to an earlier one
    #[arg(long, conflicts_with = "resume")]
    distinct: bool,

    /// Reject puzzles that are isomorphic to an earlier one (4x4, 6x6, 8x8 and 9x9)
    #[arg(long, conflicts_with = "resume")]
    no_isomorphs: bool,

    /// Give up after this many attempts without a puzzle; the puzzles found so far are kept as
    /// FILE.partial [default: 100000, and 100 for sides above 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    attempts: Option<u64>,

    /// Write each puzzle with a comma and its solution
    #[arg(long)]
    with_solution: bool,

    /// Format of the puzzles [default: by the output's name if it ends in .csv, .jsonl or .ndjson;
    /// else line]
    #[arg(long, value_name = "FORMAT")]
    to: Option<MadeFormat>,

    /// Write these columns of puzzle, solution, clues and guesses, and also of er and scale with
    /// --er or --technique, in this order: names separated by commas, or numbers from 1. Needs CSV
    /// or JSON Lines
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,

    #[command(flatten)]
    resume_args: ResumeArgs,

    /// Write the summary to this file too, as JSON (- for standard output)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// The vector unit for the lockstep engine [default: the best that this processor has]
    #[arg(long, value_name = "NAME", value_parser = backend_parser())]
    backend: Option<Backend>,

    /// Worker threads [default: one for each core]
    #[arg(short, long, env = "GRIDMILL_THREADS", value_name = "N", value_parser = ThreadsParser)]
    threads: Option<usize>,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

fn symmetry_parser() -> impl TypedValueParser<Value = Choice<Symmetry>> {
    one_of([
        ("none", "Anywhere", None),
        ("rotate180", "The same after half a turn", Some(Symmetry::Rotate180)),
        ("rotate90", "The same after a quarter of a turn", Some(Symmetry::Rotate90)),
        ("mirror", "The same on the left and on the right", Some(Symmetry::Mirror)),
        ("diagonal", "The same on both sides of the diagonal from the top left", Some(Symmetry::Diagonal)),
    ])
}

fn method_parser() -> impl TypedValueParser<Value = GridMethod> {
    one_of([
        ("bands", "A random band and stack, and the rest by search: 9x9 only, and fast", GridMethod::Bands),
        ("backtracking", "Random search over all cells", GridMethod::Backtracking),
        ("cycle", "A random box, cycled through the others: always the same pattern", GridMethod::Cycle),
        ("diagonal", "The boxes on the diagonal at random, and the rest by search", GridMethod::Diagonal),
    ])
}

fn backend_parser() -> impl TypedValueParser<Value = Backend> {
    one_of(Backend::ALL.map(|backend| (backend.name(), "", backend)))
}

/// The format of the puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MadeFormat {
    /// One puzzle on each line
    Line,
    /// CSV with a header: puzzle,solution,clues,guesses, with --er or --technique also er,scale
    Csv,
    /// JSON Lines: an object for each puzzle, with keys of these names
    Jsonl,
}

impl Generate {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        let path = self.output.as_deref();
        if self.resume_args.has_finished_output(path, self.quiet)? {
            return Ok(End::Good);
        }
        let recipe = self.recipe();
        let threads = self.threads.unwrap_or_else(cores);
        let backend = self.backend.map(available).transpose()?;
        let generator = ParallelGenerator::new(recipe, self.seed, backend, threads)?;
        let rows = self.rows()?;
        let output = self.resume_args.open_output(task_options, path, &[])?;
        if self.to.is_none() {
            output.set_container_columns(&rows.types());
        }
        let summary =
            self.summary.as_deref().map(|path| Destination::create(file_name(Some(path)))).transpose()?;
        if summary.as_ref().is_some_and(|summary| output.is_same(summary)) {
            return Err(same_output(self.summary.as_deref().unwrap_or(Path::new("-"))));
        }
        if self.minimal && !self.quiet && self.shape.side() > Recipe::LARGE {
            let side = self.shape.side();
            report(format_args!(
                "--minimal in {side}x{side} needs proofs that may take very long; Ctrl-C ends the run, and without --minimal puzzles are found quickly"
            ));
        }
        let stop = stop_on_interrupt();
        let earlier_seconds = output.progress().map_or(0.0, |progress| progress.seconds);
        let begun = Instant::now();
        let found = self.make(&generator, &rows, &output, &stop);
        let stats = match found {
            Ok(stats) => stats,
            Err(error) => return Err(self.gave_up(error, output)?),
        };
        let seconds = begun.elapsed().as_secs_f64() + earlier_seconds;
        let is_whole = stats.puzzles >= self.count || !stop.load(Ordering::Relaxed);
        write_summary(summary, &self.figures(&stats, threads, seconds, is_whole))?;
        if !is_whole {
            return self.interrupted(stats.puzzles, output);
        }
        output.commit(None)?;
        if !self.quiet {
            self.report(&stats, threads, seconds);
        }
        Ok(End::Good)
    }

    /// Makes and writes the puzzles. If an earlier run made some of them, it makes only the rest.
    fn make(
        &self,
        generator: &ParallelGenerator,
        rows: &MadeRows,
        output: &RowOutput,
        stop: &AtomicBool,
    ) -> Result<MadeStats, Error> {
        let earlier = output.progress().and_then(|progress| progress.made);
        let earlier = earlier.as_ref().map(MadeStats::from_numbers).unwrap_or_default();
        if earlier.puzzles > 0 && !self.quiet {
            let puzzles = earlier.puzzles;
            report(format_args!(
                "continuing after {puzzles} {} of an earlier run",
                plural(puzzles, "puzzle")
            ));
        }
        let to_stdout = file_name(self.output.as_deref()).is_none();
        let bar = making_bar(self.count, generator.attempts_made(), self.quiet, to_stdout);
        bar.set_position(earlier.puzzles);
        let mut buffer = output.buffered();
        if earlier.puzzles == 0 {
            put(&mut *buffer, rows.header().as_bytes())?;
        }
        let attempts = self.attempts.unwrap_or_else(|| self.recipe().default_max_failed_attempts());
        let duplicates = DuplicatePolicy::from_flags(self.distinct, self.no_isomorphs);
        let goal = Goal { count: self.count, max_failed_attempts: attempts, duplicates, earlier };
        let mut line = String::new();
        let made = generator.make(&goal, stop, &mut |made, stats| {
            bar.inc(1);
            line.clear();
            rows.put(made, &mut line);
            put(&mut *buffer, line.as_bytes())?;
            if output.has_journal() {
                flush(&mut *buffer)?;
                output.made(stats);
            }
            Ok(())
        });
        bar.finish_and_clear();
        flush(&mut *buffer)?;
        made
    }

    /// The form and the columns of the rows, which the user or the name of the output chooses.
    fn rows(&self) -> Result<MadeRows, Error> {
        let output = self.output.as_deref();
        let by_name = || match () {
            () if has_extension(output, &["csv"]) || is_container_name(output) => MadeFormat::Csv,
            () if is_json_name(output) => MadeFormat::Jsonl,
            () => MadeFormat::Line,
        };
        if self.to.is_none() && output.and_then(Container::from_name).is_some() {
            check_rows_name(output, FormatsByName { json: true, container: true })?;
        }
        let form = self.to.unwrap_or_else(by_name);
        let is_line = form == MadeFormat::Line;
        if self.with_solution && !is_line && (self.to.is_some() || self.columns.is_some()) {
            return refuse(
                "--with-solution cannot be used with CSV or JSON Lines, which have the solution in a column: leave it out",
            );
        }
        if self.columns.is_some() && is_line {
            return refuse(
                "--columns chooses columns of CSV or JSON Lines: give --to csv, --to jsonl, or a name that ends in .csv or .jsonl",
            );
        }
        let of_rating = if self.ratings.criteria().is_some() { &["er", "scale"][..] } else { &[] };
        let known = [&["puzzle", "solution", "clues", "guesses"], of_rating].concat();
        let names: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
        let columns = match &self.columns {
            Some(list) => chosen_columns(list, &names)?.into_iter().map(|column| known[column]).collect(),
            None if is_line && self.with_solution => vec!["puzzle", "solution"],
            None if is_line => vec!["puzzle"],
            None => known,
        };
        Ok(MadeRows { form, columns, scale: self.ratings.scale().version() })
    }

    /// The figures of a run, for `--summary`.
    fn figures(&self, stats: &MadeStats, threads: usize, seconds: f64, is_whole: bool) -> serde_json::Value {
        let range = |range: Option<(u64, u64)>| range.map(|(least, most)| [least, most]);
        let ratings = stats.ratings.map(|(low, high)| [low.to_string(), high.to_string()]);
        json!({
            "generator": ALGORITHM,
            "seed": self.seed,
            "threads": threads,
            "complete": is_whole,
            "puzzles": stats.puzzles,
            "attempts": stats.attempts,
            "clues": range(stats.clues),
            "guesses": range(stats.guesses),
            "without_guess": stats.unguessed,
            "ratings": ratings,
            "seconds": seconds,
        })
    }

    /// Keeps the puzzles that were made before an interrupt, and reports this.
    fn interrupted(&self, puzzles: u64, output: RowOutput) -> Result<End, Error> {
        if puzzles == 0 {
            let earlier = self.earlier_partial().unwrap_or_default();
            report(format_args!("interrupted before a puzzle was made{earlier}"));
        } else {
            let has_journal = output.has_journal();
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{puzzles} {}", plural(puzzles, "puzzle")), kept.as_deref());
            report_resumable(has_journal && kept.is_some());
        }
        Ok(End::Interrupted)
    }

    /// Keeps the puzzles that were found before a run gave up. Returns the error, with a note where they are.
    fn gave_up(&self, error: Error, output: RowOutput) -> Result<Error, Error> {
        let found = match error.kind() {
            ErrorKind::Generate(GenerateError::NotFound { found, .. }) => *found,
            ErrorKind::Generate(GenerateError::NotThisOne) => 0,
            _ => return Ok(error),
        };
        let message = message(&error);
        let kept = if found == 0 { None } else { output.keep_partial()? };
        Ok(match (kept, self.earlier_partial()) {
            (Some(kept), _) => {
                Error::other(format!("{message}; the puzzles found are in {}", kept.display()))
            }
            (None, Some(earlier)) if found == 0 => Error::other(format!("{message}{earlier}")),
            _ => error,
        })
    }

    /// A note that an earlier run left an incomplete output; `None` if there is none.
    fn earlier_partial(&self) -> Option<String> {
        if self.resume_args.resume {
            // With `--resume`, the incomplete output belongs to this run.
            return None;
        }
        let path = Destination::partial_name(file_name(self.output.as_deref())?);
        path.is_file().then(|| format!("; {} belongs to an earlier run", path.display()))
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            shape: self.shape,
            method: self.grid_method,
            clues: self.clues.map(|clues| {
                let clues = clues.up_to(self.shape.cells() as u64);
                *clues.start() as usize..=*clues.end() as usize
            }),
            minimal: self.minimal,
            symmetry: self.symmetry,
            pattern: self.pattern.as_ref().map(|pattern| pattern.clues.clone()),
            digits: self.pattern.as_ref().and_then(|pattern| pattern.digits.clone()),
            solution: self.from.clone(),
            guesses: self.guesses.map(|guesses| guesses.up_to(u64::MAX)),
            singles: self.no_guess,
            rating: self.ratings.criteria(),
        }
    }

    fn report(&self, stats: &MadeStats, threads: usize, seconds: f64) {
        let MadeStats { puzzles, attempts, .. } = *stats;
        let (each, count) = (puzzles.max(1) as f64, indicatif::HumanCount);
        let [on, of] = [plural(threads as u64, "thread"), plural(attempts, "attempt")];
        let mut lines = vec![
            ("generator", format!("{ALGORITHM}, seed {}, {threads} {on}", self.seed)),
            ("puzzles", format!("{} of {} {of}", count(puzzles), count(attempts))),
        ];
        if let Some((fewest, most)) = stats.clues {
            let mean = stats.all_clues as f64 / each;
            lines.push(("clues", format!("{}, {mean:.2} a puzzle", range(fewest, most))));
        }
        if let Some(budget) = self.recipe().guess_budget() {
            let (budget, guesses) = (count(budget), if budget == 1 { "guess" } else { "guesses" });
            lines.push((
                "removal",
                format!("as far as singles prove the one solution, then up to {budget} {guesses} a puzzle"),
            ));
        }
        if let Some((fewest, most)) = stats.guesses {
            let (mean, none) = (stats.all_guesses as f64 / each, 100.0 * stats.unguessed as f64 / each);
            let guesses = range(fewest, most);
            let text = format!("{guesses}, {mean:.3} a puzzle, {none:.2} % without");
            lines.push(("guesses", text));
        }
        if let Some((lowest, highest)) = stats.ratings {
            let scale = self.ratings.scale().version();
            lines.push(("ratings", format!("{}, {scale}", range(lowest, highest))));
        }
        let rate = count((puzzles as f64 / seconds.max(1e-9)) as u64);
        lines.push(("wall time", format!("{seconds:.3} s, {rate} puzzles a second")));
        report_lines(10, &lines);
    }
}

/// The format of rows with new puzzles.
struct MadeRows {
    form: MadeFormat,
    columns: Vec<&'static str>,
    /// The name and version of the scale of ratings.
    scale: &'static str,
}

impl MadeRows {
    /// The types of the columns, for a Parquet or Arrow table.
    fn types(&self) -> TableColumns {
        let kind = |name: &&str| match *name {
            "clues" | "guesses" => ColumnType::Number,
            "er" => ColumnType::Rating,
            _ => ColumnType::Text,
        };
        TableColumns::with_header_row(self.columns.iter().map(kind).collect::<Vec<_>>())
    }

    fn header(&self) -> String {
        if self.form == MadeFormat::Csv { self.columns.join(",") + "\n" } else { String::new() }
    }

    /// Appends the row of a puzzle.
    fn put(&self, made: &Made, row: &mut String) {
        let is_json = self.form == MadeFormat::Jsonl;
        for (place, name) in self.columns.iter().enumerate() {
            // Numbers and cells need no quotes or escapes.
            let (is_text, field) = match *name {
                "puzzle" => (true, made.puzzle.to_string()),
                "solution" => (true, made.solution.to_string()),
                "clues" => (false, made.puzzle.clue_count().to_string()),
                "guesses" => (false, made.guesses.to_string()),
                "er" => (false, made.rating.as_ref().map(|rating| rating.er.to_string()).unwrap_or_default()),
                _ => (true, self.scale.to_owned()),
            };
            row.push_str(match (is_json, place) {
                (true, 0) => "{",
                (false, 0) => "",
                _ => ",",
            });
            let quote = if is_text { "\"" } else { "" };
            row.push_str(&if is_json { format!("\"{name}\":{quote}{field}{quote}") } else { field });
        }
        row.push_str(if is_json { "}\n" } else { "\n" });
    }
}

/// The digits of a full grid. This is a type alias, because clap treats a plain `Vec` as an argument that is
/// given several times.
type FullGrid = Vec<u8>;

/// Parses a pattern, or `@FILE` with one: x for any clue, a digit for a clue with this digit, and . for a
/// blank.
pub(super) fn pattern(text: &str) -> Result<Pattern, String> {
    content(text)?.parse().map_err(|error| format!("{error}{}", advice(text)))
}

/// Parses a full grid, or `@FILE` with one.
fn full_grid(text: &str) -> Result<FullGrid, String> {
    let cell = |symbol| match symbol {
        '.' | '0' => Ok(0),
        other => digit_of_symbol(other)
            .ok_or_else(|| format!("'{other}' is not a digit: 1-9, and A-P for 10 to 25{}", advice(text))),
    };
    let content = content(text)?;
    let grid = without_verdict(&content);
    symbols(grid).map(cell).collect()
}

/// The advice for a text that is not a grid.
fn advice(text: &str) -> String {
    match text.strip_prefix('@') {
        Some(path) => format!("; {path} must hold one grid and nothing else, as lines or in rows"),
        None if Path::new(text).is_file() => format!("; to read the file, write @{text}"),
        None => "; to read a file, write @FILE".to_owned(),
    }
}

/// A text without the last line, if `solve` or `count` wrote it as the verdict below a grid (e.g. `unique,
/// ...`).
fn without_verdict(text: &str) -> &str {
    let (grid, last) = text.trim_end().rsplit_once('\n').unwrap_or((text, ""));
    let is_verdict =
        |status: Status| last.strip_prefix(status.name()).is_some_and(|rest| rest.starts_with(','));
    if Status::ALL.into_iter().any(is_verdict) { grid } else { text }
}

/// The text itself, or the content of the file whose name follows an @.
fn content(text: &str) -> Result<String, String> {
    match text.strip_prefix('@') {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{path}: can't be read: {error}"))
        }
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_patterns_are_read_and_errors_are_explained() {
        assert_eq!(full_grid("12\n3P\n").unwrap(), [1, 2, 3, 25]);
        assert_eq!(pattern("|x.|").unwrap().clues, [true, false]);
        assert!(pattern("x?").unwrap_err().contains("to read a file, write @FILE"));
        assert!(pattern("@/no/such/file").unwrap_err().contains("/no/such/file: can't be read"));
        assert!(full_grid("12?").is_err());
    }
}
