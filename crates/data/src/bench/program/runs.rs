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
use super::{Program, ProgramError};
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

/// A program with a set of puzzles.
pub(crate) struct ProgramRuns<'a> {
    program: Arc<Program>,
    puzzles: &'a [Puzzle],
    ready: Option<Ready<'a>>,
}

/// The preparation of rounds.
struct Ready<'a> {
    key: AnswerKey<'a>,
    folder: Folder,
    startup: Duration,
    /// The number of times that a round gives the puzzles, so that it lasts long enough.
    passes: usize,
}

impl<'a> ProgramRuns<'a> {
    pub(crate) fn new(program: Arc<Program>, puzzles: &'a [Puzzle]) -> ProgramRuns<'a> {
        ProgramRuns { program, puzzles, ready: None }
    }

    /// Measures the start-up time, checks the answers, and finds out how long rounds are, unless `stop` becomes true.
    pub(crate) fn check(
        &mut self,
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<(), ProgramError> {
        let key = AnswerKey::new(self.puzzles, stop);
        let folder = Folder::new().map_err(ProgramError::files)?;
        let Some(startup) = startup(&self.program, &folder, stop)? else { return Ok(()) };
        let mut ready = Ready { key, folder, startup, passes: 1 };
        loop {
            ready.folder.write(self.puzzles, ready.passes).map_err(ProgramError::files)?;
            let Some(time) = ready.run(&self.program, self.puzzles.len(), stop)? else { return Ok(()) };
            let passes = ready.longer(time, self.puzzles.len());
            if passes == ready.passes {
                break;
            }
            ready.passes = passes;
        }
        measurement.startup = Some(startup.as_secs_f64());
        measurement.without_solution = ready.key.count(0);
        measurement.with_several = measurement.with_several.map(|_| ready.key.count(2));
        self.ready = Some(ready);
        Ok(())
    }

    /// Runs a round; returns the seconds of a pass without the start. `None` where `stop` became true.
    pub(crate) fn round(
        &mut self,
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<Option<f64>, ProgramError> {
        if self.ready.is_none() {
            self.check(measurement, stop)?;
        }
        let Some(ready) = &self.ready else { return Ok(None) };
        let Some(time) = ready.run(&self.program, self.puzzles.len(), stop)? else { return Ok(None) };
        let puzzles = self.puzzles.len() * ready.passes;
        match time.checked_sub(ready.startup) {
            Some(rest) if !rest.is_zero() => Ok(Some(rest.as_secs_f64() / ready.passes as f64)),
            _ => Err(ProgramError::TooQuick { puzzles }),
        }
    }
}

impl Ready<'_> {
    /// Gives the puzzles to the program, and checks its answers; returns the time of the run.
    fn run(
        &self,
        program: &Program,
        puzzles: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Duration>, ProgramError> {
        let most = MOST[0] + MOST[1] * (puzzles * self.passes) as u64;
        let ended = run(program, &self.folder, &self.folder.puzzles(), most, stop)?;
        let Some(Ended { status, time }) = ended else { return Ok(None) };
        if !status.success() {
            let (command, message) = (program.to_string(), self.folder.last_message());
            return Err(ProgramError::Failed { command, status, message });
        }
        self.key.check(self.folder.open_answers().map_err(ProgramError::files)?, self.passes)?;
        Ok(Some(time))
    }

    /// Returns how many passes the next run makes, after one of `time`: as many as before where that was long enough.
    fn longer(&self, time: Duration, puzzles: usize) -> usize {
        let enough = SHORTEST.max(self.startup * STARTS_A_ROUND);
        let rest = time.saturating_sub(self.startup);
        if rest >= enough {
            return self.passes;
        }
        let most = (LARGEST / (puzzles * (CELLS + 1)).max(1)).max(1);
        // A short run says little about a long one, so the length grows in steps.
        let factor = 1.2 * enough.as_secs_f64() / rest.as_secs_f64().max(1e-9);
        let passes = (self.passes as f64 * factor.clamp(1.5, 10.0)).ceil();
        (passes as usize).min(most).max(self.passes)
    }
}

/// Returns the median time of runs on an empty file; `None` where `stop` became true. A first run is not counted. How
/// they end does not matter: an empty file may be an error.
fn startup(program: &Program, folder: &Folder, stop: &AtomicBool) -> Result<Option<Duration>, ProgramError> {
    let mut times = Vec::with_capacity(STARTS);
    for start in 0..=STARTS {
        let Some(ended) = run(program, folder, &folder.empty(), MOST[0], stop)? else { return Ok(None) };
        if start > 0 {
            times.push(ended.time.as_secs_f64());
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(Some(Duration::from_secs_f64(median(&times))))
}

/// The interval at which a run looks whether it is to be stopped.
const GLANCE: Duration = Duration::from_millis(20);

/// A run that came to its end.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) time: Duration,
}

/// Runs a program on a file of puzzles, against the clock. `None` where `stop` became true: the program is killed then.
/// That it wrote more than `most` bytes is an error.
pub(super) fn run(
    program: &Program,
    folder: &Folder,
    input: &Path,
    most: u64,
    stop: &AtomicBool,
) -> Result<Option<Ended>, ProgramError> {
    let mut command = command(program, folder, input).map_err(ProgramError::files)?;
    let text = || program.to_string();
    let begun = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| ProgramError::NotStarted { command: text(), reason: error.to_string() })?;
    let mut is_flooding = false;
    let mut is_over = || {
        is_flooding = folder.written() > most;
        is_flooding || stop.load(Ordering::Relaxed)
    };
    let (status, ended) = wait(&mut child, &mut is_over).map_err(ProgramError::files)?;
    match status {
        Some(status) if folder.written() <= most => Ok(Some(Ended { status, time: ended - begun })),
        None if !is_flooding => Ok(None),
        _ => Err(ProgramError::TooMuch { command: text() }),
    }
}

fn command(program: &Program, folder: &Folder, input: &Path) -> io::Result<Command> {
    let answers = folder.answers();
    if answers.exists() {
        fs::remove_file(&answers)?;
    }
    let mut command = Command::new(&program.command);
    command.args(program.arguments(input, &answers));
    let stdin = if program.reads_a_file() { Stdio::null() } else { File::open(input)?.into() };
    let stdout = if program.writes_a_file() { Stdio::null() } else { File::create(&answers)?.into() };
    command.stdin(stdin).stdout(stdout).stderr(File::create(folder.messages())?);
    // A group of its own, so that what the program starts can be killed with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

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

/// The bytes at the end of the messages that may hold the last line.
const TAIL: u64 = 4096;

/// A temporary folder with the files of a program. It is removed when this is dropped.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> io::Result<Folder> {
        let folder = Folder(tempfile::Builder::new().prefix("gridmill-bench-").tempdir()?);
        File::create(folder.empty())?;
        Ok(folder)
    }

    /// Returns the path of a file without puzzles.
    pub(super) fn empty(&self) -> PathBuf {
        self.0.path().join("empty.txt")
    }

    /// Returns the path of the file with the puzzles.
    pub(super) fn puzzles(&self) -> PathBuf {
        self.0.path().join("puzzles.txt")
    }

    /// Returns the path of the file for the solutions.
    pub(super) fn answers(&self) -> PathBuf {
        self.0.path().join("answers.txt")
    }

    /// Returns the path of the file for what the program says on standard error.
    pub(super) fn messages(&self) -> PathBuf {
        self.0.path().join("messages.txt")
    }

    /// Writes puzzles, one a line, so many times in a row.
    pub(super) fn write(&self, puzzles: &[Puzzle], passes: usize) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, File::create(self.puzzles())?);
        for puzzle in (0..passes).flat_map(|_| puzzles) {
            file.write_all(&puzzle.to_ascii())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Opens the solutions. A file that the program did not make is an empty one.
    pub(super) fn open_answers(&self) -> io::Result<BufReader<File>> {
        let file = File::options().read(true).append(true).create(true).open(self.answers())?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    /// Returns the bytes of answers and messages so far.
    pub(super) fn written(&self) -> u64 {
        let len = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        len(self.answers()) + len(self.messages())
    }

    /// Returns the last line on standard error that is not blank; an empty text if there is none.
    pub(super) fn last_message(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.messages())?;
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
