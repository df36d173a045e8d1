//! The options that a command was called with.

use clap::{ArgMatches, Command};

/// The name of a command, and its options with their values, those included that have a value by default.
pub(crate) type Given = Vec<(String, Vec<String>)>;

/// Arguments that rows do not depend on, and the names of files, which are compared in other ways.
const WITHOUT_EFFECT: [&str; 12] = [
    "files",
    "output",
    "threads",
    "quiet",
    "no_progress",
    "no_mmap",
    "chunk_bytes",
    "max_messages",
    "summary",
    "backend",
    "resume",
    "skip_existing",
];

/// Returns the options of the command that is called in `matches`.
pub(crate) fn given_options(program: &Command, matches: &ArgMatches) -> Given {
    let Some((name, matches)) = matches.subcommand() else { return Given::default() };
    let Some(command) = program.find_subcommand(name) else { return Given::default() };
    let mut options = vec![("the command".to_owned(), vec![name.to_owned()])];
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        if WITHOUT_EFFECT.contains(&id) {
            continue;
        }
        // Help and version have no values.
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        let name = argument.get_long().map_or_else(|| id.to_owned(), |long| format!("--{long}"));
        options.push((name, values.map(|value| value.to_string_lossy().into_owned()).collect()));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::program as command;

    fn given(line: &str) -> Given {
        given_options(&command(), &command().get_matches_from(line.split_whitespace()))
    }

    #[test]
    fn options_that_change_no_row_are_left_out() {
        let plain = given("gridmill solve a.txt -o b.csv");
        assert_eq!(
            given("gridmill solve a.txt -o b.csv --threads 3 --quiet --resume --chunk-bytes 9"),
            plain
        );
        assert_ne!(given("gridmill solve a.txt -o b.csv --first"), plain);
        assert_ne!(given("gridmill count a.txt -o b.csv"), plain);
    }

    #[test]
    fn a_default_that_is_named_is_the_same() {
        assert_eq!(given("gridmill count a.txt --limit 0"), given("gridmill count a.txt"));
    }

    #[test]
    fn every_name_without_effect_is_that_of_an_argument() {
        let program = command();
        let commands = program.get_subcommands().flat_map(Command::get_arguments);
        let ids: Vec<_> = commands.map(|argument| argument.get_id().to_string()).collect();
        for name in WITHOUT_EFFECT {
            assert!(ids.iter().any(|id| id == name), "{name}");
        }
    }
}
