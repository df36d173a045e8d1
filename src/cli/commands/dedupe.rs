//! `gridmill dedupe`: takes duplicates out of collections.

use std::io::BufWriter;
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::HumanCount;

use crate::cli::End;
use crate::cli::support::command_error::CommandError;
use crate::cli::support::compare::{Collection, CompareArgs, Pass};
use crate::cli::support::encoded::{EncodedPart, LineEncoder, PartKind};
use crate::cli::support::interrupt::{report_interrupted, stop_on_interrupt};
use crate::cli::support::outputs::{put, unbuffered};
use crate::cli::support::present_files::check_files;
use crate::cli::support::seen::note_bad;
use crate::cli::support::tabulate::write_row;
use crate::cli::support::values::file_name;
use crate::collection::{Duplicate, Equivalence, SpaceError};
use crate::error::Error;
use crate::output::{Destination, eprint_message};

const EXAMPLES: &str = "\
Examples:
  gridmill dedupe puzzles.txt -o distinct.txt
      every puzzle once: the first of those with the same cells, however blanks are written
  gridmill dedupe --isomorphic train.csv test.csv -o distinct.csv --list-duplicates duplicates.csv
      every puzzle once in whatever disguise, and a list of the duplicates
  gridmill dedupe huge.txt --memory 2G --tmp /scratch -o distinct.txt
      more memory, and a folder with room for what does not fit into it

Lines stay as they are, in their order: header, comments and remarks too. Several files must have one format and
one size of puzzles, and CSV the same header; their records come out as one file. Records that can't be read are
kept. Files are read twice; what comes from a pipe is kept in a temporary file meanwhile.

The list has a row for each duplicate: file,record,line,first_file,first_record,first_line.

For puzzles of every size, and pencilmarks. With --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 there are no duplicates, 1 there are some, or malformed records, 2 the job could not be done,
130 interrupted.";

/// Take duplicates out of collections
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dedupe {
    /// Files of puzzles; - or none for standard input. All of them are needed: where one can't be opened, nothing is written
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Write the records to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Puzzles are the same if one is the other in disguise: rows, columns or digits permuted
    #[arg(long)]
    isomorphic: bool,

    /// Write a list of the duplicates to this file, as CSV
    #[arg(long, alias = "groups", value_name = "FILE")]
    list_duplicates: Option<PathBuf>,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Dedupe {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(&self.files)?;
        let (output, list) = self.open_outputs()?;
        let stop = stop_on_interrupt();
        let equivalence = Equivalence { isomorphic: self.isomorphic, solution: false };
        let pass = self.comparing.pass(equivalence, self.output.as_deref(), &stop)?;
        let compared = pass.compare(&self.files, &self.comparing.space(), true)?;
        let Some((collections, finder)) = compared else { return Ok(interrupted()) };
        let duplicates = finder.find(&stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(interrupted());
        }
        let list = list.map(|list| BufWriter::with_capacity(1 << 16, list));
        let output = BufWriter::with_capacity(1 << 18, output);
        let duplicates = duplicates.peekable();
        let mut sieve = Sieve { collections: &collections, duplicates, output, list, last: b'\n', found: 0 };
        let whole = sieve.run(&pass)?;
        let found = sieve.found;
        let output = unbuffered(sieve.output)?;
        let list = sieve.list.map(unbuffered).transpose()?;
        if !whole {
            let kept = output.keep_partial()?;
            let listed = list.map(Destination::keep_partial).transpose()?.flatten();
            report_interrupted(format_args!("{found} duplicates"), kept.as_deref());
            if let Some(path) = listed {
                eprint_message(format_args!("gridmill: the list so far is in {}\n", path.display()));
            }
            return Ok(End::Interrupted);
        }
        Destination::commit_all([output].into_iter().chain(list))?;
        Ok(self.end(&collections, found))
    }

    fn open_outputs(&self) -> Result<(Destination, Option<Destination>), Error> {
        let files: Vec<_> = self.files.iter().map(|path| file_name(Some(path))).collect();
        let output = Destination::open_before(file_name(self.output.as_deref()), &files)?;
        let Some(path) = &self.list_duplicates else { return Ok((output, None)) };
        let list = Destination::open_before(file_name(Some(path)), &files)?;
        if list.is_same(&output) {
            return Err(CommandError::SameOutput { path: path.clone() }.into());
        }
        Ok((output, Some(list)))
    }

    fn end(&self, collections: &[Collection], duplicates: u64) -> End {
        let sum = |count: fn(&Collection) -> u64| collections.iter().map(count).sum::<u64>();
        let (records, malformed) = (sum(|it| it.records), sum(|it| it.malformed));
        if !self.comparing.common.quiet {
            eprint_message(format_args!("   records  {}\n", HumanCount(records)));
            eprint_message(format_args!("duplicates  {}\n", HumanCount(duplicates)));
            if malformed > 0 {
                eprint_message(format_args!(" malformed  {}, kept\n", HumanCount(malformed)));
            }
            eprint_message(format_args!("      kept  {}\n", HumanCount(records - duplicates)));
        }
        if duplicates + malformed == 0 { End::Good } else { End::Imperfect }
    }
}

/// Reports that the run was stopped before its first row.
pub(crate) fn interrupted() -> End {
    eprint_message("gridmill: interrupted while records were compared; nothing was written\n");
    End::Interrupted
}

/// Passes on the records that are not duplicates.
struct Sieve<'a, T: Iterator<Item = Result<Duplicate, SpaceError>>> {
    collections: &'a [Collection],
    duplicates: Peekable<T>,
    output: BufWriter<Destination>,
    list: Option<BufWriter<Destination>>,
    /// The last byte that was written.
    last: u8,
    /// Duplicates that were left out.
    found: u64,
}

impl<T: Iterator<Item = Result<Duplicate, SpaceError>>> Sieve<'_, T> {
    /// Writes the records that are not duplicates. Returns false if the run is stopped.
    fn run(&mut self, pass: &Pass<'_>) -> Result<bool, Error> {
        if let Some(list) = &mut self.list {
            put(list, b"file,record,line,first_file,first_record,first_line\n")?;
        }
        let collections = self.collections;
        self.write(&collections[0].head)?;
        for (file, collection) in (0..).zip(collections) {
            if file > 0 && self.last != b'\n' {
                self.write(b"\n")?;
            }
            let take = |record, part: EncodedPart<'_>| self.take(file, record, part);
            if !pass.again(collection, &LineEncoder, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, file: u32, record: u64, (kind, text): EncodedPart<'_>) -> Result<(), Error> {
        if kind == PartKind::Record && self.is_duplicate(file, record)? {
            self.found += 1;
            return Ok(());
        }
        self.write(text)
    }

    fn is_duplicate(&mut self, file: u32, record: u64) -> Result<bool, Error> {
        let is_it = |duplicate: &Result<Duplicate, SpaceError>| match duplicate {
            Ok(duplicate) => (duplicate.at.file, duplicate.at.record) == (file, record),
            Err(_) => true,
        };
        let Some(duplicate) = self.duplicates.next_if(is_it).transpose()? else { return Ok(false) };
        note_bad();
        if let Some(list) = &mut self.list {
            let [at, first] = [duplicate.at, duplicate.first].map(|place| {
                let collection = &self.collections[place.file as usize];
                let name = collection.name().display().to_string().into_bytes();
                let [record, line] = [place.record + 1, place.line + 1];
                [name, record.to_string().into_bytes(), line.to_string().into_bytes()]
            });
            let mut row = Vec::new();
            write_row(&[at, first].concat(), b',', &mut row);
            put(list, &row)?;
        }
        Ok(true)
    }

    fn write(&mut self, text: &[u8]) -> Result<(), Error> {
        self.last = text.last().copied().unwrap_or(self.last);
        put(&mut self.output, text)
    }
}
