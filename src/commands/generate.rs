//! `gridmill generate`: makes puzzles.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::generate::{
    ALGORITHM, GenerateError, Goal, GridMethod, MadeStats, ParallelGenerator, Pattern, Recipe, Refused,
    digit_of_symbol, symbols,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::jobs::Status;
use gridmill_core::logic::PuzzleRating;
use gridmill_core::simd::Backend;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;

use crate::cli::End;
use crate::support::command_error::{available, message, refuse, report};
use crate::support::options::{
    Choice, RatingConditions, Span, ThreadsParser, cores, file_name, one_of, span,
};
use crate::support::outputs::{put, report_interrupted, stop_on_interrupt, unbuffered};
use crate::support::progress::making_bar;
use crate::support::rows::{has_extension, tells_json};
use crate::support::summary::report_lines;

const EXAMPLES: &str = "\
Examples:
  gridmill generate --count 1000 -o minimal.txt
      a thousand minimal puzzles, one a line, the same at every run
  gridmill generate --count 1000 --clues 28..32 --symmetry rotate180 --seed 7
      symmetric ones of 28 to 32 clues; another seed, other puzzles
  gridmill generate --count 100 --guesses 10.. -o hard.csv
      hard ones, with the columns puzzle,solution,clues,guesses
  gridmill generate --count 100 --no-guess --clues 30
      easy ones: naked and hidden singles solve them
  gridmill generate --count 100 --er 4.0..4.5 -o wings.csv
      puzzles rated 4.0 to 4.5 on the scale of Sudoku Explainer, with the columns er and scale
  gridmill generate --count 10 --technique x-wing --er ..3.8
      puzzles on whose way an X-wing finds something, and nothing harder than a swordfish
  gridmill generate --shape 4x4 --clues 110 --with-solution
      a 16x16 puzzle, and its solution behind a comma
  gridmill generate --pattern @heart.txt
      a puzzle with clues where the nine rows of the file have an x, and digits where they have digits
  gridmill generate --from @solution.txt --minimal -n 5
      five minimal puzzles with that solution
  gridmill generate --shape 5x5 -n 10 -o large.txt
      25x25 puzzles, of about 265 clues, several a second

A puzzle comes from a full grid, out of which clues are taken in random order while one solution is left: down to
a number from --clues (each as likely), or as far as it goes. With a symmetry or a pattern single clues may be
redundant in the end; --minimal takes only puzzles without such a clue. Every puzzle is solved once more before it
is written.

Sides up to 12 are dug until no clue can go. In larger grids a proof can take hours, so clues are taken out as far
as naked and hidden singles prove the one solution, and then on with a limited number of guesses, which the summary
tells. There a few clues may be redundant. --minimal lifts the limit: seconds a puzzle in 16x16, hours in 25x25.

--er and --technique take the attempts whose rating, as gridmill rate has it, is as wanted: 9x9 only. A small upper end
takes less time, and rare ratings take many attempts.

The same arguments give the same puzzles, for any number of threads and any backend, as long as the algorithm is
called gridmill-2.

Full grids come from a random search, in every shape, so any grid may come out; and each goes through a random
isomorphism: digits, rows, columns, bands and stacks are shuffled, and with square boxes it may be transposed. Only
--grid-method transform makes just one grid and its isomorphs.

A run that gives up or is interrupted keeps the puzzles that it found: with -o NAME they are in NAME.partial.

Exit codes: 0 all puzzles were made, 2 they can't be or were not found, 130 interrupted.";

/// Make puzzles with exactly one solution
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    /// How many puzzles
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// Write them to this file, which gets its name when it is complete, and is compressed if that ends
    /// in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Rows x columns of a box
    #[arg(long, value_name = "RxC", default_value_t = Shape::CLASSIC)]
    shape: Shape,

    /// How many clues: a number, or a range such as 24..28, 24.. or ..28 [default: as few as it comes to]
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// Only puzzles from which no clue can be taken without a second solution; slow for sides above 12
    #[arg(long)]
    minimal: bool,

    /// How the clues lie
    #[arg(long, value_parser = symmetry_parser(), default_value = "none")]
    symmetry: Choice<Symmetry>,

    /// Where the clues are: x for a clue, a digit for a clue with that digit, . for a blank, cell by cell;
    /// or @ and the name of a file with that. White space and frames are left out
    #[arg(long, value_name = "CELLS|@FILE", value_parser = pattern)]
    pattern: Option<Pattern>,

    /// Dig this full grid: its digits, or @ and the name of a file with them
    #[arg(long, value_name = "GRID|@FILE", value_parser = full_grid, conflicts_with = "grid_method")]
    from: Option<FullGrid>,

    /// How many guesses the engine needs to prove the solution: a number or a range (lockstep for 9x9,
    /// bitmask for other shapes)
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    guesses: Option<Span>,

    /// Only puzzles that naked and hidden singles solve
    #[arg(long)]
    no_guess: bool,

    #[command(flatten)]
    ratings: RatingConditions,

    /// How full grids are made [default: bands for 9x9, else backtracking]
    #[arg(long, value_parser = method_parser())]
    grid_method: Option<GridMethod>,

    /// Refuse puzzles that are equal to an earlier one
    #[arg(long)]
    distinct: bool,

    /// Refuse puzzles that are isomorphic to an earlier one (4x4, 6x6, 8x8 and 9x9)
    #[arg(long)]
    no_isomorphs: bool,

    /// Give up after so many attempts without a puzzle; what was found is kept, as FILE.partial
    /// [default: 100000, and 100 for sides above 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    attempts: Option<u64>,

    /// Write the solution behind each puzzle and a comma
    #[arg(long)]
    with_solution: bool,

    /// Write CSV with a header: puzzle,solution,clues,guesses, with --er or --technique also er,scale. A FILE named .csv
    /// gets that anyway
    #[arg(long, conflicts_with = "with_solution")]
    csv: bool,

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
        (
            "transform",
            "A random box, cycled through the others: always the same pattern",
            GridMethod::Transform,
        ),
        ("diagonal", "The boxes on the diagonal at random, and the rest by search", GridMethod::Diagonal),
    ])
}

fn backend_parser() -> impl TypedValueParser<Value = Backend> {
    one_of(Backend::ALL.map(|backend| (backend.name(), "", backend)))
}

impl Generate {
    pub(crate) fn run(self) -> Result<End, Error> {
        let recipe = self.recipe();
        let threads = self.threads.unwrap_or_else(cores);
        let backend = self.backend.map(available).transpose()?;
        let generator = ParallelGenerator::new(recipe, self.seed, backend, threads)?;
        let writes_csv = self.writes_csv()?;
        let output = Destination::create(file_name(self.output.as_deref()))?;
        if self.minimal && !self.quiet && self.shape.side() > Recipe::LARGE {
            let side = self.shape.side();
            report(format_args!(
                "--minimal in {side}x{side} needs proofs that may take very long; Ctrl-C ends the run, and without --minimal puzzles come soon"
            ));
        }
        let stop = stop_on_interrupt();
        let to_stdout = file_name(self.output.as_deref()).is_none();
        let bar = making_bar(self.count, generator.attempts_made(), self.quiet, to_stdout);
        let begun = Instant::now();

        let mut output = BufWriter::with_capacity(1 << 16, output);
        if writes_csv {
            let more = if self.ratings.wish().is_some() { ",er,scale" } else { "" };
            put(&mut output, format!("puzzle,solution,clues,guesses{more}\n").as_bytes())?;
        }
        let attempts = self.attempts.unwrap_or_else(|| self.recipe().usual_attempts());
        let refused = Refused::to_be(self.distinct, self.no_isomorphs);
        let goal = Goal { count: self.count, attempts, refused };
        let found: Result<MadeStats, Error> = generator.make(&goal, &stop, &mut |made| {
            bar.inc(1);
            match (writes_csv, self.with_solution) {
                (true, _) => {
                    let clues = made.puzzle.clue_count();
                    let rated = |rating: &PuzzleRating| {
                        format!(",{},{}", rating.er, self.ratings.profile().version())
                    };
                    let rated = made.rating.as_ref().map(rated).unwrap_or_default();
                    writeln!(output, "{},{},{clues},{}{rated}", made.puzzle, made.solution, made.guesses)
                }
                (_, true) => writeln!(output, "{},{}", made.puzzle, made.solution),
                _ => writeln!(output, "{}", made.puzzle),
            }
            .map_err(|error| ErrorKind::Write { error }.into())
        });
        bar.finish_and_clear();
        let output = unbuffered(output)?;
        let stats = match found {
            Ok(stats) => stats,
            Err(error) => return Err(self.gave_up(error, output)?),
        };
        if stats.puzzles < self.count && stop.load(Ordering::Relaxed) {
            return self.interrupted(stats.puzzles, output);
        }
        output.commit()?;
        if !self.quiet {
            self.report(&stats, threads, begun.elapsed().as_secs_f64());
        }
        Ok(End::Good)
    }

    /// Returns whether CSV is written: on request, or because of the output's name.
    fn writes_csv(&self) -> Result<bool, Error> {
        let output = self.output.as_deref();
        if let Some(path) = output.filter(|_| tells_json(output)) {
            let path = path.display();
            return refuse(format!(
                "{path}: generate writes lines or CSV; make JSON Lines of them: gridmill generate --csv | gridmill convert --to jsonl - -o FILE"
            ));
        }
        Ok(self.csv || has_extension(output, &["csv"]))
    }

    /// Keeps the puzzles that were made before an interrupt, and says so.
    fn interrupted(&self, puzzles: u64, output: Destination) -> Result<End, Error> {
        if puzzles == 0 {
            let earlier = self.earlier_partial().unwrap_or_default();
            report(format_args!("interrupted before a puzzle was made{earlier}"));
        } else {
            let plural = if puzzles == 1 { "" } else { "s" };
            report_interrupted(format_args!("{puzzles} puzzle{plural}"), output.keep_partial()?.as_deref());
        }
        Ok(End::Interrupted)
    }

    /// Keeps the puzzles that were found before a run gave up. Returns the error, which then says where they are.
    fn gave_up(&self, error: Error, output: Destination) -> Result<Error, Error> {
        let found = match error.kind() {
            ErrorKind::Generate(GenerateError::NotFound { found, .. }) => *found,
            ErrorKind::Generate(GenerateError::NotThatOne) => 0,
            _ => return Ok(error),
        };
        let message = message(&error);
        let kept = if found == 0 { None } else { output.keep_partial()? };
        Ok(match (kept, self.earlier_partial()) {
            (Some(kept), _) => Error::other(format!("{message}; what was found is in {}", kept.display())),
            (None, Some(earlier)) if found == 0 => Error::other(format!("{message}{earlier}")),
            _ => error,
        })
    }

    /// Says that there is an incomplete output, which an earlier run left; `None` if there is none.
    fn earlier_partial(&self) -> Option<String> {
        let path = Destination::partial_name(file_name(self.output.as_deref())?);
        path.is_file().then(|| format!("; {} is of an earlier run", path.display()))
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
            rating: self.ratings.wish(),
        }
    }

    fn report(&self, stats: &MadeStats, threads: usize, seconds: f64) {
        let MadeStats { puzzles, attempts, .. } = *stats;
        let (each, count) = (puzzles.max(1) as f64, indicatif::HumanCount);
        let plural = if threads == 1 { "" } else { "s" };
        let mut lines = vec![
            ("generator", format!("{ALGORITHM}, seed {}, {threads} thread{plural}", self.seed)),
            ("puzzles", format!("{} of {} attempts", count(puzzles), count(attempts))),
        ];
        if let Some((fewest, most)) = stats.clues {
            let mean = stats.all_clues as f64 / each;
            lines.push(("clues", format!("{fewest} to {most}, {mean:.2} a puzzle")));
        }
        if let Some(budget) = self.recipe().guess_budget() {
            let budget = count(budget);
            lines.push(("dug", format!("as far as singles prove, then within {budget} guesses a puzzle")));
        }
        if let Some((fewest, most)) = stats.guesses {
            let (mean, none) = (stats.all_guesses as f64 / each, 100.0 * stats.unguessed as f64 / each);
            let text = format!("{fewest} to {most}, {mean:.3} a puzzle, {none:.2} % without");
            lines.push(("guesses", text));
        }
        if let Some((lowest, highest)) = stats.ratings {
            let scale = self.ratings.profile().version();
            lines.push(("ratings", format!("{lowest} to {highest}, {scale}")));
        }
        let rate = count((puzzles as f64 / seconds.max(1e-9)) as u64);
        lines.push(("wall time", format!("{seconds:.3} s, {rate} puzzles a second")));
        report_lines(10, &lines);
    }
}

/// The digits of a full grid. Under a name of its own, because clap takes a `Vec` for an argument that is given several times.
type FullGrid = Vec<u8>;

/// Reads a pattern, or `@FILE` with one: x for any clue, a digit for a clue of that digit, . for a blank.
fn pattern(text: &str) -> Result<Pattern, String> {
    content(text)?.parse().map_err(|error| format!("{error}{}", advice(text)))
}

/// Reads a full grid, or `@FILE` with one.
fn full_grid(text: &str) -> Result<FullGrid, String> {
    let cell = |symbol| match symbol {
        '.' | '0' => Ok(0),
        other => digit_of_symbol(other)
            .ok_or_else(|| format!("'{other}' is no digit: 1-9, and A-P for 10 to 25{}", advice(text))),
    };
    let content = content(text)?;
    let grid = without_verdict(&content);
    symbols(grid).map(cell).collect()
}

/// Returns what to do about a text that is no grid.
fn advice(text: &str) -> String {
    match text.strip_prefix('@') {
        Some(path) => format!("; {path} must hold one grid and nothing else, as lines or in rows"),
        None if Path::new(text).is_file() => format!("; to read the file, write @{text}"),
        None => "; a file is named behind an @".to_owned(),
    }
}

/// Returns a text without the last line that `solve` and `count` write below a grid.
fn without_verdict(text: &str) -> &str {
    let (grid, last) = text.trim_end().rsplit_once('\n').unwrap_or((text, ""));
    let is_verdict =
        |status: Status| last.strip_prefix(status.name()).is_some_and(|rest| rest.starts_with(','));
    if Status::ALL.into_iter().any(is_verdict) { grid } else { text }
}

/// Returns the text itself, or that of the file behind an @.
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
    fn grids_are_read_in_place_or_from_a_file() {
        assert_eq!(full_grid("12\n3P\n").unwrap(), [1, 2, 3, 25]);
        assert_eq!(pattern("|x.|").unwrap().clues, [true, false]);
        assert!(pattern("x?").unwrap_err().contains("behind an @"));
        assert!(pattern("@/no/such/file").unwrap_err().contains("/no/such/file: can't be read"));
        assert!(full_grid("12?").is_err());
    }
}
