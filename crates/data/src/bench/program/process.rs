//! One run of a program: started, timed, waited for, killed.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::{Program, ProgramError};

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
