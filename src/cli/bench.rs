//! `gridmill bench`: engines side by side on files of puzzles.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::End;
use super::shared::up_to;
use crate::error::{Error, ErrorKind};
use crate::grid::Puzzle;
use crate::measure::{Contest, Entrant, Isomorphism, Standing};
use crate::output::tell;
use crate::pipeline::THREAD_LIMIT;
use crate::simd::Backend;
use crate::solver::{Lockstep, SolutionLimit, Solver, SolverKind};
use crate::text::{Batch, FormatChoice, detect};

const EXAMPLES: &str = "\
Examples:
  gridmill bench datasets/classics.txt
      every engine but the slow ones, on random isomorphs of the puzzles
  gridmill bench a.txt b.txt --engine lockstep-avx2,bitmask --rounds 9 --export md
      two engines on two files, as a table for a README
  gridmill bench big.txt --engine lockstep --threads 8 --time 30
      one engine on eight threads, for half a minute

Answers are checked before anything is timed: solutions must hold, and all engines must find as many.
Then the engines take turns, round by round; a figure is the median of its rounds, and the spread goes from
the quickest round to the slowest.";

/// Measure engines on files of puzzles, side by side
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Bench {
    /// Files of puzzles, in any format that solve reads
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The engines: lockstep (with the best backend), lockstep-avx512, lockstep-avx2, lockstep-portable,
    /// or any other engine of solve
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "lockstep,bitmask")]
    engine: Vec<String>,

    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = up_to(1_000_000))]
    rounds: u64,

    /// Begin no further round of a file after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,

    /// Threads
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = up_to(THREAD_LIMIT))]
    threads: u64,

    /// Measure the puzzles as they are, and not random isomorphs in their place
    #[arg(long)]
    no_permute: bool,

    /// Seed of the isomorphs
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Stop at the first solution, and prove nothing about others
    #[arg(long)]
    first: bool,

    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    export: Export,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Export {
    /// For a terminal
    #[default]
    Table,
    /// Comma-separated values
    Csv,
    /// An array of objects
    Json,
    /// A Markdown table
    Md,
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct Line {
    file: String,
    puzzles: usize,
    engine: String,
    puzzles_per_second: f64,
    spread: f64,
    microseconds_per_puzzle: f64,
    share_without_guess: f64,
    guesses_per_puzzle: f64,
    rounds: usize,
}

const COLUMNS: [&str; 8] =
    ["file", "puzzles", "engine", "puzzles/s", "spread", "µs a puzzle", "no guess", "guesses a puzzle"];

impl Bench {
    pub(super) fn run(self) -> Result<End, Error> {
        let entrants = self.engine.iter().map(|name| entrant(name)).collect::<Result<Vec<_>, _>>()?;
        let mut lines = Vec::new();
        for file in &self.files {
            let puzzles = self.read(file)?;
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
            lines.extend(self.measure(&name, &puzzles, &entrants)?);
        }
        self.write(&lines)
    }

    /// The puzzles of a file, disguised unless they are to stay as they are.
    fn read(&self, file: &PathBuf) -> Result<Vec<Puzzle>, Error> {
        let text = std::fs::read(file).map_err(|error| ErrorKind::Open { path: file.clone(), error })?;
        let found = detect(&text, FormatChoice::Auto, None)?;
        let mut batch = Batch::default();
        found.format.read(&text[found.body..], &mut batch);
        let malformed = batch.records.len() - batch.puzzles.len();
        if malformed > 0 || batch.puzzles.is_empty() {
            return Err(ErrorKind::NotAllPuzzles { path: file.clone(), malformed }.into());
        }
        if self.no_permute {
            return Ok(batch.puzzles);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        Ok(batch.puzzles.iter().map(|puzzle| Isomorphism::random(&mut rng).apply(puzzle)).collect())
    }

    fn measure(&self, file: &str, puzzles: &[Puzzle], entrants: &[Entrant<'_>]) -> Result<Vec<Line>, Error> {
        let limit = if self.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS };
        let contest = Contest::new(puzzles, self.threads as usize, limit);
        self.progress(format_args!("{file}: checking the answers"));
        let mut standings = contest.check(entrants).map_err(ErrorKind::Disagreement)?;
        let begun = Instant::now();
        for round in 1..=self.rounds {
            self.progress(format_args!("{file}: round {round} of {}", self.rounds));
            for (standing, entrant) in standings.iter_mut().zip(entrants) {
                standing.seconds.push(contest.time(entrant));
            }
            if self.time.is_some_and(|most| begun.elapsed().as_secs_f64() >= most) {
                break;
            }
        }
        self.progress(format_args!(""));
        Ok(standings.iter().zip(entrants).map(|(standing, entrant)| line(file, entrant, standing)).collect())
    }

    /// What is being done, on one line of a terminal.
    fn progress(&self, what: std::fmt::Arguments<'_>) {
        if std::io::stderr().is_terminal() {
            tell(format_args!("\r\x1b[K{what}"));
        }
    }

    fn write(&self, lines: &[Line]) -> Result<End, Error> {
        let text = match self.export {
            Export::Table => format!("{}\n{}", self.header(), table(lines, "  ", "")),
            Export::Md => table(lines, " | ", "| "),
            Export::Csv => csv(lines),
            Export::Json => serde_json::to_string_pretty(lines).expect("numbers and names") + "\n",
        };
        std::io::stdout().write_all(text.as_bytes()).map_err(|error| ErrorKind::Write { error })?;
        Ok(End::Good)
    }

    fn header(&self) -> String {
        let puzzles =
            if self.no_permute { "as they are".to_owned() } else { format!("isomorphs, seed {}", self.seed) };
        format!(
            "gridmill {}, {}\n{}, best backend {}, {} thread{}, puzzles {puzzles}\n",
            env!("CARGO_PKG_VERSION"),
            env!("GRIDMILL_COMPILER"),
            processor(),
            Backend::best(),
            self.threads,
            if self.threads == 1 { "" } else { "s" },
        )
    }
}

fn entrant(name: &str) -> Result<Entrant<'static>, Error> {
    let unknown = || Error::from(ErrorKind::NoEngine { name: name.to_owned() });
    let build: Box<dyn Fn() -> Box<dyn Solver> + Sync> = if let Some(backend) = name.strip_prefix("lockstep-")
    {
        let backend = Backend::ALL.into_iter().find(|known| known.name() == backend).ok_or_else(unknown)?;
        if !backend.is_available() {
            return Err(ErrorKind::NoBackend { backend: backend.name() }.into());
        }
        Box::new(move || Box::new(Lockstep::with_backend(backend).unwrap_or_default()))
    } else {
        let kind = SolverKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)?;
        Box::new(move || kind.build())
    };
    Ok(Entrant { name: name.to_owned(), build })
}

fn line(file: &str, entrant: &Entrant<'_>, standing: &Standing) -> Line {
    let puzzles = standing.puzzles as f64;
    Line {
        file: file.to_owned(),
        puzzles: standing.puzzles,
        engine: entrant.name.clone(),
        puzzles_per_second: standing.rate(),
        spread: standing.spread(),
        microseconds_per_puzzle: 1e6 / standing.rate(),
        share_without_guess: standing.unguessed as f64 / puzzles,
        guesses_per_puzzle: standing.guesses as f64 / puzzles,
        rounds: standing.seconds.len(),
    }
}

/// A table with aligned columns: the first and the third to the left, numbers to the right.
fn table(lines: &[Line], separator: &str, edge: &str) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(lines.iter().map(cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS.len()] = std::array::from_fn(width);
    let is_name = |column: usize| column == 0 || column == 2;
    let put = |row: &[String; COLUMNS.len()]| {
        let cells: Vec<String> = (0..COLUMNS.len())
            .map(|i| match is_name(i) {
                true => format!("{:<width$}", row[i], width = widths[i]),
                false => format!("{:>width$}", row[i], width = widths[i]),
            })
            .collect();
        format!("{edge}{}{}\n", cells.join(separator).trim_end(), if edge.is_empty() { "" } else { " |" })
    };
    let mut text = put(&rows[0]);
    if !edge.is_empty() {
        let rules = std::array::from_fn(|i| match is_name(i) {
            true => "-".repeat(widths[i]),
            false => "-".repeat(widths[i].max(2) - 1) + ":",
        });
        text.push_str(&put(&rules));
    }
    rows[1..].iter().for_each(|row| text.push_str(&put(row)));
    text
}

fn cells(line: &Line) -> [String; COLUMNS.len()] {
    [
        line.file.clone(),
        line.puzzles.to_string(),
        line.engine.clone(),
        indicatif::HumanCount(line.puzzles_per_second.round() as u64).to_string(),
        format!("{:.1} %", 100.0 * line.spread),
        format!("{:.3}", line.microseconds_per_puzzle),
        format!("{:.2} %", 100.0 * line.share_without_guess),
        format!("{:.3}", line.guesses_per_puzzle),
    ]
}

fn csv(lines: &[Line]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Memory takes every byte, and all lines have the same fields.
    lines.iter().for_each(|line| writer.serialize(line).expect("memory can be written"));
    let bytes = writer.into_inner().expect("memory can be written");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.to_owned())
}
