//! `gridmill dedupe`: takes duplicates out of collections.

use std::io::BufWriter;
use std::iter;
use std::path::PathBuf;

use clap::Args;
use gridmill_data::collection::{Distinct, DuplicatesInOrder, TextMapper, TextParts};
use gridmill_data::error::Error;
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::compare::{Collection, CompareArgs, Pass, SameArgs, interrupted};
use crate::support::inputs::{InputSet, check_files};
use crate::support::outputs::finish_outputs;

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
        let (others, paths) = (self.against.len(), self.against.iter().chain(&self.files));
        let files = InputSet::of(paths, &self.comparing.passes.common, self.output.as_deref());
        let output = files.open_output(self.output.as_deref())?;
        let list = self.list_duplicates.as_deref();
        let list = list.map(|path| files.open_beside(path, |list| list.is_same(&output))).transpose()?;
        let mut pass = self.comparing.pass(self.same, files, others)?;
        let Some((collections, found)) = pass.compare()? else { return Ok(interrupted()) };
        collections[others].check_name(self.output.as_deref())?;
        let mut duplicates = DuplicatesInOrder::behind(others, found);
        let is_bad = !duplicates.is_empty() || collections.iter().any(|it| it.not_compared() > 0);
        let mut list = list.map(|list| BufWriter::with_capacity(1 << 16, list));
        let mut output = BufWriter::with_capacity(1 << 18, output);
        let mut distinct = Distinct {
            duplicates,
            others,
            output: &mut output,
            list: list.as_mut(),
            names: collections.iter().map(|it| it.name.display().to_string()).collect(),
            found: [0; 2],
            last: b'\n',
        };
        let written = pass_distinct(&mut pass, &collections, &mut distinct);
        let found = distinct.found;
        let outputs = iter::once((output, "the records so far are"))
            .chain(list.map(|list| (list, "the list so far is")));
        let done = format_args!("{} duplicates", found[0] + found[1]);
        let finished = written.and_then(|whole| finish_outputs(outputs, whole, done));
        Ok(match finished.map_err(|error| error.after_bad(is_bad))? {
            true => self.end(collections.split_at(others), found),
            false => End::Interrupted,
        })
    }

    fn end(&self, (others, files): (&[Collection], &[Collection]), [inside, in_others]: Found) -> End {
        let sum = |of: &[Collection], count: fn(&Collection) -> u64| of.iter().map(count).sum::<u64>();
        let records = sum(files, |it| it.records);
        let [malformed, improper] = [sum(files, |it| it.malformed), sum(files, |it| it.keyless)];
        let not_compared = sum(others, Collection::not_compared);
        let in_conflict = sum(files, |it| it.in_conflict);
        if !self.comparing.passes.common.quiet {
            let of_others = match self.same.same_solution {
                true => " of the others: malformed, or without exactly one solution",
                false => " of the others: malformed",
            };
            let lines = [
                (true, "records", records, ""),
                (true, "duplicates", inside, ""),
                (!others.is_empty(), "in others", in_others, ""),
                (malformed > 0, "malformed", malformed, ", kept"),
                (improper > 0, "improper", improper, ", without exactly one solution, kept"),
                (in_conflict > 0, "conflict", in_conflict, ", compared cell by cell; is --shape right?"),
                (not_compared > 0, "left out", not_compared, of_others),
                (true, "kept", records - inside - in_others, ""),
            ];
            for (_, label, count, remark) in lines.into_iter().filter(|(is_shown, ..)| *is_shown) {
                eprint_message(format_args!("{label:>10}  {}{remark}\n", HumanCount(count)));
            }
        }
        let bad = [inside, in_others, malformed, improper, not_compared, in_conflict];
        if bad == [0; 6] { End::Good } else { End::Imperfect }
    }
}

/// The duplicates that were left out: those of records that were written, and those of records in other collections.
type Found = [u64; 2];

/// Passes on the records that are not duplicates, of the collections behind the others. Returns false if the run is stopped.
fn pass_distinct(
    pass: &mut Pass<'_>,
    collections: &[Collection],
    distinct: &mut Distinct<'_>,
) -> Result<bool, Error> {
    let others = distinct.others;
    distinct.begin(&collections[others].head)?;
    for (index, collection) in collections.iter().enumerate().skip(others) {
        if index > others {
            distinct.end_line()?;
        }
        let mut take = |first, parts: &TextParts| distinct.take(index, first, parts);
        if !pass.again(index, collection, TextMapper::Lines, &mut take)? {
            return Ok(false);
        }
    }
    Ok(true)
}
