//! The command line: the list of commands, the options that a journal compares between two runs, and the exit codes;
//! also shell completions and manual pages. The commands are in `commands/`, similar ones in one file.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use gridmill_core::simd::Backend;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::StandardOutput;

use crate::commands;
use crate::support::command_error::{message, report};
use crate::support::job_run::run_job;
use crate::support::outputs::put;
use crate::support::rows::{job_columns, with_meanings};

/// A high-throughput batch engine for Sudoku
///
/// Reads files of puzzles of any length, uses all cores, and writes solutions, timings and
/// verdicts.
#[derive(Debug, Parser)]
#[command(name = "gridmill", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 all is right, 1 the data is not all right, 2 the job could not be done."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    #[clap(skip)]
    task_options: TaskOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(commands::solve::Solve),
    Count(commands::solve::Count),
    Enumerate(commands::solve::Enumerate),
    Candidates(commands::solve::Candidates),
    Rate(commands::explain::Rate),
    Explain(Box<commands::explain::Explain>),
    Hint(commands::explain::Hint),
    Backdoors(commands::hunt::Backdoors),
    Unavoidable(commands::hunt::Unavoidable),
    Generate(Box<commands::generate::Generate>),
    Minimize(commands::minimal::Minimize),
    Minimal(commands::minimal::Minimal),
    Neighbors(Box<commands::neighbors::Neighbors>),
    Shuffle(commands::canon::Shuffle),
    Convert(commands::convert::Convert),
    Matrix(commands::convert::Matrix),
    Canon(commands::canon::Canon),
    Verify(commands::verify::Verify),
    Check(commands::verify::Check),
    Dedupe(commands::collections::Dedupe),
    Overlap(commands::collections::Overlap),
    Select(commands::select::Select),
    Split(commands::collections::Split),
    Sort(commands::select::Sort),
    Stats(commands::collections::Stats),
    Book(Box<commands::book::Book>),
    #[cfg(feature = "serve")]
    Serve(commands::serve::Serve),
    Bench(commands::bench::Bench),
    Completions(Completions),
    Man(Man),
}

/// How a command ended. It decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The job is done, and the data is all right.
    Good,
    /// The job is done, but some of the data is not right, e.g. a record is malformed.
    Imperfect,
    /// The job is done for some of the files only, because the others could not be read.
    Incomplete,
    /// The user stopped it.
    Interrupted,
}

impl End {
    /// The end of a command that was not interrupted.
    pub(crate) fn from_findings(lacks_files: bool, is_bad: bool) -> End {
        match (lacks_files, is_bad) {
            (true, _) => End::Incomplete,
            (false, true) => End::Imperfect,
            (false, false) => End::Good,
        }
    }
}

impl Cli {
    /// Parses the arguments of this process. If they are wrong or ask for help, this prints a message and
    /// ends the process.
    pub(crate) fn from_args() -> Cli {
        let mut program = program();
        let matches = program.try_get_matches_from_mut(renamed(std::env::args_os()));
        let matches = matches.unwrap_or_else(|error| error.exit());
        let parsed = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Cli { task_options: task_options(&program, &matches), ..parsed }
    }

    /// Parses the words of a command, without the name of the program, for a command that runs others.
    ///
    /// # Errors
    ///
    /// If there is no such command, or its arguments are wrong.
    pub(crate) fn from_words(words: Vec<OsString>) -> Result<Cli, Error> {
        let mut program = program();
        let words = std::iter::once("gridmill".into()).chain(words);
        let matches = program.try_get_matches_from_mut(words).map_err(Error::other)?;
        let parsed = Cli::from_arg_matches(&matches).map_err(Error::other)?;
        Ok(Cli { task_options: task_options(&program, &matches), ..parsed })
    }

    /// Runs the command.
    ///
    /// # Errors
    ///
    /// If the job could not be done.
    pub(crate) fn run(self) -> Result<End, Error> {
        Backend::allowed().map_err(Error::other)?;
        match self.command {
            Command::Solve(solve) => run_job(&solve, &self.task_options),
            Command::Count(count) => count.run(&self.task_options),
            Command::Enumerate(enumerate) => run_job(&enumerate, &self.task_options),
            Command::Candidates(candidates) => run_job(&candidates, &self.task_options),
            Command::Rate(rate) => run_job(&rate, &self.task_options),
            Command::Explain(explain) => explain.run(&self.task_options),
            Command::Hint(hint) => hint.run(&self.task_options),
            Command::Backdoors(backdoors) => run_job(&backdoors, &self.task_options),
            Command::Unavoidable(unavoidable) => unavoidable.run(&self.task_options),
            Command::Generate(generate) => generate.run(&self.task_options),
            Command::Minimize(minimize) => minimize.run(&self.task_options),
            Command::Minimal(minimal) => run_job(&minimal, &self.task_options),
            Command::Neighbors(neighbors) => neighbors.run(&self.task_options),
            Command::Shuffle(shuffle) => run_job(&shuffle, &self.task_options),
            Command::Convert(convert) => convert.run(&self.task_options),
            Command::Matrix(matrix) => matrix.run(),
            Command::Canon(canon) => run_job(&canon, &self.task_options),
            Command::Verify(verify) => verify.run(&self.task_options),
            Command::Check(check) => check.run(&self.task_options),
            Command::Dedupe(dedupe) => dedupe.run(),
            Command::Overlap(overlap) => overlap.run(),
            Command::Select(select) => select.run(&self.task_options),
            Command::Split(split) => split.run(),
            Command::Sort(sort) => sort.run(),
            Command::Stats(stats) => stats.run(),
            Command::Book(book) => book.run(),
            #[cfg(feature = "serve")]
            Command::Serve(serve) => serve.run(),
            Command::Bench(bench) => bench.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    }
}

/// Old names of options: the commands, the old name, and the new one. They still work until 0.2, so that old scripts run, but no help shows them.
const OLD_NAMES: [(&str, &str, &str); 10] = [
    ("solve count rate canon minimal minimize", "--rows", "--to"),
    ("matrix", "--form", "--to"),
    ("explain hint", "--json", "--to=jsonl"),
    ("stats", "--json", "--to=json"),
    ("generate", "--csv", "--to=csv"),
    ("candidates", "--grid", "--to=grid"),
    ("canon", "--grid", "--of-solution"),
    ("hint", "--no-grid", "--grid=never"),
    ("shuffle", "--times", "--copies"),
    ("bench", "--export", "--to"),
];

/// Replaces old names of options by their new ones, up to a lone `--`.
fn renamed(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let command = words.get(1).cloned().unwrap_or_default();
    let is_of_command = |commands: &str| commands.split(' ').any(|name| command == name);
    for word in words.iter_mut().skip(2).take_while(|word| *word != "--") {
        let Some(text) = word.to_str() else { continue };
        let (name, value) = text.split_at(text.find('=').unwrap_or(text.len()));
        let now = OLD_NAMES.iter().find(|(commands, old, _)| *old == name && is_of_command(commands));
        if let Some((_, _, now)) = now {
            *word = format!("{now}{value}").into();
        }
    }
    words
}

/// The exit code for an end. If the reader of the rows closes the pipe (e.g. `gridmill … | head`), the code
/// covers the records until then.
pub(crate) fn exit_code(end: Result<End, Error>) -> ExitCode {
    match end {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Imperfect) => ExitCode::from(1),
        Ok(End::Incomplete) => ExitCode::from(2),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(error) if matches!(error.kind(), ErrorKind::ClosedAfterFailure) => ExitCode::from(1),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            report(message(&error));
            ExitCode::from(2)
        }
    }
}

/// The indent of the explanation of an example. Other indented lines are commands and lists.
const EXPLANATION: usize = 6;

/// The definition of the program. Help texts are made only for the command that is used, because those of all
/// commands take 6 % of the time to start.
pub(crate) fn program() -> clap::Command {
    Cli::command().mut_subcommands(|command| command.defer(with_texts))
}

/// Adds the meanings of columns, and fits the texts to the width of the terminal. The texts after the options
/// are broken into lines by hand in the sources, and clap only breaks lines that are too long. So this joins
/// the lines of each paragraph first.
fn with_texts(command: clap::Command) -> clap::Command {
    let command = with_meanings(command, &job_columns());
    let joined = command.get_after_help().map(|text| StyledStr::from(paragraphs(&text.ansi().to_string())));
    match joined {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Joins the lines of each paragraph, so that clap can break it at another width.
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

/// A command, and all its options that affect the rows, with their values, also the defaults.
pub(crate) type TaskOptions = Vec<(String, Vec<String>)>;

/// Arguments that are not compared with those of an earlier run: those without effect on rows, which a resumed run
/// may change, e.g. the number of threads, and the names of files, which `ResumeArgs` compares itself.
const NOT_COMPARED: [&str; 12] = [
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

/// The command in `matches` with its options, without those that are not compared.
pub(crate) fn task_options(program: &clap::Command, matches: &ArgMatches) -> TaskOptions {
    let Some((name, matches)) = matches.subcommand() else { return TaskOptions::default() };
    let Some(command) = program.find_subcommand(name) else { return TaskOptions::default() };
    let mut options = vec![("the command".to_owned(), vec![name.to_owned()])];
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        if NOT_COMPARED.contains(&id) {
            continue;
        }
        // Help and version have no values, so they are skipped.
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        let name = argument.get_long().map_or_else(|| id.to_owned(), |long| format!("--{long}"));
        options.push((name, values.map(|value| value.to_string_lossy().into_owned()).collect()));
    }
    options
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  gridmill completions bash > ~/.local/share/bash-completion/completions/gridmill"
)]
pub(crate) struct Completions {
    /// Shell that the script is for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program(), "gridmill", &mut script);
        print(&script)
    }
}

/// Print the manual page of gridmill or of one command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  gridmill man | man -l -\n  gridmill man solve > gridmill-solve.1")]
pub(crate) struct Man {
    /// Command whose page you want; without it, the page of gridmill
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut root = program();
        root.build();
        let page = match &self.command {
            None => root,
            Some(name) => {
                let unknown = || Error::other(format!("there is no command '{name}' (gridmill --help)"));
                let command = root.find_subcommand(name).ok_or_else(unknown)?;
                let full_name = format!("gridmill-{name}");
                command.clone().name(full_name)
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text).map_err(|error| ErrorKind::Write { error })?;
        print(&text)
    }
}

fn print(bytes: &[u8]) -> Result<End, Error> {
    put(&mut StandardOutput, bytes)?;
    Ok(End::Good)
}

#[cfg(test)]
mod tests {
    use std::iter;

    use gridmill_data::error::process_result;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// The words of each file of `tests/arguments`, one on each line. They are `OsString`s, because some are
    /// not UTF-8.
    fn command_lines() -> Vec<Vec<OsString>> {
        let folder = std::fs::read_dir("tests/arguments").unwrap();
        let words = |path| std::fs::read(path).unwrap().split(|&byte| byte == b'\n').map(word).collect();
        folder.map(|file| words(file.unwrap().path())).collect()
    }

    #[cfg(unix)]
    fn word(bytes: &[u8]) -> OsString {
        std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
    }

    #[cfg(not(unix))]
    fn word(bytes: &[u8]) -> OsString {
        String::from_utf8_lossy(bytes).into_owned().into()
    }

    /// Tries the collected command lines, and random combinations of their words.
    #[test]
    fn any_words_are_parsed_or_refused_with_a_message() {
        const SEED: u64 = 1;
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let collected = command_lines();
        assert!(collected.len() > 50);
        let words = collected.concat();
        let drawn =
            |_| (0..rng.random_range(1..8)).map(|_| words.choose(&mut rng).unwrap().clone()).collect();
        let drawn: Vec<Vec<OsString>> = (0..3000).map(drawn).collect();
        let mut program = Cli::command();
        for line in collected.iter().chain(&drawn) {
            let words = iter::once(OsString::from("gridmill")).chain(line.iter().cloned());
            let parsed =
                program.try_get_matches_from_mut(words).and_then(|found| Cli::from_arg_matches(&found));
            if let Err(error) = parsed {
                let code = if error.use_stderr() { 2 } else { 0 };
                assert_eq!(error.exit_code(), code, "{line:?}");
                assert!(!error.render().to_string().trim().is_empty(), "{line:?}");
            }
        }
    }

    #[test]
    fn a_panic_exits_with_code_2() {
        let end = process_result(std::panic::catch_unwind(|| panic!("a planted defect")));
        assert_eq!(exit_code(end), ExitCode::from(2));
    }

    #[test]
    fn lines_of_a_paragraph_are_joined_but_commands_are_not() {
        let text =
            "Examples:\n  gridmill a\n  gridmill b\n      does\n      things\n\nProse\ngoes on.\n\nEnd.";
        let joined = "Examples:\n  gridmill a\n  gridmill b\n      does things\n\nProse goes on.\n\nEnd.";
        assert_eq!(paragraphs(text), joined);
    }

    fn options_of(line: &str) -> TaskOptions {
        task_options(&program(), &program().get_matches_from(line.split_whitespace()))
    }

    /// The names of the commands that have an option, in the form in which the guide lists them.
    fn commands_with(option: &str) -> String {
        let program = program();
        let has = |command: &&clap::Command| {
            command.get_arguments().any(|argument| argument.get_long() == Some(option))
        };
        let names = program.get_subcommands().filter(has).map(|command| format!("`{}`", command.get_name()));
        names.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_guide_lists_the_commands_of_shared_options() {
        let guide = std::fs::read_to_string("docs/guide.md").unwrap();
        let rows = guide.lines().skip_while(|line| *line != "| option | meaning | commands |").skip(2);
        let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
        assert!(rows.len() > 4);
        for row in rows {
            let option = row.trim_start_matches("| `--").split('`').next().unwrap();
            let commands = commands_with(option);
            assert!(row.ends_with(&format!(" | {commands} |")), "--{option}: {commands}");
        }
    }

    #[test]
    fn options_that_do_not_change_rows_are_left_out() {
        let plain = options_of("gridmill solve a.txt -o b.csv");
        assert_eq!(
            options_of("gridmill solve a.txt -o b.csv --threads 3 --quiet --resume --chunk-bytes 9"),
            plain
        );
        assert_ne!(options_of("gridmill solve a.txt -o b.csv --first"), plain);
        assert_ne!(options_of("gridmill solve a.txt -o b.csv --budget-guesses 9"), plain);
        assert_ne!(options_of("gridmill count a.txt -o b.csv"), plain);
    }

    #[test]
    fn an_explicit_default_changes_nothing() {
        assert_eq!(options_of("gridmill count a.txt --limit 0"), options_of("gridmill count a.txt"));
    }

    fn with_new_names(line: &str) -> String {
        let words = renamed(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn old_option_names_are_replaced_by_new_ones() {
        assert_eq!(with_new_names("gridmill solve a --rows jsonl"), "gridmill solve a --to jsonl");
        assert_eq!(with_new_names("gridmill solve a --rows=grid -q"), "gridmill solve a --to=grid -q");
        assert_eq!(with_new_names("gridmill stats --json a"), "gridmill stats --to=json a");
        assert_eq!(with_new_names("gridmill canon --grid"), "gridmill canon --of-solution");
        assert_eq!(with_new_names("gridmill solve -- --rows"), "gridmill solve -- --rows");
        assert_eq!(with_new_names("gridmill convert --rows a"), "gridmill convert --rows a");
        for line in ["gridmill", "gridmill --json", "gridmill rate --times"] {
            assert_eq!(with_new_names(line), line);
        }
    }

    #[test]
    fn every_new_name_is_an_option_of_its_commands() {
        let program = program();
        for (commands, old, new) in OLD_NAMES {
            let new = new.split('=').next().unwrap().trim_start_matches("--");
            for command in commands.split(' ') {
                let command = program.find_subcommand(command).unwrap();
                let has =
                    |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
                assert!(has(new) && !has(old.trim_start_matches("--")), "{command} {old}");
            }
        }
    }

    #[test]
    fn every_option_that_is_not_compared_exists() {
        let program = program();
        let commands = program.get_subcommands().flat_map(clap::Command::get_arguments);
        let ids: Vec<_> = commands.map(|argument| argument.get_id().to_string()).collect();
        for name in NOT_COMPARED {
            assert!(ids.iter().any(|id| id == name), "{name}");
        }
    }
}
