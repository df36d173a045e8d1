//! The two readings of `dedupe`, `overlap` and `split`: one for the keys of records, and one for the rows.

use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_core::jobs::{Keys, Status};
use gridmill_core::minlex::Minlex;
use gridmill_data::collection::{
    AttributeName, DuplicateFinder, Duplicates, KeyedRecords, Space, TextMapper, TextSegments, key_stage,
    text_stage,
};
use gridmill_data::error::Error;
use gridmill_data::packing::ColumnType;
use gridmill_data::pipeline::{ChunkValue, Input, Stage, Take, Workers};
use gridmill_data::text::Layout;

use super::command_error::{changed, check_size, refuse, report};
use super::inputs::{CommonArgs, InputSet, check_alike};
use super::outputs::{is_terminal, stop_on_interrupt};
use super::progress::Console;
use super::rows::find_attribute;
use crate::cli::End;

/// The smallest `--memory`. It has room for a few hundred records and some buffers.
const LEAST_MEMORY: usize = 64 << 10;

/// Which puzzles count as the same. By default these are puzzles with the same clues or candidates.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SameArgs {
    /// Puzzles are the same if one is the other in disguise: rows, columns or digits permuted
    #[arg(long)]
    pub(crate) isomorphic: bool,

    /// Puzzles are the same if their solutions are
    #[arg(long)]
    pub(crate) same_solution: bool,
}

impl SameArgs {
    /// The job that makes the keys of the puzzles of a file.
    pub(crate) fn keys(self, layout: &Layout) -> Keys {
        let of_solutions = self.same_solution.then(|| layout.fastest_engine());
        Keys { isomorphic: self.isomorphic, conflicts: true, of_solutions }
    }

    /// Why records could not be compared, for the summary.
    pub(crate) fn why_left_out(self) -> &'static str {
        match self.same_solution {
            true => ": malformed, or without exactly one solution",
            false => ": malformed",
        }
    }
}

/// Where the compared or sorted records are kept.
#[derive(Debug, Args)]
pub(crate) struct SpaceArgs {
    /// Memory for records; what does not fit goes to temporary files: 500K, 256M, 4G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    memory: usize,

    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER")]
    tmp: Option<PathBuf>,
}

impl SpaceArgs {
    pub(crate) fn space(&self) -> Space {
        Space { memory: self.memory, folder: self.tmp.clone().unwrap_or_else(std::env::temp_dir) }
    }
}

/// The options of commands that compare the records of files.
#[derive(Debug, Args)]
pub(crate) struct ComparisonArgs {
    #[command(flatten)]
    space: SpaceArgs,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Print at most this many messages about faulty records of a file
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_messages: usize,
}

impl ComparisonArgs {
    /// Starts the workers for the readings of files. The first `against_count` files are those of `--against`: records are compared with
    /// theirs, but theirs are not written. From here on Ctrl-C stops the readings.
    pub(crate) fn begin<'a>(
        &self,
        same: SameArgs,
        mut files: InputSet<'a>,
        against_count: usize,
    ) -> Result<Comparison<'a>, Error> {
        files.stop = stop_on_interrupt();
        let max_messages = Some(self.max_messages).filter(|&max| max > 0 && !self.common.quiet);
        let workers = Workers::new(self.common.threads())?;
        Ok(Comparison {
            files,
            space: self.space.space(),
            against_count,
            same,
            stratify: None,
            max_messages,
            workers,
        })
    }
}

/// Reports that a run was stopped before its first row.
pub(crate) fn interrupted() -> End {
    report("interrupted while records were compared; nothing was written");
    End::Interrupted
}

/// Parses a size in bytes, with an optional unit, e.g. `500K`, `256M` or `4G`.
fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    let unit = unit.to_ascii_uppercase();
    let unit = unit.trim_end_matches('B').trim_end_matches('I');
    let shift = ["", "K", "M", "G", "T"].iter().position(|known| *known == unit).map(|place| 10 * place);
    let bytes =
        number.parse::<usize>().ok().zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes) if bytes >= LEAST_MEMORY => Ok(bytes),
        Some(_) => Err("give 64K or more".to_owned()),
        None => Err("give a number of bytes, as in 500K, 256M or 4G".to_owned()),
    }
}

/// A file after its first reading.
pub(crate) struct ComparedFile {
    pub(crate) name: PathBuf,
    pub(crate) layout: Layout,
    /// The types of its columns, if it is a Parquet or Arrow table.
    pub(crate) columns: Option<Vec<ColumnType>>,
    /// The text before the first record.
    pub(crate) head: Vec<u8>,
    pub(crate) records: u64,
    pub(crate) malformed: u64,
    /// Puzzles without exactly one solution, if solutions are compared; they equal no other puzzle.
    pub(crate) improper: u64,
    /// Puzzles whose clues contradict each other, if isomorphs are compared. They have no canonical form, so
    /// they are compared cell by cell.
    pub(crate) in_conflict: u64,
}

impl ComparedFile {
    /// The number of records without a key. They equal no other record.
    pub(crate) fn not_compared(&self) -> u64 {
        self.malformed + self.improper
    }
}

/// Receives the keys of a chunk, with the number of its file and the number of its first record there.
pub(crate) type KeyTaker<'a> = dyn FnMut(u32, u64, &KeyedRecords) -> Result<(), Error> + 'a;

/// The files of a command that compares their records. It reads them once for the keys, and again for the records that it
/// writes.
pub(crate) struct Comparison<'a> {
    pub(crate) files: InputSet<'a>,
    /// The memory and the folder for the compared records.
    pub(crate) space: Space,
    /// How many of the files are those of `--against`.
    against_count: usize,
    /// How puzzles are compared.
    same: SameArgs,
    /// The attribute to read from each record, if there is one.
    pub(crate) stratify: Option<AttributeName>,
    /// The largest number of messages about malformed records of a file; `None` to print none.
    pub(crate) max_messages: Option<usize>,
    workers: Workers,
}

impl Comparison<'_> {
    /// Reads the files once, and finds the duplicates among them; `None` if the run is stopped. The files
    /// must have one format, because their rows get the same columns. The files of `--against` may have another, because
    /// they give no rows.
    pub(crate) fn compare(&mut self) -> Result<Option<(Vec<ComparedFile>, Duplicates)>, Error> {
        let mut finder = DuplicateFinder::new(&self.space)?;
        let mut add = |file, first, keyed: &KeyedRecords| Ok(finder.add_all(file, first, keyed)?);
        let Some(files) = self.read_keys(&mut add)? else { return Ok(None) };
        let duplicates = finder.find(&self.files.stop)?;
        Ok((!self.files.stop.load(Ordering::Relaxed)).then_some((files, duplicates)))
    }

    /// Reads the files as [`Comparison::compare`] does, and passes the keys of each chunk to `take`.
    pub(crate) fn read_keys(&mut self, take: &mut KeyTaker<'_>) -> Result<Option<Vec<ComparedFile>>, Error> {
        let mut layouts: Vec<Layout> = Vec::new();
        for index in 0..self.files.paths().len() {
            if !self.files.copy_pipe(index, &self.space)? {
                return Ok(None);
            }
            let Some((_, layout)) = self.open(index)? else { return Ok(None) };
            // A puzzle of clues never equals pencilmarks, but both may have the same solution.
            let differs = |first: &Layout| first.is_pencilmarks() != layout.is_pencilmarks();
            let of_files = layouts.get(self.against_count).map(|first| (self.against_count, first));
            let of_all = layouts.first().filter(|first| differs(first) && !self.same.same_solution);
            if let Some((at, first)) = of_files.or(of_all.map(|first| (0, first))) {
                check_alike((self.files.name(at), first), (self.files.name(index), &layout))?;
            }
            layouts.push(layout);
        }
        let mut files = Vec::new();
        for (index, layout) in layouts.into_iter().enumerate() {
            let Some(file) = self.read(index, layout, take)? else { return Ok(None) };
            files.push(file);
        }
        Ok(Some(files))
    }

    /// Passes the records of a file to `add`; `None` if the run is stopped.
    fn read(
        &mut self,
        index: usize,
        layout: Layout,
        add: &mut KeyTaker<'_>,
    ) -> Result<Option<ComparedFile>, Error> {
        let Some(input) = self.files.reopen(index, &layout)? else { return Ok(None) };
        let (columns, head) = (input.column_types(), input.preamble().to_vec());
        let (mut records, mut keyless, mut in_conflict) = (0, 0, 0);
        let mut take = |keyed: &KeyedRecords| {
            add(index as u32, records, keyed)?;
            records += keyed.records.len() as u64;
            (keyless, in_conflict) = (keyless + keyed.keyless, in_conflict + keyed.in_conflict);
            Ok(ControlFlow::Continue(()))
        };
        let keys = self.same.keys(&layout);
        let attribute = self.stratify.as_ref().map(|name| find_attribute(&layout, name, "--stratify"));
        let attributes = Vec::from_iter(attribute.transpose()?);
        let stage = key_stage(keys, &attributes, &layout, self.max_messages.is_some());
        let Some(malformed) = self.run(input, &*stage, true, &mut take)? else { return Ok(None) };
        let (name, improper) = (self.files.name(index).to_owned(), keyless - malformed);
        Ok(Some(ComparedFile { name, layout, columns, head, records, malformed, improper, in_conflict }))
    }

    /// Reads a file again, and passes the segments of each chunk to `take` with the number of its first record.
    /// Returns false if the run is stopped.
    pub(crate) fn reread(
        &mut self,
        index: usize,
        file: &ComparedFile,
        mapper: TextMapper,
        take: &mut dyn FnMut(u64, &TextSegments) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let layout = &file.layout;
        let Some(input) = self.files.reopen(index, layout)? else { return Ok(false) };
        let mut record = 0;
        let mut take = |segments: &TextSegments| {
            take(record, segments)?;
            record += segments.records();
            Ok(ControlFlow::Continue(()))
        };
        let stage = text_stage(mapper, layout, false);
        let whole = self.run(input, &*stage, false, &mut take)?.is_some();
        if whole && record != file.records {
            return Err(changed(&file.name));
        }
        Ok(whole)
    }

    /// Opens a file, and detects its format; `None` if the run is stopped before that.
    pub(crate) fn open(&mut self, index: usize) -> Result<Option<(Input, Layout)>, Error> {
        let Some((input, layout)) = self.files.open_and_detect(index, true)? else { return Ok(None) };
        let check = || {
            if self.same.isomorphic {
                check_forms(&layout, self.same.same_solution)?;
            }
            self.files.common.reading.check_alphabets(iter::once(&layout))
        };
        check().map_err(|error| error.in_file(input.name()))?;
        Ok(Some((input, layout)))
    }

    /// Reads a file, either for the first time or again to write its rows. Returns the number of malformed
    /// records, or `None` if the run is stopped.
    pub(crate) fn run<V: ChunkValue>(
        &self,
        input: Input,
        stage: &dyn Stage<V>,
        is_first: bool,
        take: &mut Take<'_, V>,
    ) -> Result<Option<u64>, Error> {
        let messages = self.max_messages.filter(|_| is_first);
        // If the rows appear on a terminal, they show the progress.
        let has_rows = !is_first && is_terminal(self.files.output);
        let progress = self.files.common.shows_progress() && !has_rows;
        let mut console = Console::new(&input, progress, messages, None);
        let finished = self.files.run_file(&self.workers, input, stage, None, take, &mut console)?;
        Ok((!finished.stopped).then(|| finished.tally.statuses.count(Status::Malformed as usize)))
    }
}

/// Refuses puzzles without canonical forms, or whose solutions have none.
pub(crate) fn check_forms(layout: &Layout, of_solutions: bool) -> Result<(), Error> {
    if layout.is_pencilmarks() && !of_solutions {
        return refuse("canonical forms are for puzzles with clues, but these are pencilmarks");
    }
    check_size(layout, Minlex::serves, "canonical forms are for puzzles of one size up to 9x9")
}
