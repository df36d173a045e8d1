//! Programs of others in a benchmark: processes that read puzzles and write solutions.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gridmill_core::grid::{CELLS, Puzzle, Solution};
use gridmill_core::solver::{Lockstep, Outcome, Request, SolutionLimit, Solver};
use tempfile::TempDir;

use super::benchmark::{BATCH, SHORTEST};
use super::usage::ProgramUsage;
use super::{Measurement, median};

/// In an argument of a command, this is replaced by the path of the file with the puzzles.
const INPUT: &str = "{}";

/// In an argument of a command, this is replaced by the path of the file for the solutions.
const OUTPUT: &str = "{out}";

/// A solver that is a separate program, for classic puzzles. It reads puzzles, one per line, and writes
/// solutions.
///
/// Its arguments are passed as they are, without a shell. `{}` is replaced by the path of a file with the
/// puzzles; without it, the program gets the puzzles on standard input. `{out}` is replaced by the path of
/// a file that the program has to create for its solutions; without it, they are read from standard output.
///
/// # Answers
///
/// A line of the output is an answer if it contains 81 digits from 1 to 9 in a row; other lines are
/// ignored. If a line has several such grids, e.g. puzzle and solution, the first one that keeps the clues
/// counts. Answers have to be in the order of the puzzles. A puzzle with exactly one solution needs an
/// answer, others don't. Each answer must obey the rules.
///
/// # Time
///
/// A run lasts from the start of the process to its end. This includes reading and writing, which engines
/// don't have to do. The start-up time is subtracted; it is the median time of runs on an empty file. The
/// program uses as many threads as it likes.
///
/// ```
/// use gridmill_data::bench::{Contender, Program};
///
/// let program = Program::new("mine", "./solver", ["--threads", "1", "{}"]);
/// assert_eq!(program.to_string(), "./solver --threads 1 {}");
/// assert_eq!(Contender::from(program).to_string(), "mine");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    name: String,
    command: String,
    arguments: Vec<String>,
    /// How long each run may take.
    timeout: Duration,
}

impl Program {
    /// Makes a program from a name, a command and its arguments.
    #[must_use]
    pub fn new<A: Into<String>>(
        name: impl Into<String>,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Program {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let timeout = Duration::MAX;
        Program { name: name.into(), command: command.into(), arguments, timeout }
    }

    /// Sets a timeout. A run that takes longer is killed, and the program fails. By default there is no
    /// timeout.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Program {
        Program { timeout, ..self }
    }

    /// The name of the program in the benchmark.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the arguments contain a placeholder, [`INPUT`] or [`OUTPUT`].
    fn has_placeholder(&self, file: &str) -> bool {
        self.arguments.iter().any(|word| word.contains(file))
    }

    /// The arguments, with the placeholders replaced by the paths.
    fn arguments(&self, input: &Path, output: &Path) -> impl Iterator<Item = OsString> {
        self.arguments.iter().map(move |word| {
            let parts = word.split(OUTPUT).map(|part| joined(part.split(INPUT).map(OsString::from), input));
            joined(parts, output)
        })
    }
}

/// Joins parts, with a path between each two.
fn joined(mut parts: impl Iterator<Item = OsString>, path: &Path) -> OsString {
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        whole.push(path);
        whole.push(part);
    }
    whole
}

/// The command with its arguments, quoted where a shell needs it.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.command))?;
        self.arguments.iter().try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./{}=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// Describes an error of the temporary files with puzzles or answers.
#[expect(clippy::needless_pass_by_value, reason = "it is a function for map_err")]
fn file_error(error: std::io::Error) -> String {
    format!("the temporary files of its puzzles and answers can't be used: {error}")
}

/// How many runs on an empty file are measured. The median counts.
const STARTUP_RUNS: usize = 7;

/// How many times longer than the start-up a round has to be, at least. Then variations of the start-up
/// time hardly matter.
const MIN_STARTUPS_PER_ROUND: u32 = 10;

/// The maximal size in bytes of the puzzles in a round of several passes.
const MAX_ROUND_BYTES: usize = 64 << 20;

/// How many bytes a program may write: the first number, plus the second one for each puzzle.
const OUTPUT_LIMITS: [u64; 2] = [1 << 20, 4096];

/// Names of the temporary files: no puzzles, the puzzles, the answers, and the messages of the program on
/// standard error.
const EMPTY: &str = "empty.txt";
const PUZZLES: &str = "puzzles.txt";
const ANSWERS: &str = "answers.txt";
const MESSAGES: &str = "messages.txt";

/// How many bytes at the end of the messages are searched for the last line.
const TAIL: u64 = 4096;

/// A program whose answers have been checked, ready for rounds.
pub(crate) struct CheckedProgram<'a> {
    program: Arc<Program>,
    key: AnswerKey<'a>,
    /// The folder of the temporary files. It is removed on drop.
    folder: TempDir,
    startup: Duration,
    /// How many times a round repeats the puzzles, so that it lasts long enough.
    passes: usize,
}

impl<'a> CheckedProgram<'a> {
    /// Measures the start-up time, checks the answers, and finds out how long rounds are. `None` if `stop`
    /// became true.
    pub(crate) fn check(
        program: &Arc<Program>,
        puzzles: &'a [Puzzle],
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<Option<CheckedProgram<'a>>, String> {
        let key = AnswerKey::new(puzzles, stop);
        let folder = tempfile::Builder::new().prefix("gridmill-bench-").tempdir();
        let (folder, program) = (folder.map_err(file_error)?, Arc::clone(program));
        let mut runs = CheckedProgram { program, key, folder, startup: Duration::ZERO, passes: 1 };
        let Some(startup) = runs.measure_startup(stop)? else { return Ok(None) };
        runs.startup = startup;
        loop {
            runs.write_puzzles().map_err(file_error)?;
            let Some((time, _)) = runs.run(stop)? else { return Ok(None) };
            let passes = runs.next_passes(time);
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

    /// Runs a round. Returns the seconds of a pass, without the start-up, and the other costs. `None` if
    /// `stop` became true.
    pub(crate) fn round(&self, stop: &AtomicBool) -> Result<Option<(f64, ProgramUsage)>, String> {
        let Some((time, usage)) = self.run(stop)? else { return Ok(None) };
        match time.checked_sub(self.startup) {
            Some(rest) if !rest.is_zero() => {
                Ok(Some((rest.as_secs_f64() / self.passes as f64, usage.per_pass(self.passes))))
            }
            _ => {
                let take = if self.puzzles() == 1 { "puzzle takes" } else { "puzzles take" };
                Err(format!(
                    "{} {take} no longer than an empty file, so there is nothing to measure: give it more puzzles",
                    self.puzzles()
                ))
            }
        }
    }

    /// The number of puzzles in a round.
    fn puzzles(&self) -> usize {
        self.key.puzzles.len() * self.passes
    }

    /// Measures the median time of runs on an empty file; `None` if `stop` became true. The first run does
    /// not count, because it warms up the file cache. The exit code does not matter, because an empty file
    /// may be an error for the program.
    fn measure_startup(&self, stop: &AtomicBool) -> Result<Option<Duration>, String> {
        File::create(self.path(EMPTY)).map_err(file_error)?;
        let mut times = Vec::with_capacity(STARTUP_RUNS);
        for start in 0..=STARTUP_RUNS {
            let Some(run) = self.time(EMPTY, OUTPUT_LIMITS[0], stop)? else { return Ok(None) };
            if start > 0 {
                times.push(run.time.as_secs_f64());
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        Ok(Some(Duration::from_secs_f64(median(&times))))
    }

    /// Runs the program on the puzzles, and checks its answers. Returns the time of the run and the other
    /// costs.
    fn run(&self, stop: &AtomicBool) -> Result<Option<(Duration, ProgramUsage)>, String> {
        let most = OUTPUT_LIMITS[0] + OUTPUT_LIMITS[1] * self.puzzles() as u64;
        let Some(ProgramRun { status, time, usage }) = self.time(PUZZLES, most, stop)? else {
            return Ok(None);
        };
        if !status.success() {
            let message = self.last_message();
            let message =
                if message.is_empty() { message } else { format!("; its last message is: {message}") };
            return Err(format!("the command ended with {status}: {}{message}", self.program));
        }
        self.key.check(self.open_answers().map_err(file_error)?, self.passes)?;
        Ok(Some((time, usage)))
    }

    /// The number of passes for the next run, after one that took `time`. It stays the same if that was
    /// long enough.
    fn next_passes(&self, time: Duration) -> usize {
        let enough = SHORTEST.max(self.startup * MIN_STARTUPS_PER_ROUND);
        let rest = time.saturating_sub(self.startup);
        if rest >= enough {
            return self.passes;
        }
        let most = (MAX_ROUND_BYTES / (self.key.puzzles.len() * (CELLS + 1)).max(1)).max(1);
        // Passes grow in steps, because a short run says little about a long one.
        let factor = 1.2 * enough.as_secs_f64() / rest.as_secs_f64().max(1e-9);
        let passes = (self.passes as f64 * factor.clamp(1.5, 10.0)).ceil();
        (passes as usize).min(most).max(self.passes)
    }

    /// Runs the program on a file of puzzles, against the clock. `None` if `stop` became true; the program
    /// is killed then. It is an error if the program writes more than `most` bytes.
    fn time(&self, input: &str, most: u64, stop: &AtomicBool) -> Result<Option<ProgramRun>, String> {
        let mut command = self.command(&self.path(input)).map_err(file_error)?;
        let begun = Instant::now();
        let mut child = command
            .spawn()
            .map_err(|error| format!("the command can't be started: {}: {error}", self.program))?;
        let (mut is_flooding, mut is_late) = (false, false);
        let mut is_over = || {
            is_flooding = self.written() > most;
            is_late = begun.elapsed() > self.program.timeout;
            is_flooding || is_late || stop.load(Ordering::Relaxed)
        };
        let (status, ended, usage) = wait(&mut child, &mut is_over).map_err(file_error)?;
        match status {
            Some(status) if self.written() <= most => {
                Ok(Some(ProgramRun { status, time: ended - begun, usage }))
            }
            None if stop.load(Ordering::Relaxed) => Ok(None),
            None if is_late => Err(format!(
                "the command was killed after {} s: {}",
                self.program.timeout.as_secs_f64(),
                self.program
            )),
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
        let stdin = if program.has_placeholder(INPUT) { Stdio::null() } else { File::open(input)?.into() };
        let stdout =
            if program.has_placeholder(OUTPUT) { Stdio::null() } else { File::create(&answers)?.into() };
        command.stdin(stdin).stdout(stdout).stderr(File::create(self.path(MESSAGES))?);
        // The process gets its own group, so that its child processes are killed too.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the puzzles of a round, one per line.
    fn write_puzzles(&self) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, File::create(self.path(PUZZLES))?);
        for puzzle in (0..self.passes).flat_map(|_| self.key.puzzles) {
            file.write_all(&puzzle.to_ascii())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Opens the answers. If the program has not made the file, it counts as empty.
    fn open_answers(&self) -> io::Result<BufReader<File>> {
        let file = File::options().read(true).append(true).create(true).open(self.path(ANSWERS))?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    /// The bytes of answers and messages so far.
    fn written(&self) -> u64 {
        let len = |name| fs::metadata(self.path(name)).map_or(0, |metadata| metadata.len());
        len(ANSWERS) + len(MESSAGES)
    }

    /// The last line on standard error that is not blank; empty if there is none.
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

/// A run of a program that ended by itself.
struct ProgramRun {
    status: ExitStatus,
    time: Duration,
    usage: ProgramUsage,
}

/// How often a run checks whether it has to stop. The first check comes earlier, because a short run may
/// have ended by then, and its memory can be read only while it runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
#[cfg(unix)]
const FIRST_CHECK: Duration = Duration::from_millis(1);

/// Waits for the end of a process, and reads the clock then. If `is_over` becomes true first, the process
/// is killed and has no exit status.
#[cfg(unix)]
fn wait(
    child: &mut Child,
    is_over: &mut dyn FnMut() -> bool,
) -> io::Result<(Option<ExitStatus>, Instant, ProgramUsage)> {
    use std::sync::mpsc::{RecvTimeoutError, channel};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    let (id, process) = (Pid::from_child(child), child.id());
    let mut usage = ProgramUsage::default();
    std::thread::scope(|scope| {
        let (sender, ended) = channel();
        scope.spawn(move || {
            let mut usage = ProgramUsage::default();
            let at = wait_for_end(id);
            usage.read_times(process);
            let status = child.wait();
            sender.send((status, at.unwrap_or_else(Instant::now), usage))
        });
        let mut interval = FIRST_CHECK;
        loop {
            match ended.recv_timeout(interval) {
                Ok((status, at, times)) => {
                    usage.processor_seconds = times.processor_seconds;
                    return Ok((Some(status?), at, usage));
                }
                Err(RecvTimeoutError::Timeout) if !is_over() => {
                    usage.read_memory(process);
                    interval = (2 * interval).min(CHECK_INTERVAL);
                }
                Err(_) => {
                    // These fail if the process has just ended, or has left its group.
                    let _ = kill_process_group(id, Signal::KILL);
                    let _ = kill_process(id, Signal::KILL);
                    return Ok((None, Instant::now(), usage));
                }
            }
        }
    })
}

/// Waits for the end of a process, but leaves its exit code and its times unread, because the system
/// forgets the times with the exit code. Returns when it ended; `None` if the system can't wait like this.
#[cfg(target_os = "linux")]
fn wait_for_end(id: rustix::process::Pid) -> Option<Instant> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    rustix::io::retry_on_intr(|| waitid(WaitId::Pid(id), options)).ok()?;
    Some(Instant::now())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn wait_for_end(_: rustix::process::Pid) -> Option<Instant> {
    None
}

#[cfg(not(unix))]
fn wait(
    child: &mut Child,
    is_over: &mut dyn FnMut() -> bool,
) -> io::Result<(Option<ExitStatus>, Instant, ProgramUsage)> {
    let mut checked = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), Instant::now(), ProgramUsage::default()));
        }
        if checked.elapsed() > CHECK_INTERVAL {
            checked = Instant::now();
            if is_over() {
                child.kill()?;
                child.wait()?;
                return Ok((None, Instant::now(), ProgramUsage::default()));
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// How many characters of a line a message shows.
const MAX_SHOWN: usize = 200;

/// Puzzles with their numbers of solutions.
struct AnswerKey<'a> {
    puzzles: &'a [Puzzle],
    /// 0, 1, or 2 for two or more.
    solutions: Vec<u8>,
}

impl<'a> AnswerKey<'a> {
    /// Counts the solutions of puzzles. If `stop` becomes true, the key means nothing.
    fn new(puzzles: &'a [Puzzle], stop: &AtomicBool) -> AnswerKey<'a> {
        let (mut engine, mut outcomes) = (Lockstep::new(), vec![Outcome::NONE; BATCH]);
        let mut solutions = Vec::with_capacity(puzzles.len());
        let request = Request { stop, ..Request::solve(SolutionLimit::UNIQUENESS) };
        for batch in puzzles.chunks(BATCH) {
            let outcomes = &mut outcomes[..batch.len()];
            engine.solve_until(batch, &request, outcomes);
            solutions.extend(outcomes.iter().map(|outcome| outcome.solutions.min(2) as u8));
        }
        AnswerKey { puzzles, solutions }
    }

    /// Counts the puzzles with this number of solutions; 2 stands for several.
    fn count(&self, solutions: u8) -> usize {
        self.solutions.iter().filter(|&&count| count == solutions).count()
    }

    /// Checks the output of a program that got the puzzles `passes` times in a row. Puzzles without exactly
    /// one solution may lack an answer: then the next answer does not keep their clues, so it belongs to a
    /// later puzzle.
    fn check(&self, mut output: impl BufRead, passes: usize) -> Result<(), String> {
        // The puzzles that may still get an answer, over all passes.
        let mut left = (0..self.puzzles.len() * passes).map(|next| next % self.puzzles.len());
        let (mut answers, mut line) = (0, Vec::new());
        while output.read_until(b'\n', &mut line).map_err(file_error)? > 0 {
            if grids(&line).next().is_some() {
                answers += 1;
                self.find_puzzle(&mut left, &line)?;
            }
            line.clear();
        }
        match left.find(|&index| self.solutions[index] == 1) {
            None => Ok(()),
            Some(index) => {
                let (puzzle, number) = (&self.puzzles[index], index + 1);
                let s = if answers == 1 { "" } else { "s" };
                Err(format!(
                    "puzzle {number} gets no answer; expected a line with the 81 digits of the solution of {puzzle}, and the output ends after {answers} such line{s}"
                ))
            }
        }
    }

    /// Finds the puzzle that a line of the output answers.
    fn find_puzzle(&self, left: &mut impl Iterator<Item = usize>, line: &[u8]) -> Result<(), String> {
        for index in left {
            let (puzzle, solutions) = (&self.puzzles[index], self.solutions[index]);
            match grids(line).find(|grid| keeps_clues(grid, puzzle)) {
                Some(grid) if grid.solves(puzzle) => return Ok(()),
                None if solutions != 1 => {}
                _ => {
                    let expected = match solutions {
                        0 => format!("none, as {puzzle} has no solution"),
                        1 => format!("the solution of {puzzle}"),
                        _ => format!("a solution of {puzzle}, which has several, or none"),
                    };
                    let (number, line) = (index + 1, shown(line));
                    return Err(format!(
                        "puzzle {number} gets a wrong answer; expected {expected}, but the line is '{line}'"
                    ));
                }
            }
        }
        let line = shown(line);
        Err(format!("there are more answers than puzzles; the first extra one is in the line '{line}'"))
    }
}

/// Iterates over the full grids in a line: words of exactly 81 digits above 0. A longer word does not
/// count.
fn grids(line: &[u8]) -> impl Iterator<Item = Solution> {
    let words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    words.filter_map(|word| {
        let mut cells: [u8; CELLS] = word.try_into().ok()?;
        cells.iter_mut().for_each(|cell| *cell = cell.wrapping_sub(b'0'));
        Solution::from_cells(cells)
    })
}

fn keeps_clues(grid: &Solution, puzzle: &Puzzle) -> bool {
    grid.cells().iter().zip(puzzle.cells()).all(|(digit, clue)| *clue == 0 || digit == clue)
}

/// Shortens a line for a message.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii());
    let mut shown: String =
        text.chars().take(MAX_SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn paths_replace_braces() {
        let program = Program::new("a", "{}", ["-i{}", "{}:{out}", "{out}", "{", "{other}"]);
        let words: Vec<_> = program.arguments(Path::new("/in"), Path::new("/{}")).collect();
        assert_eq!(words, ["-i/in", "/in:/{}", "/{}", "{", "{other}"]);
        assert!(program.has_placeholder(INPUT) && program.has_placeholder(OUTPUT));
        let piped = Program::new("a", "{}", ["x"]);
        assert!(!piped.has_placeholder(INPUT) && !piped.has_placeholder(OUTPUT));
    }

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let program = Program::new("a", "sh", ["-c", "it's here", "", "{}"]);
        assert_eq!(program.to_string(), r"sh -c 'it'\''s here' '' {}");
    }

    const PROPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    const OTHER: &str = "53467891267219534819834256785976142342685379171392485696153728428741963534528617.";
    const OTHER_SOLVED: &str = SOLVED;

    /// A puzzle with two free pairs that can be filled in two ways.
    fn several() -> String {
        let mut cells: Vec<char> =
            "123456789456789123789123456214365897365897214897214365531642978642978531978531642"
                .chars()
                .collect();
        for (cell, digit) in cells.clone().into_iter().enumerate() {
            if digit == '1' || digit == '2' {
                cells[cell] = '.';
            }
        }
        cells.into_iter().collect()
    }

    /// A puzzle with two equal clues in a row.
    fn none() -> String {
        format!("55{}", ".".repeat(79))
    }

    fn check(puzzles: &[&str], passes: usize, output: &str) -> Result<(), String> {
        let puzzles: Vec<Puzzle> = puzzles.iter().map(|puzzle| puzzle.parse().unwrap()).collect();
        let key = AnswerKey::new(&puzzles, &AtomicBool::new(false));
        key.check(output.as_bytes(), passes)
    }

    #[test]
    fn solutions_are_found_in_lines_of_many_forms() {
        for line in [
            SOLVED.to_owned(),
            format!("  {SOLVED}\r"),
            format!("{PROPER},{SOLVED}"),
            format!("{PROPER}:{SOLVED}:1"),
            format!("1: {PROPER} {SOLVED} 12.5 us"),
            format!("\"{PROPER}\";\"{SOLVED}\""),
            format!("{{\"solution\": \"{SOLVED}\"}}"),
        ] {
            assert_eq!(check(&[PROPER], 1, &format!("puzzle,solution\n\n{line}\n2 ms\n")), Ok(()), "{line}");
            assert_eq!(check(&[PROPER], 1, &line), Ok(()), "{line}");
        }
        for line in [format!("{SOLVED}1"), format!("x{SOLVED}"), SOLVED.replace('1', "0"), PROPER.to_owned()]
        {
            let error = check(&[PROPER], 1, &line).unwrap_err();
            assert!(
                error.starts_with("puzzle 1 gets no answer") && error.ends_with("after 0 such lines"),
                "{error}"
            );
        }
    }

    #[test]
    fn answers_are_in_the_order_of_the_puzzles() {
        let wrong = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        let both = format!("{SOLVED}\n{OTHER_SOLVED}\n");
        assert_eq!(check(&[PROPER, OTHER], 1, &both), Ok(()));
        assert_eq!(check(&[PROPER, OTHER], 2, &both.repeat(2)), Ok(()));
        for (passes, output, message) in [
            (
                1,
                format!("{SOLVED}\n{wrong}\n"),
                format!(
                    "puzzle 2 gets a wrong answer; expected the solution of {OTHER}, but the line is '{wrong}'"
                ),
            ),
            (2, both.clone(), "puzzle 1 gets no answer".to_owned()),
            (2, format!("{both}{SOLVED}"), "puzzle 2 gets no answer".to_owned()),
            (1, both.repeat(2), "there are more answers than puzzles".to_owned()),
        ] {
            let error = check(&[PROPER, OTHER], passes, &output).unwrap_err();
            assert!(error.starts_with(&message), "{error}");
        }
    }

    #[test]
    fn puzzles_without_exactly_one_solution_may_be_left_out() {
        let (none, several) = (none(), several());
        let puzzles = [&*none, PROPER, &several, &several, PROPER, &none];
        let solved = solution(&several);
        for answers in [
            vec![SOLVED, SOLVED],
            vec!["no solution", SOLVED, "several", &solved, SOLVED, "none"],
            vec![SOLVED, &solved, &solved, SOLVED],
        ] {
            assert_eq!(check(&puzzles, 1, &answers.join("\n")), Ok(()), "{answers:?}");
        }
        // Two digits are swapped in one row only.
        let mut broken = solved.clone().into_bytes();
        let (one, two) = (solved.find('1').unwrap(), solved.find('2').unwrap());
        broken.swap(one, two);
        let broken = String::from_utf8(broken).unwrap();
        let error = check(&puzzles, 1, &format!("{SOLVED}\n{broken}\n")).unwrap_err();
        assert!(error.starts_with("puzzle 3 gets a wrong answer; expected a solution of"), "{error}");
        let claimed = format!("55{}\n", &SOLVED[2..]);
        let error = check(&puzzles, 1, &claimed).unwrap_err();
        assert!(error.starts_with("puzzle 1 gets a wrong answer; expected none, as 55."), "{error}");
    }

    fn solution(puzzle: &str) -> String {
        let mut outcome = [Outcome::NONE];
        Lockstep::new().solve_batch(&[puzzle.parse().unwrap()], SolutionLimit::UNIQUENESS, &mut outcome);
        assert_eq!(outcome[0].solutions, 2);
        outcome[0].solution.unwrap().to_string()
    }
}
