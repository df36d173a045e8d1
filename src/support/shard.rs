//! Shards: one part of the records of some files, of so many that have equally many bytes.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use clap::Args;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::PartialPaths;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{FormatOptions, Layout};
use gridmill_report::eprint_message;

use super::command_error::CommandError;
use super::present_files::PresentFiles;
use super::values::file_name;

/// The most parts.
const MOST: u64 = 1_000_000;

#[derive(Debug, Args)]
pub(crate) struct ShardArgs {
    /// Take one part of the records: 3/64 is the third of 64, those that begin in the third of 64 equal parts of the bytes.
    /// The outputs of all parts, one behind the other and less their headers, are that of the whole. For files that are not
    /// compressed, with a record a line
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Do nothing if there is a file of the output's name: it is whole, as a file gets its name when it is complete. Its
    /// rows are not looked at, and the exit code is 0. Needs --output
    #[arg(long, requires = "output")]
    skip_existing: bool,
}

impl ShardArgs {
    /// Returns whether there is nothing to do, as the output is there, and says so. A journal beside it is a reason to go on.
    pub(crate) fn is_done(&self, output: Option<&Path>, resumes: bool, quiet: bool) -> Result<bool, Error> {
        if !self.skip_existing {
            return Ok(false);
        }
        let path = file_name(output).ok_or(CommandError::SkipWithoutFile)?;
        let has_journal = || {
            let paths = PartialPaths::of(path).ok().flatten();
            paths.is_some_and(|paths| paths.journal.exists())
        };
        if !path.is_file() || (resumes && has_journal()) {
            return Ok(false);
        }
        if !quiet {
            eprint_message(format_args!(
                "gridmill: {}: is there already, and left as it is\n",
                path.display()
            ));
        }
        Ok(true)
    }
}

/// One part of so many, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    number: u64,
    count: u64,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.count)
    }
}

impl Shard {
    /// Returns the part of so many bytes.
    fn range(self, len: u64) -> Range<u64> {
        // A part of a length is no longer than it.
        let at = |number: u64| (u128::from(len) * u128::from(number) / u128::from(self.count)) as u64;
        at(self.number - 1)..at(self.number)
    }
}

/// Reads which part is wanted.
fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').map(|(number, count)| (number.parse(), count.parse()));
    let Some((Ok(number), Ok(count))) = numbers else {
        return Err("give the number of a part and how many there are, as in 3/64".to_owned());
    };
    match (number, count) {
        (_, MOST_AND_ONE..) => Err(format!("there may be {MOST} parts at most")),
        (_, 0) | (0, _) => Err("parts are counted from 1".to_owned()),
        (number, count) if number > count => {
            Err(format!("there is no part {number} of {count}: they are counted from 1 to {count}"))
        }
        _ => Ok(Shard { number, count }),
    }
}

const MOST_AND_ONE: u64 = MOST + 1;

/// The part of some files that is to be read, as if they were one.
pub(crate) struct Division {
    shard: Shard,
    /// The part of each file.
    ranges: Vec<Range<u64>>,
}

impl Division {
    /// Divides files. `None` if the whole is to be read.
    ///
    /// # Errors
    ///
    /// Where one of them is no regular file, or can't be opened.
    pub(crate) fn of(shard: Option<Shard>, present: &PresentFiles<'_>) -> Result<Option<Division>, Error> {
        let Some(shard) = shard else { return Ok(None) };
        if !present.is_whole {
            return Err(CommandError::UndividedRest.into());
        }
        let lens = present.paths.iter().map(|path| length(path)).collect::<Result<Vec<u64>, _>>()?;
        let whole = shard.range(lens.iter().sum());
        let mut from = 0;
        let ranges = lens.iter().map(|len| {
            let start = whole.start.saturating_sub(from).min(*len);
            let end = whole.end.saturating_sub(from).min(*len);
            from += len;
            start..end
        });
        Ok(Some(Division { shard, ranges: ranges.collect() }))
    }

    /// Returns which part it is.
    pub(crate) fn shard(&self) -> Shard {
        self.shard
    }

    /// Narrows one of the files to its part, if its records are a line each.
    ///
    /// # Errors
    ///
    /// Where they are not, and where reading fails.
    pub(crate) fn check_and_narrow(
        &self,
        index: usize,
        input: &mut Input,
        layout: &Layout,
        options: &FormatOptions,
    ) -> Result<(), Error> {
        let refused = |what| Err(CommandError::Undivided { path: input.name().to_owned(), what }.into());
        if input.is_compressed() {
            return refused("is compressed: unpack it first");
        }
        if !layout.has_a_record_a_line() {
            return refused(
                "has records over several lines: bring it to lines first (gridmill convert --to line)",
            );
        }
        let range = self.ranges[index].clone();
        if input.known_len().is_none() && !input.head(1, &|_| true, &AtomicBool::new(false))?.is_empty() {
            return refused("does not tell its length: write it to a regular file first");
        }
        if let Some(line) = input.find_row_over_lines(range, layout)? {
            return Err(CommandError::RowOverLines { path: input.name().to_owned(), line }.into());
        }
        self.narrow(index, input, options)
    }

    /// Narrows one of the files to its part.
    pub(crate) fn narrow(
        &self,
        index: usize,
        input: &mut Input,
        options: &FormatOptions,
    ) -> Result<(), Error> {
        input.narrow(self.ranges[index].clone(), options)
    }
}

/// Returns the bytes of a regular file.
fn length(path: &Path) -> Result<u64, Error> {
    let refused = |what| CommandError::Undivided { path: path.to_owned(), what };
    let Some(path) = file_name(Some(path)) else {
        return Err(refused("is standard input: write it to a file first").into());
    };
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(metadata.len()),
        Ok(_) => Err(refused("is no regular file: write it to one first").into()),
        Err(_) if gridmill_data::packing::split_member(path).is_some() => {
            Err(refused("is in an archive: unpack it first").into())
        }
        Err(_) if super::typed_puzzle::typed_puzzle(path).is_some() => {
            Err(refused("is a puzzle and no file: leave --shard out").into())
        }
        Err(error) => Err(ErrorKind::Open { path: path.to_owned(), error }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_1() {
        assert_eq!(shard("3/64"), Ok(Shard { number: 3, count: 64 }));
        assert!(shard("1/1").is_ok() && shard("1000000/1000000").is_ok());
        for text in ["", "3", "0/4", "5/4", "0/0", "1/0", "-1/4", "1/1000001", "1/2/3", "a/b", "1/ 2"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parts_follow_each_other_and_are_the_whole() {
        for len in [0, 1, 63, 64, 65, 1_000_003, u64::MAX] {
            for count in [1, 2, 3, 7, 64, MOST] {
                let mut at = 0;
                for number in (1..=count.min(100)).chain([count]) {
                    let range = Shard { number, count }.range(len);
                    assert!(range.start <= range.end && (range.start == at || number == count));
                    at = range.end;
                }
                assert_eq!(at, len);
            }
        }
    }
}
