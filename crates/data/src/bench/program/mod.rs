//! Programs of others in a benchmark: processes that read puzzles and write solutions.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

mod answers;
mod runs;

pub(super) use runs::ProgramRuns;

/// Stands in a word of a command for the path of the file with the puzzles.
const INPUT: &str = "{}";

/// Stands in a word of a command for the path of the file that the solutions go to.
const OUTPUT: &str = "{out}";

/// A solver that is a program of its own, for classic puzzles: it reads puzzles, one a line, and writes solutions.
///
/// The words of its command are passed as they are, without a shell. `{}` stands for the path of a file with the puzzles;
/// without it they come on standard input. `{out}` stands for the path of a file that the program makes for its
/// solutions; without it they are read from standard output.
///
/// # Answers
///
/// A line of the output that holds 81 digits from 1 to 9 in a row is an answer; other lines are passed over. Of several
/// such grids in a line, the first one that keeps the clues counts. Answers stand in the order of the puzzles. A puzzle
/// with one solution needs its answer, others may be left out. Each answer must obey the rules.
///
/// # Time
///
/// A run lasts from the start of the process to its end, with reading and writing, which the engines do not do. The
/// start-up time, the median of runs on an empty file, is taken off. Threads are the program's own.
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
}

impl Program {
    /// Returns a program under a name, with its command and the arguments of that.
    #[must_use]
    pub fn new<A: Into<String>>(
        name: impl Into<String>,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Program {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Program { name: name.into(), command: command.into(), arguments }
    }

    /// Returns the name that it has in the benchmark.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the puzzles come in a file that the command names.
    fn reads_a_file(&self) -> bool {
        self.arguments.iter().any(|word| word.contains(INPUT))
    }

    /// Returns whether the solutions go to a file that the command names.
    fn writes_a_file(&self) -> bool {
        self.arguments.iter().any(|word| word.contains(OUTPUT))
    }

    /// Returns the arguments with the paths of the files in their places.
    fn arguments(&self, input: &Path, output: &Path) -> impl Iterator<Item = OsString> {
        self.arguments.iter().map(move |word| {
            let parts = word.split(OUTPUT).map(|part| joined(part.split(INPUT).map(OsString::from), input));
            joined(parts, output)
        })
    }
}

/// Returns parts with a path between each two.
fn joined(mut parts: impl Iterator<Item = OsString>, path: &Path) -> OsString {
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        whole.push(path);
        whole.push(part);
    }
    whole
}

/// The command with its arguments, in quotes where a shell needs them.
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

/// Returns why a temporary file of puzzles or answers can't be written or read.
#[expect(clippy::needless_pass_by_value, reason = "it is a function for map_err")]
fn of_files(error: std::io::Error) -> String {
    format!("the temporary files of its puzzles and answers can't be used: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stand_in_the_places_of_braces() {
        let program = Program::new("a", "{}", ["-i{}", "{}:{out}", "{out}", "{", "{other}"]);
        let words: Vec<_> = program.arguments(Path::new("/in"), Path::new("/{}")).collect();
        assert_eq!(words, ["-i/in", "/in:/{}", "/{}", "{", "{other}"]);
        assert!(program.reads_a_file() && program.writes_a_file());
        let piped = Program::new("a", "{}", ["x"]);
        assert!(!piped.reads_a_file() && !piped.writes_a_file());
    }

    #[test]
    fn commands_are_shown_as_a_shell_takes_them() {
        let program = Program::new("a", "sh", ["-c", "it's here", "", "{}"]);
        assert_eq!(program.to_string(), r"sh -c 'it'\''s here' '' {}");
    }
}
