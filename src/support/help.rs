//! Help texts that fit the terminal.
//!
//! The sources break the texts behind the options by hand. clap breaks long lines once more, and leaves short ones: so
//! the lines of a paragraph are joined first.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::columns::{job_columns, with_meanings};
use crate::cli::Cli;

/// Spaces in front of the explanation of an example. Lines between that and none are commands and lists.
const EXPLANATION: usize = 6;

/// Returns the definition of the program, with texts that clap can break at any width, and the meanings of columns.
pub(crate) fn command() -> Command {
    let jobs = job_columns();
    Cli::command().mut_subcommands(|command| {
        let command = with_meanings(command, &jobs);
        let joined =
            command.get_after_help().map(|text| StyledStr::from(paragraphs(&text.ansi().to_string())));
        match joined {
            Some(text) => command.after_help(text),
            None => command,
        }
    })
}

/// Joins the lines of each paragraph.
fn paragraphs(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut before = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let is_prose = !line.is_empty() && (indent == 0 || indent == EXPLANATION);
        let goes_on = is_prose && before == Some(indent);
        match joined.is_empty() {
            true => {}
            false if goes_on => joined.push(' '),
            false => joined.push('\n'),
        }
        joined.push_str(if goes_on { line.trim_start() } else { line });
        before = is_prose.then_some(indent);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_paragraph_are_joined_and_commands_stay() {
        let text =
            "Examples:\n  gridmill a\n  gridmill b\n      does\n      things\n\nProse\ngoes on.\n\nEnd.";
        let joined = "Examples:\n  gridmill a\n  gridmill b\n      does things\n\nProse goes on.\n\nEnd.";
        assert_eq!(paragraphs(text), joined);
    }
}
