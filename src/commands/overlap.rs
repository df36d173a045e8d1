//! `gridmill overlap`: the puzzles of a collection that are also in another one.

use std::io::BufWriter;
use std::path::PathBuf;

use clap::Args;
use gridmill_data::collection::{DuplicatesInOrder, Shared, TextMapper, TextParts};
use gridmill_data::error::Error;
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::compare::{Collection, CompareArgs, SameArgs, interrupted};
use crate::support::inputs::{InputSet, check_files, report_empty};
use crate::support::interrupt::report_interrupted;
use crate::support::outputs::{put, unbuffered};
use crate::support::rows::check_rows_name;

const EXAMPLES: &str = "\
Examples:
  gridmill overlap test.csv train.csv
      the puzzles of test.csv that are in train.csv: record,line,puzzle,other_record,other_line
  gridmill overlap test.csv train.csv --isomorphic -o leaks.csv
      in whatever disguise
  gridmill overlap test.csv train.csv --same-solution --isomorphic -q && echo no leak
      those that have the same solution, perhaps in disguise; for scripts

Each row names the first record of the second file that is the same. Puzzles are compared cell by cell, however
blanks are written, unless an option says otherwise. With --same-solution, puzzles without exactly one solution
are the same as nothing. Files are read twice; what comes from a pipe is kept in a temporary file meanwhile.

For puzzles of every size, and pencilmarks. With --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 no puzzle is in both, 1 some are, or some records could not be compared (malformed; without exactly
one solution) or a file has none, 2 the job could not be done, 130 interrupted.";

/// List the puzzles of a collection that are in another one too
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Overlap {
    /// The puzzles that are looked for; - for standard input. Both names are needed
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where they are looked for; - for standard input, for one of the two
    #[arg(value_name = "OTHER")]
    other: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    #[command(flatten)]
    comparing: CompareArgs,
}

impl Overlap {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files([&self.file, &self.other])?;
        check_rows_name(self.output.as_deref(), false)?;
        let files = [&self.other, &self.file];
        let files = InputSet::of(files, &self.comparing.passes.common, self.output.as_deref());
        let output = files.open_output(self.output.as_deref())?;
        let mut pass = self.comparing.pass(self.same, files, 1)?;
        let Some((collections, found)) = pass.compare()? else { return Ok(interrupted()) };
        let [other, file] = &collections[..] else { unreachable!("two files are two collections") };
        // The other file comes first. Duplicates within one file do not count.
        let mut duplicates = DuplicatesInOrder::across(found);
        let is_bad = !duplicates.is_empty() || collections.iter().any(|it| it.not_compared() > 0);
        let mut output = BufWriter::with_capacity(1 << 16, output);
        put(&mut output, b"record,line,puzzle,other_record,other_line\n")?;
        let mut shared = Shared { duplicates, output: &mut output, found: 0 };
        let mut take = |first, parts: &TextParts| shared.take(1, first, parts);
        let written = pass.again(1, file, TextMapper::Cells, &mut take);
        let found = shared.found;
        let written = written.and_then(|whole| Ok((whole, unbuffered(output)?)));
        let (whole, output) = written.map_err(|error| error.after_bad(is_bad))?;
        if !whole {
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{found} rows"), kept.as_deref());
            return Ok(End::Interrupted);
        }
        output.commit()?;
        Ok(self.end(file, other, found))
    }

    fn end(&self, file: &Collection, other: &Collection, found: u64) -> End {
        let left_out = [file, other].map(Collection::not_compared);
        let empty: Vec<&Collection> = [file, other].into_iter().filter(|it| it.records == 0).collect();
        empty.iter().for_each(|it| report_empty(&it.name));
        if !self.comparing.passes.common.quiet {
            eprint_message(format_args!(
                "   records  {} and {}\n",
                HumanCount(file.records),
                HumanCount(other.records)
            ));
            if left_out != [0, 0] {
                let [file, other] = left_out.map(HumanCount);
                eprint_message(format_args!(
                    "  left out  {file} and {other}: malformed, or without exactly one solution\n"
                ));
            }
            eprint_message(format_args!("   in both  {}\n", HumanCount(found)));
        }
        if found == 0 && left_out == [0, 0] && empty.is_empty() { End::Good } else { End::Imperfect }
    }
}
