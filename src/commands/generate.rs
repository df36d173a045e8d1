//! `gridmill generate`: makes puzzles.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::generate::{
    ALGORITHM, GenerateError, Goal, GridMethod, MadeStats, ParallelGenerator, Pattern, Recipe, Refused,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::logic::PuzzleRating;
use gridmill_core::simd::Backend;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;
use gridmill_report::eprint_message;

use crate::cli::End;
use crate::support::command_error::{CommandError, message, of_earlier_run};
use crate::support::engine::{ThreadsParser, cores};
use crate::support::grid_text::{FullGrid, full_grid, pattern};
use crate::support::interrupt::{report_interrupted, stop_on_interrupt};
use crate::support::outputs::{put, unbuffered};
use crate::support::progress::making_bar;
use crate::support::rating::RatingConditions;
use crate::support::rows::{JSON_NAMES, extension};
use crate::support::values::{Choice, Span, described, file_name, one_of, span};

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
        described("none", "Anywhere", None),
        described("rotate180", "The same after half a turn", Some(Symmetry::Rotate180)),
        described("rotate90", "The same after a quarter of a turn", Some(Symmetry::Rotate90)),
        described("mirror", "The same on the left and on the right", Some(Symmetry::Mirror)),
        described(
            "diagonal",
            "The same on both sides of the diagonal from the top left",
            Some(Symmetry::Diagonal),
        ),
    ])
}

fn method_parser() -> impl TypedValueParser<Value = GridMethod> {
    one_of([
        described(
            "bands",
            "A random band and stack, and the rest by search: 9x9 only, and fast",
            GridMethod::Bands,
        ),
        described("backtracking", "Random search over all cells", GridMethod::Backtracking),
        described(
            "transform",
            "A random box, cycled through the others: always the same pattern",
            GridMethod::Transform,
        ),
        described(
            "diagonal",
            "The boxes on the diagonal at random, and the rest by search",
            GridMethod::Diagonal,
        ),
    ])
}

fn backend_parser() -> impl TypedValueParser<Value = Backend> {
    one_of(Backend::ALL.map(|backend| (backend.name().into(), backend)))
}

impl Generate {
    pub(crate) fn run(self) -> Result<End, Error> {
        let recipe = self.recipe();
        let threads = self.threads.unwrap_or_else(cores);
        let generator = ParallelGenerator::new(recipe, self.seed, self.backend()?, threads)?;
        let writes_csv = self.writes_csv()?;
        let output = Destination::create(file_name(self.output.as_deref()))?;
        if self.minimal && !self.quiet && self.shape.side() > Recipe::LARGE {
            let side = self.shape.side();
            eprint_message(format_args!(
                "gridmill: --minimal in {side}x{side} needs proofs that may take very long; Ctrl-C ends the run, and without --minimal puzzles come soon\n"
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
        let goal = Goal { count: self.count, attempts, refused: self.refused() };
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
            self.eprint_message(&stats, threads, begun.elapsed().as_secs_f64());
        }
        Ok(End::Good)
    }

    /// Returns whether CSV is written: on request, or because of the output's name.
    fn writes_csv(&self) -> Result<bool, Error> {
        let path = self.output.as_deref().unwrap_or(Path::new(""));
        let extension = extension(path).unwrap_or_default();
        if JSON_NAMES.contains(&&*extension) {
            return Err(CommandError::NoJson { path: path.to_owned() }.into());
        }
        Ok(self.csv || extension == "csv")
    }

    /// Keeps the puzzles that were made before an interrupt, and says so.
    fn interrupted(&self, puzzles: u64, output: Destination) -> Result<End, Error> {
        if puzzles == 0 {
            let earlier = self.earlier_partial().map(|path| format!("; {}", of_earlier_run(&path)));
            let earlier = earlier.unwrap_or_default();
            eprint_message(format_args!("gridmill: interrupted before a puzzle was made{earlier}\n"));
            return Ok(End::Interrupted);
        }
        let plural = if puzzles == 1 { "" } else { "s" };
        report_interrupted(format_args!("{puzzles} puzzle{plural}"), output.keep_partial()?.as_deref());
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
            (Some(kept), _) => CommandError::GaveUp { message, kept }.into(),
            (None, Some(earlier)) if found == 0 => CommandError::FoundNothing { message, earlier }.into(),
            _ => error,
        })
    }

    /// Returns the incomplete output that an earlier run left, if there is one.
    fn earlier_partial(&self) -> Option<PathBuf> {
        let path = Destination::partial_name(file_name(self.output.as_deref())?);
        path.is_file().then_some(path)
    }

    fn refused(&self) -> Refused {
        match (self.no_isomorphs, self.distinct) {
            (true, _) => Refused::Isomorphic,
            (_, true) => Refused::Equal,
            _ => Refused::None,
        }
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
            solution: self.from.as_ref().map(|from| from.0.clone()),
            guesses: self.guesses.map(|guesses| guesses.up_to(u64::MAX)),
            singles: self.no_guess,
            rating: self.ratings.wish(),
        }
    }

    fn backend(&self) -> Result<Option<Backend>, Error> {
        match self.backend {
            Some(backend) if !backend.is_available() => Err(CommandError::NoBackend { backend }.into()),
            backend => Ok(backend),
        }
    }

    fn eprint_message(&self, stats: &MadeStats, threads: usize, seconds: f64) {
        let MadeStats { puzzles, attempts, .. } = *stats;
        let each = puzzles.max(1) as f64;
        let count = indicatif::HumanCount;
        let plural = if threads == 1 { "" } else { "s" };
        eprint_message(format_args!(
            " generator  {ALGORITHM}, seed {}, {threads} thread{plural}\n",
            self.seed
        ));
        eprint_message(format_args!("   puzzles  {} of {} attempts\n", count(puzzles), count(attempts)));
        if let Some((fewest, most)) = stats.clues {
            let mean = stats.all_clues as f64 / each;
            eprint_message(format_args!("     clues  {fewest} to {most}, {mean:.2} a puzzle\n"));
        }
        if let Some(budget) = self.recipe().guess_budget() {
            eprint_message(format_args!(
                "       dug  as far as singles prove, then within {} guesses a puzzle\n",
                count(budget)
            ));
        }
        if let Some((fewest, most)) = stats.guesses {
            let (mean, none) = (stats.all_guesses as f64 / each, 100.0 * stats.unguessed as f64 / each);
            eprint_message(format_args!(
                "   guesses  {fewest} to {most}, {mean:.3} a puzzle, {none:.2} % without\n"
            ));
        }
        if let Some((lowest, highest)) = stats.ratings {
            let scale = self.ratings.profile().version();
            eprint_message(format_args!("   ratings  {lowest} to {highest}, {scale}\n"));
        }
        let rate = count((puzzles as f64 / seconds.max(1e-9)) as u64);
        eprint_message(format_args!(" wall time  {seconds:.3} s, {rate} puzzles a second\n"));
    }
}
