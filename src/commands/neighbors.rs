//! `gridmill neighbors`: the proper puzzles that differ from those of a file in a few clues.
//!
//! With `--each`, this is a job like the others. Without it, it runs other commands one after another, with their
//! files in a folder:
//!
//! ```text
//!            ┌──────────────────────────── next round ───────────────────────────┐
//! FILE ──► convert ──► neighbors --each ──► dedupe --isomorphic --against ──► rate, select ──► OUTPUT
//!          (lines)     (all neighbors)      (what is new)                    (with --er)
//! ```
//!
//! With `--resume`, a file that exists already is not made again.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use gridmill_core::generate::Pattern;
use gridmill_core::grid::Shape;
use gridmill_core::hunt::{Exchange, NeighborFinder};
use gridmill_core::jobs::{Neighbors as NeighborsJob, Schema};
use gridmill_core::logic::Rating;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, Rows};
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;
use indicatif::HumanCount;
use serde_json::json;

use super::generate::pattern;
use crate::cli::{Cli, End, TaskOptions};
use crate::support::command_error::{check_size, message, refuse};
use crate::support::compare::SpaceArgs;
use crate::support::inputs::{InputArgs, shown_name};
use crate::support::job_run::{JobArgs, JobCommand, run_job};
use crate::support::options::{Span, file_name, rating_span, span};
use crate::support::outputs::{finish_outputs, put};
use crate::support::parts::{PartArgs, mark};
use crate::support::rows::{FormatsByName, check_rows_name};
use crate::support::summary::json_text;

const EXAMPLES: &str = "\
Examples:
  gridmill neighbors puzzles.txt -o found.csv
      the minimal puzzles that differ in one clue, one of each class of isomorphs:
      record,puzzle,canonical,removed,added
  gridmill neighbors hardest.txt --remove 2 --add 2 --er 11.0.. -o found.csv --resume
      two clues out and two others in; keeps those rated 11.0 or more, with a column er
  gridmill neighbors seeds.txt --against known.txt --rounds 3 -o found.csv
      three rounds, each from the puzzles that the one before found; none of known.txt
  gridmill neighbors seeds.txt --each --shard 3/64 -o part3.csv
      all neighbors of each puzzle of a part, without comparing those of different puzzles

A neighbor has exactly one solution. Unless --all is given, it is also minimal: no clue can be
removed. Clues are put into any cell, but a clue that was removed does not come back, so that
--remove 2 --add 2 does not find again what --remove 1 --add 1 finds. The puzzles of the file and of
--against are known, in whatever disguise, and left out. Rows are sorted by puzzle, then by removed
clues, then by added ones; of isomorphs only the first is listed.

Columns: record, the number of the puzzle that the neighbor came from; puzzle, the neighbor;
canonical, its minlex form; removed and added, the clues that were exchanged, in a grid that is
blank otherwise. With --er also er, the rating. With --rounds the first column is round, and record
is the number of a row of the round before.

Without --each, the files of a run are in a folder OUTPUT.hunt until the output is complete, and
--resume continues with them. Rows reach the output at the end.

For 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 every record was searched, 1 some were malformed or in conflict, 2 the job could not
be done, 130 interrupted.";

/// Find the proper puzzles that differ from given ones in a few clues
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Neighbors {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Take this number of clues away
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3))]
    remove: u64,

    /// Put this number of other clues in
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3))]
    add: u64,

    /// Also list neighbors that are not minimal
    #[arg(long)]
    all: bool,

    /// How many clues: a number, or a range such as 17..24; other neighbors are left out
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// Where the clues are, cell by cell: x for a clue, . for a blank; or @ and the name of a file with such a
    /// pattern. Other neighbors are left out
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pattern: Option<Pattern>,

    /// List all neighbors of each puzzle, and compare only those of the same puzzle
    #[arg(long, conflicts_with_all = ["against", "er", "rounds", "memory", "tmp"])]
    each: bool,

    /// Leave out puzzles that are in this file, e.g. known ones, in whatever disguise; may be given several times
    #[arg(long, value_name = "OTHER")]
    against: Vec<PathBuf>,

    /// How hard the puzzles are for people: a rating, or a range such as 11.0..; other neighbors are left out, and
    /// the rows get a column er. See gridmill rate
    #[arg(long, value_name = "R|MIN..MAX", value_parser = rating_span)]
    er: Option<RangeInclusive<Rating>>,

    /// Search this number of rounds, each from the puzzles that the one before found
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,

    #[command(flatten)]
    space: SpaceArgs,
}

impl Neighbors {
    pub(crate) fn run(&self, task_options: &TaskOptions) -> Result<End, Error> {
        if self.each {
            return run_job(self, task_options);
        }
        let output = self.input.output.as_deref();
        check_rows_name(output, FormatsByName { json: false, container: false })?;
        if self.parts.resume_args.has_finished_output(output, self.input.common.quiet)? {
            return Ok(End::Good);
        }
        let rounds = NeighborRounds::begin(self, task_options)?;
        let folder = rounds.folder.clone();
        let ended = rounds.run();
        match &ended {
            // What was found so far stays, as in the incomplete file of other commands.
            Ok(End::Interrupted) => {}
            Err(_) if self.parts.resume_args.resume => {}
            _ => fs::remove_dir_all(&folder)
                .map_err(|error| Error::other(format!("{}: can't be removed: {error}", folder.display())))?,
        }
        ended
    }
}

impl JobCommand for Neighbors {
    type Job = NeighborsJob;

    const NEEDS_NUMBERS: bool = true;
    const LISTS: Option<(&'static str, &'static str)> = Some(("neighbors", "neighbor"));

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: &self.parts, rows: None }
    }

    fn job(&self, layout: &Layout) -> Result<NeighborsJob, Error> {
        if self.pattern.as_ref().is_some_and(|pattern| pattern.digits.is_some()) {
            return refuse(
                "--pattern says where clues are, and not which digits: write x in place of digits",
            );
        }
        let pattern = self.pattern.as_ref().map(|pattern| pattern.clues.clone());
        let cells = layout.shape.map(Shape::cells);
        if let (Some(pattern), Some(cells)) = (&pattern, cells)
            && pattern.len() != cells
        {
            return refuse(format!("the pattern has {} cells where {cells} are needed", pattern.len()));
        }
        let exchange = Exchange {
            remove: self.remove as usize,
            add: self.add as usize,
            minimal: !self.all,
            clues: self.clues.map_or(0..=usize::MAX, |span| {
                let clues = span.up_to(usize::MAX as u64);
                *clues.start() as usize..=*clues.end() as usize
            }),
            pattern,
        };
        Ok(NeighborsJob { exchange })
    }

    fn sink<P: PuzzleText>(&self, _: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        Box::new(Rows::lists(schema, false))
    }

    fn may_write_json(&self) -> bool {
        false
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_size(layout, NeighborFinder::serves, "neighbors are for puzzles of one size up to 9x9")
    }

    /// The chunks are small, because a puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &NeighborsJob) -> ChunkSizing {
        ChunkSizing::SLOW
    }
}

/// Rounds of searches for neighbors, with files in a folder.
struct NeighborRounds<'a> {
    command: &'a Neighbors,
    task_options: &'a TaskOptions,
    folder: PathBuf,
    /// How the search of a round ended, which says whether some puzzles were malformed.
    end: End,
    /// The puzzles of each round: how many were found, how many are new, and how many have the rating.
    rounds: Vec<[u64; 3]>,
}

/// The options about the format of files, for the first step.
const READING: [&str; 7] =
    ["--format", "--puzzle-column", "--delimiter", "--no-header", "--shape", "--alphabet", "--mixed"];

/// Those of them that the later steps need too.
const SHAPE: [&str; 2] = ["--shape", "--alphabet"];

/// The options of a search.
const EXCHANGE: [&str; 5] = ["--remove", "--add", "--all", "--clues", "--pattern"];

/// The options that have no value.
const FLAGS: [&str; 3] = ["--no-header", "--mixed", "--all"];

impl<'a> NeighborRounds<'a> {
    /// Makes the folder, or finds that of an earlier run with the same options.
    fn begin(command: &'a Neighbors, task_options: &'a TaskOptions) -> Result<NeighborRounds<'a>, Error> {
        let folder = match command.input.output_file() {
            Some(output) => folder_next_to(command, task_options, output)?,
            None => {
                let parent = command.space.space().folder;
                let made = tempfile::tempdir_in(&parent);
                made.map_err(|error| ErrorKind::Create { path: parent, error })?.keep()
            }
        };
        Ok(NeighborRounds { command, task_options, folder, end: End::Good, rounds: Vec::new() })
    }

    fn run(mut self) -> Result<End, Error> {
        let seeds = self.file("seeds.txt");
        let mut known = vec![seeds.clone()];
        known.extend(self.command.against.iter().cloned());
        let files: Vec<&Path> = self.command.input.files().iter().map(PathBuf::as_path).collect();
        let lines = self.words("convert", &READING, &files);
        self.end = self.step(lines, &["--to", "line"], &seeds)?;
        if self.end == End::Interrupted {
            return Ok(self.end);
        }
        let mut from = seeds;
        for round in 1..=self.command.rounds {
            let Some(kept) = self.round(round, &from, &known)? else { return Ok(End::Interrupted) };
            from = kept;
            known.push(self.file(&format!("{round}.new.csv")));
        }
        self.finish()
    }

    /// Searches the neighbors of the puzzles of a file. Returns the file of those that are wanted, or `None` if the
    /// run was stopped.
    fn round(&mut self, round: u64, from: &Path, known: &[PathBuf]) -> Result<Option<PathBuf>, Error> {
        let [each, new, rated, kept] =
            ["each", "new", "rated", "kept"].map(|name| self.file(&format!("{round}.{name}.csv")));
        let mut search = self.words("neighbors", &[&EXCHANGE[..], &SHAPE].concat(), &[from]);
        if round == 1 {
            search.extend(self.options(&["--shard"]));
        }
        let resume = self.command.parts.resume_args.resume.then_some("--resume");
        let more: Vec<&str> = ["--each", "--max-messages", "0"].into_iter().chain(resume).collect();
        match self.step(search, &more, &each)? {
            End::Interrupted => return Ok(None),
            End::Good => {}
            end => self.end = end,
        }
        let mut compare = self.words("dedupe", &SHAPE, &[&each]);
        compare.extend(known.iter().flat_map(|known| ["--against".into(), known.clone().into_os_string()]));
        compare.extend(self.options(&["--memory", "--tmp"]));
        if self.step(compare, &["--isomorphic", "--quiet"], &new)? == End::Interrupted {
            return Ok(None);
        }
        let counts = [rows_of(&each)?, rows_of(&new)?];
        let Some(er) = &self.command.er else {
            self.rounds.push([counts[0], counts[1], counts[1]]);
            return Ok(Some(new));
        };
        let columns = ["--columns", "record,puzzle,canonical,removed,added,er"];
        let rate = self.words("rate", &SHAPE, &[&new]);
        let more: Vec<&str> = columns.into_iter().chain(resume).collect();
        if self.step(rate, &more, &rated)? == End::Interrupted {
            return Ok(None);
        }
        let range = [format!("er>={}", er.start()), format!("er<={}", er.end())];
        let select = self.words("select", &SHAPE, &[&rated]);
        let within = ["--where", &range[0], "--where", &range[1], "--quiet"];
        if self.step(select, &within, &kept)? == End::Interrupted {
            return Ok(None);
        }
        self.rounds.push([counts[0], counts[1], rows_of(&kept)?]);
        Ok(Some(kept))
    }

    /// Runs a command that makes a file, unless it is there. Returns how it ended.
    fn step(&self, mut words: Vec<OsString>, more: &[&str], output: &Path) -> Result<End, Error> {
        let mut imperfect = output.as_os_str().to_owned();
        imperfect.push(".imperfect");
        if output.exists() {
            return Ok(if Path::new(&imperfect).exists() { End::Imperfect } else { End::Good });
        }
        words.extend(more.iter().map(OsString::from));
        words.extend(["-o".into(), output.into()]);
        let threads = self.command.input.common.threads().to_string();
        words.extend(["--threads".into(), threads.into()]);
        let common = &self.command.input.common;
        words.extend((common.quiet && !more.contains(&"--quiet")).then(|| "--quiet".into()));
        words.extend((!common.shows_progress()).then(|| "--no-progress".into()));
        let end = Cli::from_words(words)?.run().map_err(|error| self.named_as_given(error))?;
        if end == End::Imperfect {
            // A run that continues here must end with the same exit code.
            File::create(&imperfect).map_err(|error| ErrorKind::Create { path: imperfect.into(), error })?;
        }
        Ok(end)
    }

    /// An error with the name of the user's file in place of the copy of its puzzles.
    fn named_as_given(&self, error: Error) -> Error {
        let (text, copy) = (message(&error), self.file("seeds.txt").display().to_string());
        match self.command.input.files() {
            [first, ..] if text.contains(&copy) => {
                Error::other(text.replace(&copy, &shown_name(first).display().to_string()))
            }
            _ => error,
        }
    }

    /// The words of a command: its name, the options of these names with their values, and the files.
    fn words(&self, command: &str, options: &[&str], files: &[&Path]) -> Vec<OsString> {
        let files = files.iter().map(|file| file.as_os_str().to_owned());
        [command.into()].into_iter().chain(self.options(options)).chain(files).collect()
    }

    /// The options of these names with their values, defaults included, as words.
    fn options(&self, names: &[&str]) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        for (name, values) in self.task_options.iter().filter(|(name, _)| names.contains(&&**name)) {
            match FLAGS.contains(&&**name) {
                true => words.extend((values == &["true"]).then(|| name.into())),
                false => words.extend(values.iter().map(|value| format!("{name}={value}").into())),
            }
        }
        words
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes the rows of all rounds to the output.
    fn finish(self) -> Result<End, Error> {
        let kept = if self.command.er.is_some() { "kept" } else { "new" };
        let mut output = BufWriter::new(Destination::create(self.command.input.output_file())?);
        let has_rounds = self.command.rounds > 1;
        for round in 1..=self.command.rounds {
            let path = self.file(&format!("{round}.{kept}.csv"));
            let opened = File::open(&path).map_err(|error| ErrorKind::Open { path: path.clone(), error })?;
            for (number, row) in BufReader::new(opened).lines().enumerate() {
                let row = row.map_err(|error| ErrorKind::Read { path: path.clone(), error })?;
                match (number, round) {
                    (0, 2..) => continue,
                    (0, _) if has_rounds => put(&mut output, b"round,")?,
                    (_, round) if has_rounds => put(&mut output, format!("{round},").as_bytes())?,
                    _ => {}
                }
                put(&mut output, row.as_bytes())?;
                put(&mut output, b"\n")?;
            }
        }
        finish_outputs([(output, "the rows are")], true, format_args!(""))?;
        self.report()?;
        Ok(self.end)
    }

    /// Writes the summary: what each round found.
    fn report(&self) -> Result<(), Error> {
        let common = &self.command.input.common;
        let rounds =
            self.rounds.iter().map(|[found, new, kept]| json!({ "found": found, "new": new, "kept": kept }));
        let total: u64 = self.rounds.iter().map(|round| round[2]).sum();
        if let Some(path) = &common.summary {
            let mut file = BufWriter::new(Destination::create(file_name(Some(path)))?);
            let summary =
                json!({ "complete": true, "rounds": rounds.collect::<Vec<_>>(), "neighbors": total });
            put(&mut file, json_text(&summary).as_bytes())?;
            finish_outputs([(file, "the summary is")], true, format_args!(""))?;
        }
        if !common.quiet {
            for (round, counts) in (1..).zip(&self.rounds) {
                let [found, new, kept] = counts.map(HumanCount);
                let rated = if self.command.er.is_some() {
                    format!(", {kept} of that rating")
                } else {
                    String::new()
                };
                eprint_message(format_args!("round {round}: {found} found, {new} new{rated}\n"));
            }
        }
        Ok(())
    }
}

/// Makes the folder next to an output, or finds that of an earlier run. A file in it holds the options, so that no run
/// continues with the files of another.
fn folder_next_to(command: &Neighbors, task_options: &TaskOptions, output: &Path) -> Result<PathBuf, Error> {
    let mut folder = output.as_os_str().to_owned();
    folder.push(".hunt");
    let folder = PathBuf::from(folder);
    let failed = |error| Error::from(ErrorKind::Create { path: folder.clone(), error });
    let inputs: Vec<_> =
        command.input.files().iter().chain(&command.against).map(|file| mark(file)).collect();
    let task = json!({ "version": env!("CARGO_PKG_VERSION"), "options": task_options, "inputs": inputs })
        .to_string();
    let path = folder.join("task.json");
    match fs::read_to_string(&path) {
        Ok(_) if !command.parts.resume_args.resume => fs::remove_dir_all(&folder).map_err(failed)?,
        Ok(earlier) if earlier == task => return Ok(folder),
        Ok(_) => {
            return refuse(format!(
                "{}: this folder belongs to another run: use the options and files of that run, or remove the folder to start again",
                folder.display()
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    fs::create_dir(&folder).map_err(failed)?;
    fs::write(&path, task).map_err(failed)?;
    Ok(folder)
}

/// How many rows a file has below its header.
fn rows_of(path: &Path) -> Result<u64, Error> {
    let opened = File::open(path).map_err(|error| ErrorKind::Open { path: path.to_owned(), error })?;
    let lines = BufReader::new(opened).split(b'\n').count() as u64;
    Ok(lines.saturating_sub(1))
}
