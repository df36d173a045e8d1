//! `gridmill bench`: compares engines and other programs on files of puzzles.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use gridmill_core::simd::Backend;
use gridmill_core::solver::{EngineKind, SolutionLimit};
use gridmill_data::bench::{BenchError, Benchmark, Contender, Measurement, Program, PuzzleSet};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::pipeline::THREAD_LIMIT;
use gridmill_report::eprint_message;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::cli::End;
use crate::support::bench_report::{
    Measured, Report, ReportArgs, detail, hardest, report_improper, report_startup,
};
use crate::support::command_error::{message, refuse, report};
use crate::support::measurement_table::Circumstances;
use crate::support::options::{Choice, backend_parser, program, seconds, up_to};
use crate::support::outputs::stop_on_interrupt;
use crate::support::reading::{PuzzleFile, ReadingArgs};

const EXAMPLES: &str = "\
Examples:
  gridmill bench datasets/classics.txt
      every engine except the slow ones, on random isomorphs of the puzzles
  gridmill bench a.txt b.txt --engine lockstep,bitmask --backend avx2 --rounds 9 --to md
      two engines on two files, as a table for a README
  gridmill bench a.txt --engine lockstep --backend avx2,portable
      one engine on two vector units
  gridmill bench big.txt --engine lockstep --threads 8 --time 30
      one engine on eight threads, for half a minute
  gridmill bench hexadecimal.txt --alphabet 0-9A-F --engine bitmask,dancing-links
      16x16 puzzles in other digits
  gridmill bench a.txt b.txt --histogram --plot times.svg
      the distribution of the times of single puzzles, in the terminal and as a picture
  gridmill bench a.txt --engine lockstep,dancing-links --detail
      what engines run on and keep in memory, and the size of the exact-cover matrices
  gridmill bench a.txt --no-permute --hardest 10
      the ten records that cost each engine the most guesses, with their times
  gridmill bench a.txt b.txt --save before.json
  gridmill bench a.txt b.txt --compare before.json
      before and after a change: the second table has the rates of the first one, and the ratios
  gridmill bench a.txt --percentiles --to csv
      the seconds of each round, and percentiles of the times of single puzzles
  gridmill bench a.txt --program tdoku='./tdoku-lines {}' --program mine='./mine --threads 1'
      the usual engines, a program that reads a file, and one that reads standard input
  gridmill bench a.txt --program slow='./slow {}' --program-timeout 60
      kills a program, and leaves it out, if a run takes more than a minute
  gridmill bench a.txt --engine lockstep --program other='./other {} {out}'
      one engine, and a program that writes its solutions to a file

Answers are checked before anything is timed: solutions must be right, and all engines must find the
same number of them. A message says how many puzzles of a file have no solution, or several.
Then the engines take turns, round by round. A figure is the median of its rounds, and the spread is
the difference from the quickest to the slowest round, in percent of the median. A round processes
the file once, or repeatedly for 20 ms if it takes less.
An external program gets the same isomorphs, one a line in 81 characters, with . for blanks. If its
command has {}, that is replaced by the path of a file with them; otherwise they are written to
standard input. The command is split into words as a shell does, and run without a shell. Its output
is searched for answers: lines with 81 digits from 1 to 9 in a row, in the order of the puzzles,
whatever else they contain. If the command has {out}, that is replaced by the path of a file to
which the program writes its answers. Each puzzle with exactly one solution needs its answer, others
may be left out, and every answer must be right. This is checked in every round. If a program
answers wrongly, fails or takes too long, it is left out from then on, with a message, and the
others are measured.
A run of a program is timed as a whole, with reading and writing, which engines do not do. Its
start-up time is reported and not included in its figures; it is the median of seven runs on an
empty file. Small files are given several times in a row, so that a run lasts ten times as long as
the start. --threads is for engines only: set the number of threads of a program in its command.
gridmill can't see whether a program proves that there is no second solution; --first lets engines
stop at the first one too.

If you press Ctrl-C, you get the figures of the files that are finished.

Files: puzzles with clues in any format that solve reads, from 4x4 to 25x25; of several sizes in a
file with --mixed. Each file may have its own format.

Exit codes: 0 all files were measured, 2 they can't be, or an engine or a program gives a wrong
answer or fails, 130 interrupted.";

/// The smallest number of rounds if a time is given, because the median of fewer rounds is not reliable.
const LEAST_ROUNDS: u64 = 3;

/// Measure engines and other programs on files of puzzles, and compare them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Files of puzzles; - or none for standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// The engines, each once: lockstep, bitmask, dancing-links, singles, backtracking [default: lockstep,bitmask;
    /// bitmask,dancing-links above 16x16]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    engine: Vec<String>,

    /// The vector unit for the lockstep engine; separate several by commas, each once [default: auto]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', value_parser = backend_parser())]
    backend: Vec<Choice<Backend>>,

    /// A program to compare with the engines, on 9x9 puzzles: its name in the table, and its command, with {}
    /// for the file of puzzles, or without it for standard input; see below. May be given several times
    #[arg(long, value_name = "NAME='COMMAND {}'", value_parser = program)]
    program: Vec<Program>,

    /// Kill a program, and the processes it started, if a run takes longer than this number of seconds: it is
    /// left out from then on, as if it had failed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "300", requires = "program")]
    program_timeout: Duration,

    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = up_to(1_000_000))]
    rounds: u64,

    /// Measure each file for this number of seconds, all engines together, instead of a number of rounds; the
    /// round that has begun is finished, and there are at least three
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "rounds")]
    time: Option<Duration>,

    /// Threads of each engine
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = up_to(THREAD_LIMIT))]
    threads: u64,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Measure the puzzles as they are, instead of random isomorphs
    #[arg(long)]
    no_permute: bool,

    /// Seed of the isomorphs
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Stop at the first solution of each puzzle: faster, but does not prove that it is the only one
    #[arg(long)]
    first: bool,

    #[command(flatten)]
    report: ReportArgs,

    /// Print only the table, errors, and what --compare can't compare
    #[arg(short, long)]
    quiet: bool,
}

impl Bench {
    pub(crate) fn run(self) -> Result<End, Error> {
        let backends = self.backends()?;
        let named = self.named(&backends)?;
        let files = PuzzleFile::read_all(&self.files, &self.reading)?;
        let circumstances = self.circumstances();
        let outputs = self.report.open(&self.files)?;
        let programs = self.programs()?;
        let contenders = |set| [engines(&named, &backends, set), programs.clone()].concat();
        let files: Vec<_> = files.iter().map(|file| (file, contenders(&file.set))).collect();
        let mut measured = files.iter().flat_map(|(_, contenders)| contenders);
        if !backends.is_empty() && !measured.any(|contender| backends.contains(contender)) {
            return refuse(
                "--backend: only the lockstep engine has backends, up to 16x16; leave it out, or choose --engine lockstep",
            );
        }
        let baseline = self.report.baseline(&files, &circumstances)?;
        let stop = stop_on_interrupt();
        let mut report = Report { circumstances, baseline, measured: Vec::new() };
        let mut failed = Vec::new();
        for (file, contenders) in &files {
            report.measured.extend(self.measure(file, contenders, &mut failed, &stop)?);
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let stopped = stop.load(Ordering::Relaxed);
        if stopped {
            self.progress(format_args!(""));
        }
        self.report.print(&report, self.quiet)?;
        if report.measured.is_empty() && !failed.is_empty() && !stopped {
            return Ok(End::Incomplete);
        }
        match report.finish(outputs, (files.len(), stopped))? {
            End::Good if !failed.is_empty() => Ok(End::Incomplete),
            end => Ok(end),
        }
    }

    /// The engines that the user named, each once. If there are `backends`, `lockstep` means lockstep on each
    /// of them. (Names with a backend, e.g. `lockstep-avx2`, come from earlier versions; the table also uses
    /// them.)
    fn named(&self, backends: &[Contender]) -> Result<Vec<Contender>, Error> {
        let mut named = Vec::with_capacity(self.engine.len());
        for name in &self.engine {
            for engine in on_backends(Contender::by_name(name)?, backends) {
                if named.contains(&engine) {
                    return refuse(format!(
                        "--engine names {engine} more than once: each engine is measured once"
                    ));
                }
                named.push(engine);
            }
        }
        Ok(named)
    }

    /// The lockstep engine on each backend that the user named, each once.
    fn backends(&self) -> Result<Vec<Contender>, Error> {
        let mut engines = Vec::with_capacity(self.backend.len());
        for backend in &self.backend {
            let engine = match backend {
                None => Contender::from(EngineKind::Lockstep),
                Some(backend) => Contender::by_name(&format!("{}-{backend}", EngineKind::Lockstep))?,
            };
            if engines.contains(&engine) {
                let backend = backend.map_or("auto", Backend::name);
                return refuse(format!(
                    "--backend names {backend} more than once: each backend is measured once"
                ));
            }
            engines.push(engine);
        }
        Ok(engines)
    }

    /// The external programs. Each needs a unique name, because the name identifies its line in the table.
    fn programs(&self) -> Result<Vec<Contender>, Error> {
        for (index, program) in self.program.iter().enumerate() {
            let is_engine = !matches!(Contender::by_name(program.name()), Err(BenchError::NoEngine { .. }));
            if is_engine || self.program[..index].iter().any(|other| other.name() == program.name()) {
                let (name, taken) = (program.name(), if is_engine { "an engine" } else { "another program" });
                return refuse(format!(
                    "--program {name}: there is {taken} with that name: choose another name"
                ));
            }
        }
        let programs = self.program.iter().cloned();
        Ok(programs.map(|program| program.with_timeout(self.program_timeout).into()).collect())
    }

    /// Measures contenders on a file, without programs that have failed. If a program fails, this reports it,
    /// and starts again with the others. Returns `None` if the run is stopped before its last round, or if no contender
    /// is left.
    fn measure<'a>(
        &self,
        file: &'a PuzzleFile,
        contenders: &[Contender],
        failed: &mut Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Option<Measured<'a>>, Error> {
        loop {
            let left = contenders.iter().filter(|contender| !failed.contains(&contender.to_string()));
            let left: Vec<_> = left.cloned().collect();
            if left.is_empty() {
                return Ok(None);
            }
            let error = match self.measure_all(file, &left, stop) {
                Err(error) => error,
                measured => return measured,
            };
            let ErrorKind::Bench(BenchError::Program { program, .. }) = error.kind() else {
                return Err(error);
            };
            failed.push(program.clone());
            self.progress(format_args!(""));
            let (file, message) = (file.short_name(), message(&error));
            report(format_args!("{file}: {message}"));
        }
    }

    /// Measures all contenders on a file. Returns `None` if the run is stopped before its last round.
    fn measure_all<'a>(
        &self,
        file: &'a PuzzleFile,
        contenders: &[Contender],
        stop: &AtomicBool,
    ) -> Result<Option<Measured<'a>>, Error> {
        let name = file.short_name();
        let permuted =
            (!self.no_permute).then(|| file.set.permuted(&mut ChaCha8Rng::seed_from_u64(self.seed)));
        let set = permuted.as_ref().unwrap_or(&file.set);
        let limit = if self.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS };
        let benchmark = Benchmark::new(set, contenders, self.threads as usize, limit)?;
        let mut benchmark =
            benchmark.with_stop(stop).with_hardest(self.report.hardest.unwrap_or_default() as usize);
        self.progress(format_args!("{name}: checking the answers"));
        benchmark.check()?;
        if !self.quiet && !stop.load(Ordering::Relaxed) {
            self.progress(format_args!(""));
            benchmark.measurements().take(1).for_each(|checked| report_improper(&name, checked));
            report_startup(&name, benchmark.measurements());
        }
        let (begun, mut rounds) = (Instant::now(), 0);
        while self.goes_on(rounds, begun.elapsed()) && !stop.load(Ordering::Relaxed) {
            rounds += 1;
            let of = if self.time.is_some() { String::new() } else { format!(" of {}", self.rounds) };
            let mut announce = |contender: &Contender| {
                self.progress(format_args!("{name}: round {rounds}{of}, {contender}"));
            };
            benchmark.round(&mut announce)?;
            if self.report.wants_times() {
                benchmark.time_puzzles(&mut announce);
            }
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let measurements: Vec<Measurement> = benchmark.measurements().cloned().collect();
        let detail = self.report.detail.then(|| detail(set, &measurements));
        let hardest = self.report.hardest.map(|_| hardest(set, &measurements));
        self.progress(format_args!(""));
        Ok(Some(Measured { file: name, set: &file.set, measurements, detail, hardest }))
    }

    /// Whether another round follows after `rounds` rounds and `elapsed` time.
    fn goes_on(&self, rounds: u64, elapsed: Duration) -> bool {
        self.time.map_or(rounds < self.rounds, |time| rounds < LEAST_ROUNDS || elapsed < time)
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            processor: processor(),
            backend: Backend::best().name().to_owned(),
            lacking: Backend::lacking_for_faster().into_iter().map(str::to_owned).collect(),
            threads: self.threads,
            seed: (!self.no_permute).then_some(self.seed),
            first: self.first,
        }
    }

    /// Shows the current step on one line of a terminal.
    fn progress(&self, what: std::fmt::Arguments<'_>) {
        if !self.quiet && io::stderr().is_terminal() {
            eprint_message(format_args!("\r\x1b[K{what}"));
        }
    }
}

/// The engine on each of these backends, if it is lockstep and there are any. Otherwise just the engine.
fn on_backends(engine: Contender, backends: &[Contender]) -> Vec<Contender> {
    let is_lockstep = engine == Contender::from(EngineKind::Lockstep);
    if is_lockstep && !backends.is_empty() { backends.to_vec() } else { vec![engine] }
}

/// The engines that the user named, or else the first two usual ones that can solve these puzzles. `lockstep`
/// is replaced by lockstep on each of these backends.
fn engines(named: &[Contender], backends: &[Contender], set: &PuzzleSet) -> Vec<Contender> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let usual = [EngineKind::Lockstep, EngineKind::Bitmask, EngineKind::DancingLinks];
    let serves = |kind: &EngineKind| set.shapes().into_iter().all(|shape| kind.serves(shape));
    let usual = usual.into_iter().filter(serves).take(2).map(Contender::from);
    usual.flat_map(|engine| on_backends(engine, backends)).collect()
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    fn rounds(options: &str, seconds_per_round: f64) -> u64 {
        let command = Bench::augment_args(clap::Command::new("bench").no_binary_name(true));
        let bench = Bench::from_arg_matches(&command.get_matches_from(options.split(' '))).unwrap();
        let elapsed = |rounds: u64| Duration::from_secs_f64(rounds as f64 * seconds_per_round);
        (0..).find(|&rounds| !bench.goes_on(rounds, elapsed(rounds))).unwrap()
    }

    #[test]
    fn rounds_end_after_their_number_or_their_time() {
        assert_eq!(rounds("--rounds 1", 100.0), 1);
        assert_eq!(rounds("--rounds 7", 0.1), 7);
        assert_eq!(rounds("--time 1", 0.125), 8);
        assert_eq!(rounds("--time 1", 0.3), 4);
        assert_eq!(rounds("--time 1", 60.0), 3);
    }
}
