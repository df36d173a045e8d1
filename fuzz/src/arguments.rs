//! The command line.

use std::cell::RefCell;
use std::ffi::OsString;

use clap::{Command, CommandFactory, Error, FromArgMatches};
use gridmill::cli::Cli;

/// Parses words, with a line feed behind each: whatever they are, they are accepted, or refused with a message and the
/// exit code 2; help and versions have the code 0.
pub fn check(data: &[u8]) {
    let words = data.split(|&byte| byte == b'\n').map(word);
    let words = std::iter::once(OsString::from("gridmill")).chain(words);
    if let Err(error) = parse(words) {
        let code = if error.use_stderr() { 2 } else { 0 };
        assert_eq!(error.exit_code(), code);
        assert!(!error.render().to_string().trim().is_empty());
    }
}

thread_local! {
    /// The definition of the program, which takes longer to make than words take to parse.
    static COMMAND: RefCell<Command> = RefCell::new(Cli::command());
}

fn parse(words: impl Iterator<Item = OsString>) -> Result<Cli, Error> {
    let matches = COMMAND.with_borrow_mut(|command| command.try_get_matches_from_mut(words))?;
    Cli::from_arg_matches(&matches)
}

#[cfg(unix)]
fn word(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn word(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
