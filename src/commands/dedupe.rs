//! `gridmill dedupe`: takes duplicates out of collections.

use std::io::BufWriter;
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_data::collection::{Duplicate, SpaceError};
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, put_csv_row};
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::compare::{Collection, CompareArgs, Pass, SameArgs};
use crate::support::inputs::check_files;
use crate::support::interrupt::{report_interrupted, stop_on_interrupt};
use crate::support::outputs::{put, unbuffered};
use crate::support::stages::{LineMapper, PartKind, TextPart};
use crate::support::values::file_name;

const EXAMPLES: &str = "\
Examples:
  gridmill dedupe puzzles.txt -o distinct.txt
      every puzzle once: the first of those with the same cells, however blanks are written
  gridmill dedupe --isomorphic train.csv test.csv -o distinct.csv --list-duplicates duplicates.csv
      every puzzle once in whatever disguise, and a list of the duplicates
  gridmill dedupe train.csv --against test.csv --isomorphic -o clean.csv
      no leak: what is in test.csv, in whatever disguise, is taken out of train.csv, and so are its duplicates
  gridmill dedupe huge.txt --memory 2G --tmp /scratch -o distinct.txt
      more memory, and a folder with room for what does not fit into it

Lines stay as they are, in their order: header, comments and remarks too. Several files must have one format and
one size of puzzles, and CSV the same header; their records come out as one file. Records that can't be read are
kept. Files are read twice; what comes from a pipe is kept in a temporary file meanwhile.

Files named by --against count as if they stood in front, but none of their records is written, and their own
duplicates do not count. They may be written in another way. With --same-solution, puzzles without exactly one
solution are the same as nothing, and kept.

The list has a row for each duplicate: file,record,line,first_file,first_record,first_line.

For puzzles of every size, and pencilmarks. With --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 there are no duplicates, 1 there are some, or records that could not be compared (malformed;
without exactly one solution), 2 the job could not be done, 130 interrupted.";

/// Take duplicates out of collections, and what is in other collections
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dedupe {
    /// Files of puzzles; - or none for standard input. All of them are needed: where one can't be opened, nothing is written
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Write the records to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Take out what is in this file too, such as a test set; may be given several times; - for standard input
    #[arg(long, value_name = "OTHER")]
    against: Vec<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    /// Write a list of the duplicates to this file, as CSV
    #[arg(long, alias = "groups", value_name = "FILE")]
    list_duplicates: Option<PathBuf>,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Dedupe {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(self.files.iter().chain(&self.against))?;
        let (output, list) = self.open_outputs()?;
        let stop = stop_on_interrupt();
        let pass = self.comparing.passes.pass(self.same, self.output.as_deref(), &stop)?;
        let compared = pass.compare(&self.against, &self.files, &self.comparing.space())?;
        let Some((collections, finder)) = compared else { return Ok(interrupted()) };
        let others = self.against.len();
        collections[others].check_name(self.output.as_deref())?;
        let is_in_files = |found: &Duplicate| found.at.file as usize >= others;
        let duplicates = finder.find(&stop)?;
        let mut duplicates = duplicates.filter(|found| found.as_ref().map_or(true, is_in_files)).peekable();
        if stop.load(Ordering::Relaxed) {
            return Ok(interrupted());
        }
        let is_bad = duplicates.peek().is_some() || collections.iter().any(|it| it.not_compared() > 0);
        let list = list.map(|list| BufWriter::with_capacity(1 << 16, list));
        let output = BufWriter::with_capacity(1 << 18, output);
        let found = Found::default();
        let mut sieve =
            Sieve { collections: &collections, others, duplicates, output, list, last: b'\n', found };
        let written = sieve.run(&pass).and_then(|whole| Ok((whole, unbuffered(sieve.output)?)));
        let (whole, output) = written.map_err(|error| error.after_bad(is_bad))?;
        let found = sieve.found;
        let list = sieve.list.map(unbuffered).transpose()?;
        if !whole {
            let kept = output.keep_partial()?;
            let listed = list.map(Destination::keep_partial).transpose()?.flatten();
            let duplicates = found.inside + found.in_others;
            report_interrupted(format_args!("{duplicates} duplicates"), None);
            if let Some(path) = kept {
                eprint_message(format_args!("gridmill: the records so far are in {}\n", path.display()));
            }
            if let Some(path) = listed {
                eprint_message(format_args!("gridmill: the list so far is in {}\n", path.display()));
            }
            return Ok(End::Interrupted);
        }
        Destination::commit_all([output].into_iter().chain(list))?;
        Ok(self.end(collections.split_at(others), found))
    }

    fn open_outputs(&self) -> Result<(Destination, Option<Destination>), Error> {
        let files = self.files.iter().chain(&self.against);
        let files: Vec<_> = files.map(|path| file_name(Some(path))).collect();
        let output = Destination::open_before(file_name(self.output.as_deref()), &files)?;
        let Some(path) = &self.list_duplicates else { return Ok((output, None)) };
        let list = Destination::open_before(file_name(Some(path)), &files)?;
        if list.is_same(&output) {
            return Err(CommandError::SameOutput { path: path.clone() }.into());
        }
        Ok((output, Some(list)))
    }

    fn end(&self, (others, files): (&[Collection], &[Collection]), found: Found) -> End {
        let sum = |of: &[Collection], count: fn(&Collection) -> u64| of.iter().map(count).sum::<u64>();
        let records = sum(files, |it| it.records);
        let [malformed, improper] = [sum(files, |it| it.malformed), sum(files, |it| it.keyless)];
        let not_compared = sum(others, Collection::not_compared);
        let in_conflict = sum(files, |it| it.in_conflict);
        if !self.comparing.passes.common.quiet {
            let print = |label: &str, count, remark: &str| {
                eprint_message(format_args!("{label:>10}  {}{remark}\n", HumanCount(count)));
            };
            print("records", records, "");
            print("duplicates", found.inside, "");
            if !others.is_empty() {
                print("in others", found.in_others, "");
            }
            if malformed > 0 {
                print("malformed", malformed, ", kept");
            }
            if improper > 0 {
                print("improper", improper, ", without exactly one solution, kept");
            }
            if in_conflict > 0 {
                print("conflict", in_conflict, ", compared cell by cell; is --shape right?");
            }
            if not_compared > 0 {
                let why = if self.same.same_solution {
                    "malformed, or without exactly one solution"
                } else {
                    "malformed"
                };
                print("left out", not_compared, &format!(" of the others: {why}"));
            }
            print("kept", records - found.inside - found.in_others, "");
        }
        let bad = [found.inside, found.in_others, malformed, improper, not_compared, in_conflict];
        if bad == [0; 6] { End::Good } else { End::Imperfect }
    }
}

/// The duplicates that were left out.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Those of records that were written.
    inside: u64,
    /// Those of records in other collections.
    in_others: u64,
}

/// Reports that the run was stopped before its first row.
pub(crate) fn interrupted() -> End {
    eprint_message("gridmill: interrupted while records were compared; nothing was written\n");
    End::Interrupted
}

/// Passes on the records that are not duplicates.
struct Sieve<'a, T: Iterator<Item = Result<Duplicate, SpaceError>>> {
    /// The other collections, and behind them those whose records are passed on.
    collections: &'a [Collection],
    /// How many other collections there are.
    others: usize,
    duplicates: Peekable<T>,
    output: BufWriter<Destination>,
    list: Option<BufWriter<Destination>>,
    /// The last byte that was written.
    last: u8,
    found: Found,
}

impl<T: Iterator<Item = Result<Duplicate, SpaceError>>> Sieve<'_, T> {
    /// Writes the records that are not duplicates. Returns false if the run is stopped.
    fn run(&mut self, pass: &Pass<'_>) -> Result<bool, Error> {
        if let Some(list) = &mut self.list {
            put(list, b"file,record,line,first_file,first_record,first_line\n")?;
        }
        let (collections, others) = (self.collections, self.others);
        self.write(&collections[others].head)?;
        for (file, collection) in (0..).zip(collections).skip(others) {
            if file as usize > others && self.last != b'\n' {
                self.write(b"\n")?;
            }
            let take = |record, part: TextPart<'_>| self.take(file, record, part);
            if !pass.again(collection, &LineMapper, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, file: u32, record: u64, (kind, text): TextPart<'_>) -> Result<(), Error> {
        if kind == PartKind::Record && self.is_duplicate(file, record)? {
            return Ok(());
        }
        self.write(text)
    }

    /// Returns whether a record is a duplicate, and counts and lists it then.
    fn is_duplicate(&mut self, file: u32, record: u64) -> Result<bool, Error> {
        let is_it = |duplicate: &Result<Duplicate, SpaceError>| match duplicate {
            Ok(duplicate) => (duplicate.at.file, duplicate.at.record) == (file, record),
            Err(_) => true,
        };
        let Some(duplicate) = self.duplicates.next_if(is_it).transpose()? else { return Ok(false) };
        let is_inside = duplicate.first.file as usize >= self.others;
        *(if is_inside { &mut self.found.inside } else { &mut self.found.in_others }) += 1;
        if let Some(list) = &mut self.list {
            let [at, first] = [duplicate.at, duplicate.first].map(|place| {
                let collection = &self.collections[place.file as usize];
                let name = collection.name().display().to_string().into_bytes();
                let [record, line] = [place.record + 1, place.line + 1];
                [name, record.to_string().into_bytes(), line.to_string().into_bytes()]
            });
            let mut row = Vec::new();
            put_csv_row(&[at, first].concat(), b',', &mut row);
            put(list, &row)?;
        }
        Ok(true)
    }

    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.last = text.last().copied().unwrap_or(self.last);
        put(&mut self.output, text)
    }
}
