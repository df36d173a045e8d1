//! The two readings of `dedupe`, `overlap` and `split`: one for the keys of records, and one for the rows.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use gridmill_core::jobs::{CanonicalKey, Keys, Status};
use gridmill_core::minlex::Minlex;
use gridmill_data::collection::{DuplicateFinder, Place, Space};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{ChunkValue, Input, Take, Workers};
use gridmill_data::text::Layout;

use super::command_error::CommandError;
use super::inputs::{CommonArgs, ReplayableInput, check_alike};
use super::outputs::is_terminal;
use super::rows::check_name;
use super::stages::{KeyedRecord, PartKind, StageFactory, TextPart, TextParts, stage_for};

/// The least memory: a few hundred records, and some buffers.
const LEAST_MEMORY: usize = 64 << 10;

/// Which puzzles are the same: those with the same clues or candidates, unless an option says otherwise.
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
    /// Returns the job that makes the keys of the puzzles of a file.
    pub(crate) fn keys(self, layout: &Layout) -> Keys {
        let of_solutions = self.same_solution.then(|| layout.fastest_engine());
        Keys { isomorphic: self.isomorphic, conflicts: true, of_solutions }
    }
}

/// How files are compared.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Memory for comparing records; what does not fit goes to temporary files: 500K, 256M, 4G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    memory: usize,

    #[command(flatten)]
    pub(crate) passes: PassArgs,
}

/// How files are read twice.
#[derive(Debug, Args)]
pub(crate) struct PassArgs {
    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER")]
    tmp: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Print at most this many messages about malformed records of a file
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_messages: usize,
}

impl CompareArgs {
    pub(crate) fn space(&self) -> Space {
        self.passes.space(self.memory)
    }
}

impl PassArgs {
    /// Returns the space of a command that may take so many bytes of memory.
    pub(crate) fn space(&self, memory: usize) -> Space {
        Space { memory, folder: self.tmp.clone().unwrap_or_else(std::env::temp_dir) }
    }

    /// Starts the workers for the readings of files whose rows go to `output`.
    pub(crate) fn pass<'a>(
        &'a self,
        same: SameArgs,
        output: Option<&Path>,
        stop: &'a AtomicBool,
    ) -> Result<Pass<'a>, Error> {
        let workers = Workers::new(self.common.threads())?;
        let (common, messages, rows_on_terminal) = (&self.common, self.max_messages, is_terminal(output));
        Ok(Pass { common, same, stop, messages, rows_on_terminal, workers })
    }
}

/// Reads a number of bytes, or of K, M or G of them.
fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    let shift = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        _ => None,
    };
    let bytes =
        number.parse::<usize>().ok().zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes) if bytes >= LEAST_MEMORY => Ok(bytes),
        Some(_) => Err("give 64K or more".to_owned()),
        None => Err("give a number of bytes, as in 500K, 256M or 4G".to_owned()),
    }
}

/// A file that has been read once.
pub(crate) struct Collection {
    file: ReplayableInput,
    layout: Layout,
    /// The text in front of the first record.
    pub(crate) head: Vec<u8>,
    pub(crate) records: u64,
    pub(crate) malformed: u64,
    /// Puzzles without a key, which equal no other puzzle.
    pub(crate) keyless: u64,
    /// Puzzles with clues in conflict, where isomorphs are compared: they are compared cell by cell.
    pub(crate) in_conflict: u64,
}

impl Collection {
    pub(crate) fn name(&self) -> &Path {
        self.file.name()
    }

    /// Refuses an output whose name tells another format than that of the records.
    pub(crate) fn check_name(&self, output: Option<&Path>) -> Result<(), Error> {
        Ok(check_name(output, &self.layout)?)
    }

    /// Returns how many records have no key, so that nothing is the same.
    pub(crate) fn not_compared(&self) -> u64 {
        self.malformed + self.keyless
    }
}

/// A file that is about to be read for the first time. It is not open: there may be more of them than a process may
/// have open.
struct SeenFile {
    file: ReplayableInput,
    layout: Layout,
}

/// Takes the place of a record and the key of its puzzle, if it has one.
pub(crate) type KeyTaker<'a> = dyn FnMut(Place, Option<CanonicalKey>) -> Result<(), Error> + 'a;

/// One reading of the files of a command.
pub(crate) struct Pass<'a> {
    pub(crate) common: &'a CommonArgs,
    /// How puzzles are compared.
    same: SameArgs,
    pub(crate) stop: &'a AtomicBool,
    /// How many messages about malformed records are printed.
    pub(crate) messages: usize,
    /// Whether the rows, which come when files are read again, appear on a terminal.
    pub(crate) rows_on_terminal: bool,
    workers: Workers,
}

impl Pass<'_> {
    /// Reads files once, the `earlier` ones first, to find duplicates among them; `None` if the run is stopped. The
    /// `files` must have one format, and the earlier ones may be written in any way.
    pub(crate) fn compare(
        &self,
        earlier: &[PathBuf],
        files: &[PathBuf],
        space: &Space,
    ) -> Result<Option<(Vec<Collection>, DuplicateFinder)>, Error> {
        let mut finder = DuplicateFinder::new(space)?;
        let mut add = |place, key: Option<CanonicalKey>| {
            key.map_or(Ok(()), |key| finder.add(&key, place)).map_err(Error::from)
        };
        let collections = self.read_keys(earlier, files, space, &mut add)?;
        Ok(collections.map(|collections| (collections, finder)))
    }

    /// Reads files as [`Pass::compare`] does, and hands the place and the key of each record to `take`.
    pub(crate) fn read_keys(
        &self,
        earlier: &[PathBuf],
        files: &[PathBuf],
        space: &Space,
        take: &mut KeyTaker<'_>,
    ) -> Result<Option<Vec<Collection>>, Error> {
        let mut seen: Vec<SeenFile> = Vec::new();
        for path in earlier.iter().chain(files) {
            let Some(file) = ReplayableInput::new(path, self.common, space, self.stop)? else {
                return Ok(None);
            };
            let Some((_, layout)) = self.open(file.open(self.common)?)? else { return Ok(None) };
            // Clues equal no pencilmarks, but both may have the same solution.
            let differs = |first: &SeenFile| first.layout.is_pencilmarks() != layout.is_pencilmarks();
            let of_files = seen.get(earlier.len());
            let of_all = seen.first().filter(|first| differs(first) && !self.same.same_solution);
            if let Some(first) = of_files.or(of_all) {
                check_alike((first.file.name(), &first.layout), (file.name(), &layout))?;
            }
            seen.push(SeenFile { file, layout });
        }
        let mut collections = Vec::new();
        for (number, file) in (0..).zip(seen) {
            let Some(collection) = self.read(file, number, take)? else { return Ok(None) };
            collections.push(collection);
        }
        Ok(Some(collections))
    }

    /// Hands the records of a file to `add`; `None` if the run is stopped.
    fn read(
        &self,
        SeenFile { file, layout }: SeenFile,
        number: u32,
        add: &mut KeyTaker<'_>,
    ) -> Result<Option<Collection>, Error> {
        let Some(input) = self.reopen(&file, &layout)? else { return Ok(None) };
        let head = input.preamble().to_vec();
        let (mut records, mut keyless, mut in_conflict) = (0, 0, 0);
        let mut take = |keyed: &Vec<KeyedRecord>| {
            for &KeyedRecord { line, key, conflicts } in keyed {
                in_conflict += u64::from(conflicts);
                let place = Place { file: number, record: records, line: line - 1 };
                records += 1;
                keyless += u64::from(key.is_none());
                add(place, key)?;
            }
            Ok(ControlFlow::Continue(()))
        };
        let malformed = self.run(input, &layout, &self.same, self.messages, false, &mut take)?;
        let Some(malformed) = malformed else { return Ok(None) };
        let keyless = keyless - malformed;
        Ok(Some(Collection { file, layout, head, records, malformed, keyless, in_conflict }))
    }

    /// Reads a file again, and hands each part to `take` with the number of its record. Returns false if the
    /// run is stopped.
    pub(crate) fn again(
        &self,
        collection: &Collection,
        stages: &impl StageFactory<TextParts>,
        mut take: impl FnMut(u64, TextPart<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let layout = &collection.layout;
        let Some(input) = self.reopen(&collection.file, layout)? else { return Ok(false) };
        let mut record = 0;
        let mut take = |parts: &TextParts| {
            for part in parts.iter() {
                take(record, part)?;
                record += u64::from(part.0 == PartKind::Record);
            }
            Ok(ControlFlow::Continue(()))
        };
        let whole = self.run(input, layout, stages, 0, self.rows_on_terminal, &mut take)?.is_some();
        if whole && record != collection.records {
            return Err(CommandError::Changed { path: collection.name().to_owned() }.into());
        }
        Ok(whole)
    }

    /// Detects the format of a file; `None` if the run is stopped before that.
    pub(crate) fn open(&self, mut input: Input) -> Result<Option<(Input, Layout)>, Error> {
        let layout = self.common.layout(&self.common.reading.options(), &mut input, self.stop);
        let layout = layout.map_err(|error| error.in_file(input.name()))?;
        let Some(layout) = layout else { return Ok(None) };
        if self.same.isomorphic {
            check_forms(&layout, self.same.same_solution).map_err(|error| error.in_file(input.name()))?;
        }
        let used = self.common.reading.check_alphabets(std::iter::once(&layout));
        used.map_err(|error| Error::from(error).in_file(input.name()))?;
        Ok(Some((input, layout)))
    }

    /// Opens a file whose layout is known, from its beginning; `None` if the run is stopped before that.
    fn reopen(&self, file: &ReplayableInput, layout: &Layout) -> Result<Option<Input>, Error> {
        let mut input = file.open(self.common)?;
        Ok(self.common.find_records(&mut input, layout, self.stop)?.then_some(input))
    }

    /// Reads a file. Returns how many records are malformed, or `None` if the run is stopped.
    pub(crate) fn run<V: ChunkValue>(
        &self,
        input: Input,
        layout: &Layout,
        stages: &impl StageFactory<V>,
        messages: usize,
        rows_on_terminal: bool,
        take: &mut Take<'_, V>,
    ) -> Result<Option<u64>, Error> {
        let messages = Some(messages).filter(|&messages| messages > 0 && !self.common.quiet);
        let stage = stage_for(stages, layout, messages.is_some())?;
        let mut console = self.common.console(&input, messages, rows_on_terminal);
        let finished =
            self.workers.run(&self.common.run_options(&*stage), input, take, &mut console, self.stop);
        console.finish();
        let finished = finished?;
        Ok((!finished.stopped).then(|| finished.tally.statuses.count(Status::Malformed as usize)))
    }
}

/// Refuses a file of puzzles that have no canonical forms, or whose solutions have none.
pub(crate) fn check_forms(layout: &Layout, of_solutions: bool) -> Result<(), Error> {
    if layout.is_pencilmarks() && !of_solutions {
        return Err(CommandError::NoFormOfPencilmarks.into());
    }
    match layout.shape {
        Some(shape) if Minlex::serves(shape) => Ok(()),
        shape => Err(CommandError::NoForm { shape }.into()),
    }
}
