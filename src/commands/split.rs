//! `gridmill split`: divides collections into parts that share no puzzle.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::Args;
use gridmill_data::collection::{
    Buckets, Divided, KeyedRecords, Partition, Selection, TextMapper, TextParts,
};
use gridmill_data::error::Error;
use gridmill_data::output::Destination;
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::command_error::{changed, refuse};
use crate::support::compare::{Collection, Pass, PassArgs, SameArgs, interrupted};
use crate::support::inputs::{InputSet, check_files};
use crate::support::options::{Ratio, file_name, ratio};
use crate::support::outputs::finish_outputs;

const EXAMPLES: &str = "\
Examples:
  gridmill split puzzles.csv --ratio 90:10 -o train.csv -o test.csv
      nine tenths and one tenth, at random; equal puzzles go to one part
  gridmill split puzzles.csv --ratio 90:10 --isomorphic -o train.csv -o test.csv
      no puzzle of one part is in the other in whatever disguise
  gridmill split puzzles.txt --ratio 8:1:1 --seed 7 -o train.txt -o valid.txt -o test.txt
      three parts, and other ones for another seed

Puzzles that are the same all go to one part, so that nothing leaks from part to part: overlap finds nothing. All
records stay, duplicates too; dedupe takes those out. Sizes are as near to the ratio as whole groups of puzzles that
are the same allow.

Rows and lines stay as they are, in their order. Each part gets the header of CSV. Comments, frames and titles go
with their puzzles. Records that can't be compared go to the first part: malformed ones and, with --same-solution,
puzzles without exactly one solution. Several files must have one format. Files are read twice; what comes from a
pipe is kept in a temporary file meanwhile, as are four bytes for each record.

For puzzles of every size, and pencilmarks. With --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 every record was compared, 1 some could not be, 2 the job could not be done, 130 interrupted.";

/// Divide collections into parts that share no puzzle, such as train and test sets
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "gridmill split [FILE]... --ratio N:N -o PART -o PART")]
pub(crate) struct Split {
    /// Files of puzzles; - or none for standard input. All of them are needed: where one can't be opened, nothing is written
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// The sizes of the parts in proportion to each other: 90:10, or 8:1:1
    #[arg(long, value_name = "N:N", value_parser = ratio)]
    ratio: Ratio,

    /// Write a part to this file; once for each part, in the order of the ratio. They get their names when all are
    /// complete
    #[arg(short, long, value_name = "PART", required = true)]
    output: Vec<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    /// Seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    passes: PassArgs,
}

impl Split {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(&self.files)?;
        let files = InputSet::of(&self.files, &self.passes.common, self.most_visible_output());
        let outputs = self.open_outputs(&files)?;
        let mut pass = self.passes.pass(0, self.same, files, 0)?;
        let mut partition = Partition::new(self.seed);
        let mut buckets = Buckets::new(&pass.space)?;
        let mut add = |_, _, keyed: &KeyedRecords| Ok(buckets.add(keyed, &mut partition)?);
        let Some(collections) = pass.read_keys(&mut add)? else { return Ok(interrupted()) };
        for output in &self.output {
            collections[0].check_name(Some(output))?;
        }
        let is_bad = collections.iter().any(|it| it.not_compared() > 0);
        let mut outputs: Vec<_> =
            outputs.into_iter().map(|output| BufWriter::with_capacity(1 << 18, output)).collect();
        let parts = partition.parts(&self.ratio);
        let selections = outputs.iter_mut().map(Selection::new).collect();
        let divided = Divided::new(parts, buckets, selections, &collections[0].head);
        let divided = divided.and_then(|divided| divide(&mut pass, &collections, divided));
        let finished = divided.and_then(|(records, sizes)| {
            let outputs = outputs.into_iter().map(|output| (output, "a part so far is"));
            finish_outputs(outputs, sizes.is_some(), format_args!("{records} records"))?;
            Ok(sizes)
        });
        let sizes = finished.map_err(|error| error.after_bad(is_bad))?;
        Ok(sizes.map_or(End::Interrupted, |sizes| self.end(&collections, &sizes)))
    }

    /// Opens one output for each part.
    fn open_outputs(&self, files: &InputSet<'_>) -> Result<Vec<Destination>, Error> {
        let (parts, outputs) = (self.ratio.len(), self.output.len());
        if parts != outputs {
            let there =
                if outputs == 1 { "is 1 output".to_owned() } else { format!("are {outputs} outputs") };
            return refuse(format!(
                "--ratio makes {parts} parts, and there {there}: give one -o for each part"
            ));
        }
        let mut opened: Vec<Destination> = Vec::new();
        for path in &self.output {
            let is_taken = |output: &Destination| opened.iter().any(|other| other.is_same(output));
            opened.push(files.open_beside(path, is_taken)?);
        }
        Ok(opened)
    }

    /// Returns standard output, if it is among the outputs, or else any of them.
    fn most_visible_output(&self) -> Option<&Path> {
        let mut paths = self.output.iter().map(PathBuf::as_path);
        paths.clone().find(|path| file_name(Some(path)).is_none()).or_else(|| paths.next())
    }

    fn end(&self, collections: &[Collection], sizes: &[u64]) -> End {
        let sum = |count: fn(&Collection) -> u64| collections.iter().map(count).sum::<u64>();
        let [records, malformed, improper] =
            [sum(|it| it.records), sum(|it| it.malformed), sum(|it| it.keyless)];
        if !self.passes.common.quiet {
            let names: Vec<String> = self.output.iter().map(|path| path.display().to_string()).collect();
            let width =
                names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("malformed".len());
            let print = |label: &str, count, remark: &str| {
                eprint_message(format_args!("{label:>width$}  {}{remark}\n", HumanCount(count)));
            };
            print("records", records, "");
            for (name, &size) in names.iter().zip(sizes) {
                let percent = 100.0 * size as f64 / records.max(1) as f64;
                print(name, size, &format!(", {percent:.2} %"));
            }
            if malformed > 0 {
                print("malformed", malformed, &format!(", in {}", names[0]));
            }
            if improper > 0 {
                print("improper", improper, &format!(", without exactly one solution, in {}", names[0]));
            }
        }
        if malformed + improper == 0 { End::Good } else { End::Imperfect }
    }
}

/// Reads the files again, and writes each record to its part. Returns how many were written, and how many each part got; `None`
/// if the run is stopped before the end.
fn divide(
    pass: &mut Pass<'_>,
    collections: &[Collection],
    mut divided: Divided<'_>,
) -> Result<(u64, Option<Vec<u64>>), Error> {
    for (index, collection) in collections.iter().enumerate() {
        if index > 0 {
            divided.end_line()?;
        }
        let mut take = |_, parts: &TextParts| match divided.take(parts)? {
            true => Ok(()),
            false => Err(changed(&collection.name)),
        };
        if !pass.again(index, collection, TextMapper::Lines, &mut take)? {
            return Ok((divided.records, None));
        }
    }
    let sizes = divided.selections.into_iter().map(Selection::finish).collect::<Result<_, _>>()?;
    Ok((divided.records, Some(sizes)))
}
