//! The command line.

use std::ffi::OsString;

use clap::Parser;
use gridmill::cli::Cli;

/// Parses words, with a line feed behind each: whatever they are, they are accepted, or refused with a message and the
/// exit code 2; help and versions have the code 0.
pub fn check(data: &[u8]) {
    let words = data.split(|&byte| byte == b'\n').map(word);
    let words = std::iter::once(OsString::from("gridmill")).chain(words);
    if let Err(error) = Cli::try_parse_from(words) {
        let code = if error.use_stderr() { 2 } else { 0 };
        assert_eq!(error.exit_code(), code);
        assert!(!error.render().to_string().trim().is_empty());
    }
}

#[cfg(unix)]
fn word(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn word(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
