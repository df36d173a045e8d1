//! The runs of a program in a benchmark: files written, the process started, timed, waited for, killed.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io};

use gridmill_core::grid::{CELLS, Puzzle};
use tempfile::TempDir;

use super::answers::AnswerKey;
use super::{Program, of_files};
use crate::bench::{Measurement, median};

/// Runs on an empty file, of which the median counts.
const STARTS: usize = 7;

/// The least time of a round beside that of the start.
const SHORTEST: Duration = Duration::from_millis(20);

/// The least ratio of the rest of a round to the start: what the start-up time varies by counts little
/// then.
const STARTS_A_ROUND: u32 = 10;

/// The most bytes of puzzles in a round of several passes.
const LARGEST: usize = 64 << 20;

/// The most bytes that a program may write: for nothing, and for each puzzle.
const MOST: [u64; 2] = [1 << 20, 4096];

/// The names of the temporary files: one without puzzles, the puzzles, their solutions, and what the program says on
/// standard error.
const EMPTY: &str = "empty.txt";
const PUZZLES: &str = "puzzles.txt";
const ANSWERS: &str = "answers.txt";
const MESSAGES: &str = "messages.txt";

/// The bytes at the end of the messages that may hold the last line.
const TAIL: u64 = 4096;

/// A program whose answers to a set of puzzles are right, ready for rounds.
pub(crate) struct ProgramRuns<'a> {
    program: Arc<Program>,
    key: AnswerKey<'a>,
    /// The folder of the temporary files. It is removed when this is dropped.
    folder: TempDir,
    startup: Duration,
    /// The number of times that a round gives the puzzles, so that it lasts long enough.
    passes: usize,
}

impl<'a> ProgramRuns<'a> {
    /// Measures the start-up time, checks the answers, and finds out how long rounds are. `None` where `stop` became true.
    pub(crate) fn check(
        program: &Arc<Program>,
        puzzles: &'a [Puzzle],
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<Option<ProgramRuns<'a>>, String> {
        let key = AnswerKey::new(puzzles, stop);
        let folder = tempfile::Builder::new().prefix("gridmill-bench-").tempdir();
        let (folder, program) = (folder.map_err(of_files)?, Arc::clone(program));
        let mut runs = ProgramRuns { program, key, folder, startup: Duration::ZERO, passes: 1 };
        let Some(startup) = runs.start(stop)? else { return Ok(None) };
        runs.startup = startup;
        loop {
            runs.write_puzzles().map_err(of_files)?;
            let Some(time) = runs.run(stop)? else { return Ok(None) };
            let passes = runs.longer(time);
            if passes == runs.passes {
                break;
            }
            runs.passes = passes;
        }
        measurement.startup = Some(startup.as_secs_f64());
        measurement.without_solution = runs.key.count(0);
        measurement.with_several = measurement.with_several.map(|_| runs.key.count(2));
        Ok(Some(runs))
    }

    /// Runs a round; returns the seconds of a pass without the start. `None` where `stop` became true.
    pub(crate) fn round(&self, stop: &AtomicBool) -> Result<Option<f64>, String> {
        let Some(time) = self.run(stop)? else { return Ok(None) };
        match time.checked_sub(self.startup) {
            Some(rest) if !rest.is_zero() => Ok(Some(rest.as_secs_f64() / self.passes as f64)),
            _ => Err(format!(
                "{} puzzles take no longer than an empty file, so there is nothing to measure: give it more",
                self.puzzles()
            )),
        }
    }

    /// Returns the number of puzzles in a round.
    fn puzzles(&self) -> usize {
        self.key.puzzles.len() * self.passes
    }

    /// Returns the median time of runs on an empty file; `None` where `stop` became true. A first run is not counted. How
    /// they end does not matter: an empty file may be an error.
    fn start(&self, stop: &AtomicBool) -> Result<Option<Duration>, String> {
        File::create(self.path(EMPTY)).map_err(of_files)?;
        let mut times = Vec::with_capacity(STARTS);
        for start in 0..=STARTS {
            let Some((_, time)) = self.time(EMPTY, MOST[0], stop)? else { return Ok(None) };
            if start > 0 {
                times.push(time.as_secs_f64());
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        Ok(Some(Duration::from_secs_f64(median(&times))))
    }

    /// Gives the puzzles to the program, and checks its answers; returns the time of the run.
    fn run(&self, stop: &AtomicBool) -> Result<Option<Duration>, String> {
        let most = MOST[0] + MOST[1] * self.puzzles() as u64;
        let Some((status, time)) = self.time(PUZZLES, most, stop)? else { return Ok(None) };
        if !status.success() {
            let message = self.last_message();
            let message =
                if message.is_empty() { message } else { format!("; its last message is: {message}") };
            return Err(format!("the command ended with {status}: {}{message}", self.program));
        }
        self.key.check(self.open_answers().map_err(of_files)?, self.passes)?;
        Ok(Some(time))
    }

    /// Returns how many passes the next run makes, after one of `time`: as many as before where that was long enough.
    fn longer(&self, time: Duration) -> usize {
        let enough = SHORTEST.max(self.startup * STARTS_A_ROUND);
        let rest = time.saturating_sub(self.startup);
        if rest >= enough {
            return self.passes;
        }
        let most = (LARGEST / (self.key.puzzles.len() * (CELLS + 1)).max(1)).max(1);
        // A short run says little about a long one, so the length grows in steps.
        let factor = 1.2 * enough.as_secs_f64() / rest.as_secs_f64().max(1e-9);
        let passes = (self.passes as f64 * factor.clamp(1.5, 10.0)).ceil();
        (passes as usize).min(most).max(self.passes)
    }

    /// Runs the program on a file of puzzles, against the clock. `None` where `stop` became true: the program is killed
    /// then. That it wrote more than `most` bytes is an error.
    fn time(
        &self,
        input: &str,
        most: u64,
        stop: &AtomicBool,
    ) -> Result<Option<(ExitStatus, Duration)>, String> {
        let mut command = self.command(&self.path(input)).map_err(of_files)?;
        let begun = Instant::now();
        let mut child = command
            .spawn()
            .map_err(|error| format!("the command can't be started: {}: {error}", self.program))?;
        let mut is_flooding = false;
        let mut is_over = || {
            is_flooding = self.written() > most;
            is_flooding || stop.load(Ordering::Relaxed)
        };
        let (status, ended) = wait(&mut child, &mut is_over).map_err(of_files)?;
        match status {
            Some(status) if self.written() <= most => Ok(Some((status, ended - begun))),
            None if !is_flooding => Ok(None),
            _ => Err(format!("the command writes too much, more than 4 kB a puzzle: {}", self.program)),
        }
    }

    fn command(&self, input: &Path) -> io::Result<Command> {
        let (program, answers) = (&self.program, self.path(ANSWERS));
        if answers.exists() {
            fs::remove_file(&answers)?;
        }
        let mut command = Command::new(&program.command);
        command.args(program.arguments(input, &answers));
        let stdin = if program.reads_a_file() { Stdio::null() } else { File::open(input)?.into() };
        let stdout = if program.writes_a_file() { Stdio::null() } else { File::create(&answers)?.into() };
        command.stdin(stdin).stdout(stdout).stderr(File::create(self.path(MESSAGES))?);
        // A group of its own, so that what the program starts can be killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the puzzles of a round, one a line.
    fn write_puzzles(&self) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, File::create(self.path(PUZZLES))?);
        for puzzle in (0..self.passes).flat_map(|_| self.key.puzzles) {
            file.write_all(&puzzle.to_ascii())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Opens the solutions. A file that the program did not make is an empty one.
    fn open_answers(&self) -> io::Result<BufReader<File>> {
        let file = File::options().read(true).append(true).create(true).open(self.path(ANSWERS))?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    /// Returns the bytes of answers and messages so far.
    fn written(&self) -> u64 {
        let len = |name| fs::metadata(self.path(name)).map_or(0, |metadata| metadata.len());
        len(ANSWERS) + len(MESSAGES)
    }

    /// Returns the last line on standard error that is not blank; an empty text if there is none.
    fn last_message(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.path(MESSAGES))?;
            let start = file.metadata()?.len().saturating_sub(TAIL);
            file.seek(SeekFrom::Start(start))?;
            let mut tail = Vec::new();
            file.read_to_end(&mut tail)?;
            Ok(tail)
        };
        let tail = read().unwrap_or_default();
        let text = String::from_utf8_lossy(tail.trim_ascii());
        text.lines().next_back().unwrap_or_default().trim().to_owned()
    }
}

/// The interval at which a run looks whether it is to be stopped.
const GLANCE: Duration = Duration::from_millis(20);

/// Waits for the end of a process, and reads the clock then. A process that goes on when `is_over` is killed, and has no
/// status.
#[cfg(unix)]
fn wait(child: &mut Child, is_over: &mut dyn FnMut() -> bool) -> io::Result<(Option<ExitStatus>, Instant)> {
    use std::sync::mpsc::{RecvTimeoutError, channel};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    let id = Pid::from_child(child);
    std::thread::scope(|scope| {
        let (sender, ended) = channel();
        scope.spawn(move || sender.send((child.wait(), Instant::now())));
        loop {
            match ended.recv_timeout(GLANCE) {
                Ok((status, at)) => return Ok((Some(status?), at)),
                Err(RecvTimeoutError::Timeout) if !is_over() => {}
                Err(_) => {
                    // These fail where the process has just ended by itself, or left its group.
                    let _ = kill_process_group(id, Signal::KILL);
                    let _ = kill_process(id, Signal::KILL);
                    return Ok((None, Instant::now()));
                }
            }
        }
    })
}

#[cfg(not(unix))]
fn wait(child: &mut Child, is_over: &mut dyn FnMut() -> bool) -> io::Result<(Option<ExitStatus>, Instant)> {
    let mut glanced = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), Instant::now()));
        }
        if glanced.elapsed() > GLANCE {
            glanced = Instant::now();
            if is_over() {
                child.kill()?;
                child.wait()?;
                return Ok((None, Instant::now()));
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
