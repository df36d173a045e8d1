//! Errors of programs of others.

use std::fmt;
use std::process::ExitStatus;

/// Why a program can't be measured. Puzzles count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program can't be started.
    #[error("the command can't be started: {command}: {reason}")]
    NotStarted {
        /// The command.
        command: String,
        /// The error of the system.
        reason: String,
    },
    /// The program ended with another exit code than 0, or by a signal.
    #[error("the command ended with {status}: {command}{}", last_words(message))]
    Failed {
        /// The command.
        command: String,
        /// The way it ended.
        status: ExitStatus,
        /// The last line that it wrote to standard error; empty if there is none.
        message: String,
    },
    /// An answer is wrong.
    #[error("puzzle {number} gets a wrong answer; expected was {}, and the line is '{line}'", Expected { puzzle, solutions: *solutions })]
    WrongAnswer {
        /// The puzzle, as it was given to the program.
        puzzle: String,
        /// Its number in the set.
        number: usize,
        /// The number of its solutions: 0, 1, or 2 for several.
        solutions: u8,
        /// The line of the output, cut where it is long.
        line: String,
    },
    /// The output ends before all puzzles with one solution have their answers.
    #[error(
        "puzzle {number} gets no answer; expected was a line with the 81 digits of the solution of {puzzle}, and the output ends after {answers} such line{}",
        if *answers == 1 { "" } else { "s" }
    )]
    NoAnswer {
        /// The first puzzle without an answer, as it was given to the program.
        puzzle: String,
        /// Its number in the set.
        number: usize,
        /// The number of answers.
        answers: usize,
    },
    /// There are answers behind that of the last puzzle.
    #[error("there are more answers than puzzles, the first one too many in the line '{line}'")]
    MoreAnswers {
        /// The line of the output, cut where it is long.
        line: String,
    },
    /// The program writes without end.
    #[error("the command writes too much, more than 4 kB a puzzle: {command}")]
    TooMuch {
        /// The command.
        command: String,
    },
    /// The puzzles take no longer than an empty file does.
    #[error(
        "{puzzles} puzzles take no longer than an empty file, so there is nothing to measure: give it more"
    )]
    TooQuick {
        /// The number of puzzles that the program was given.
        puzzles: usize,
    },
    /// The files for the puzzles or the answers can't be written or read.
    #[error("the temporary files of its puzzles and answers can't be used: {reason}")]
    Files {
        /// The error of the system.
        reason: String,
    },
}

impl ProgramError {
    /// Returns the error of a temporary file.
    #[expect(clippy::needless_pass_by_value, reason = "it is a function for map_err")]
    pub(super) fn files(error: std::io::Error) -> ProgramError {
        ProgramError::Files { reason: error.to_string() }
    }
}

/// The answer that a puzzle should get.
struct Expected<'a> {
    puzzle: &'a str,
    solutions: u8,
}

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected { puzzle, solutions } = self;
        match solutions {
            0 => write!(f, "none, as {puzzle} has no solution"),
            1 => write!(f, "the solution of {puzzle}"),
            _ => write!(f, "a solution of {puzzle}, which has several, or none"),
        }
    }
}

fn last_words(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!("; its last message is: {message}") }
}
