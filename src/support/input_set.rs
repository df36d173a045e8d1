//! The files of a command that makes rows: read one after another as if they were one.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gridmill_data::error::Error;
use gridmill_data::output::{Destination, RowOutput};
use gridmill_data::pipeline::{ChunkValue, Input, RunOptions, Stage, Take, Workers};
use gridmill_data::record::{Span, StatusCounts, Tally, Totals};
use gridmill_data::text::Layout;

use super::command_error::CommandError;
use super::input_args::InputArgs;
use super::input_file::InputFile;
use super::parts::report_resumed;
use super::present_files::PresentFiles;
use super::shard::{Division, Shard};
use super::values::file_name;
use crate::support::console::Watched;

/// Files, to be read one after another.
pub(crate) struct InputSet<'a> {
    args: &'a InputArgs,
    present: PresentFiles<'a>,
    files: Vec<InputFile<'a>>,
    /// The name and the layout of each file, once they are known.
    seen: Vec<SeenFile>,
    /// The part that is read, if it is not the whole.
    division: Option<Division>,
    /// Whether rows have the numbers of their records.
    numbers_rows: bool,
}

/// A file whose layout is known.
struct SeenFile {
    name: PathBuf,
    layout: Layout,
    is_mapped: bool,
}

/// Makes the stage for a file that is written in some way.
pub(super) type StageMaker<'a, 's, V> = dyn Fn(&Layout) -> Result<Box<dyn Stage<V> + 's>, Error> + 'a;

/// The totals of the runs over all files.
#[derive(Default)]
pub(crate) struct RunTotals {
    pub(crate) tally: Tally,
    /// Records written.
    pub(crate) records: u64,
    /// The time that earlier parts of the run took, in seconds.
    pub(crate) earlier_seconds: f64,
    /// Whether the run was stopped before the end of the last file.
    pub(crate) stopped: bool,
    /// Whether there are files that could not be opened.
    pub(crate) lacks_files: bool,
    /// Which part was read, if not the whole.
    pub(crate) shard: Option<Shard>,
}

impl RunTotals {
    /// Returns the wall time of all parts of a run, the last of which begun then.
    pub(crate) fn wall(&self, begun: Instant) -> Duration {
        begun.elapsed() + Duration::from_secs_f64(self.earlier_seconds)
    }
}

impl<'a> InputSet<'a> {
    /// Takes the files that can be opened, and reports the others. Standard input may be one of them, once.
    pub(crate) fn open(paths: &'a [PathBuf], args: &'a InputArgs) -> Result<InputSet<'a>, Error> {
        let present = PresentFiles::of(paths)?;
        let is_only = present.paths.len() == 1;
        let files = present.paths.iter().map(|path| InputFile::new(path, is_only, &args.common));
        let files = files.collect::<Result<_, _>>()?;
        Ok(InputSet { args, present, files, seen: Vec::new(), division: None, numbers_rows: false })
    }

    /// Divides the files, of which only a part is read then.
    pub(super) fn divide(&mut self, shard: Option<Shard>) -> Result<(), Error> {
        self.division = Division::of(shard, &self.present)?;
        Ok(())
    }

    /// Returns which part is read, if it is not the whole.
    pub(crate) fn shard(&self) -> Option<Shard> {
        self.division.as_ref().map(Division::shard)
    }

    /// Opens an output, which must be none of the inputs; standard output for `None`.
    pub(crate) fn open_output(&self, path: Option<&Path>) -> Result<Destination, Error> {
        let files: Vec<_> = self.present.paths.iter().map(|path| file_name(Some(path))).collect();
        Destination::open_before(file_name(path), &files)
    }

    /// Detects the format of all files with `layout`; they must have the same one. Returns false if the run
    /// is stopped before that.
    pub(super) fn detect(
        &mut self,
        layout: impl Fn(&mut Input) -> Result<Option<Layout>, Error>,
    ) -> Result<bool, Error> {
        let (division, options) = (self.division.as_ref(), self.args.common.reading.options());
        for (index, file) in self.files.iter_mut().enumerate() {
            let seen = file.look(&self.args.common, |input| {
                let (name, is_mapped) = (input.name().to_owned(), input.is_mapped());
                let Some(layout) = layout(input)? else { return Ok(None) };
                if let Some(division) = division {
                    division.check_and_narrow(index, input, &layout, &options)?;
                }
                Ok(Some(SeenFile { name, layout, is_mapped }))
            })?;
            let Some(seen) = seen else { return Ok(false) };
            if let Some(first) = self.seen.first() {
                check_alike((&first.name, &first.layout), (&seen.name, &seen.layout))?;
            }
            self.seen.push(seen);
        }
        let used = self.args.common.reading.check_alphabets(self.seen.iter().map(|seen| &seen.layout));
        used.map_err(|error| Error::from(error).in_file(&self.seen[0].name))?;
        Ok(true)
    }

    /// Returns the layout that all files have: that of the first one with a puzzle.
    pub(crate) fn layout(&self) -> &Layout {
        let mut layouts = self.seen.iter().map(|seen| &seen.layout);
        layouts.find(|layout| layout.is_sure()).unwrap_or(&self.seen[0].layout)
    }

    /// Iterates over the layouts of the files.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = &Layout> + Clone {
        self.seen.iter().map(|seen| &seen.layout)
    }

    /// Iterates over the names of the files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Path> {
        self.seen.iter().map(|seen| &*seen.name)
    }

    /// Returns whether all files are mapped into memory when they are read.
    pub(crate) fn is_mapped(&self) -> bool {
        self.seen.iter().all(|seen| seen.is_mapped)
    }

    /// Returns whether there are files that could not be opened.
    pub(crate) fn lacks_files(&self) -> bool {
        !self.present.is_whole
    }

    /// Runs the pipeline over each file, with the stage that `stage_for` makes for it. What becomes of the chunks goes to
    /// `take`. Rows and numbers go on from file to file, until the run is stopped. Where the output has a journal, the run begins where an earlier one was
    /// broken off, and tells the journal how far it comes.
    pub(crate) fn run<'s, V: ChunkValue>(
        mut self,
        take: &mut Take<'_, V>,
        journal: Option<&RowOutput>,
        stop: &AtomicBool,
        stage_for: &StageMaker<'_, 's, V>,
    ) -> Result<RunTotals, Error> {
        let progress = journal.and_then(RowOutput::progress);
        let journal = journal.filter(|_| progress.is_some());
        if let Some(earlier) = progress.as_ref().filter(|_| !self.args.common.quiet) {
            report_resumed(earlier);
        }
        let earlier = progress.unwrap_or_default();
        let mut totals = RunTotals {
            lacks_files: self.lacks_files(),
            shard: self.shard(),
            records: earlier.earlier_records,
            earlier_seconds: earlier.seconds,
            ..RunTotals::default()
        };
        let workers = Workers::new(self.args.common.threads())?;
        for index in earlier.input..self.files.len() {
            let place = earlier.place.filter(|_| index == earlier.input);
            let Some(input) = self.take(index, place.map(|place| (place, earlier.span)), stop)? else {
                totals.stopped = true;
                break;
            };
            if let (Some(journal), None) = (journal, place) {
                journal.update(|progress| progress.begin_input(input.preamble_span()));
            }
            let seen = &self.seen[index];
            let stage = stage_for(&seen.layout)?;
            let in_front = input.records_in_front();
            let follows = (index > 0 || place.is_some()).then_some(totals.records);
            let options = RunOptions {
                follows,
                for_journal: journal.is_some(),
                ..self.args.common.run_options(&*stage)
            };
            let (console, counts) = (self.args.console(&input), StatusCounts::default());
            let mut watched = Watched { console, journal, counts };
            let finished = workers.run(&options, input, take, &mut watched, stop);
            watched.console.finish();
            let is_bad = totals.tally.statuses.failed > 0;
            let finished = finished.map_err(|error| error.of_record_in(&seen.name).after_bad(is_bad))?;
            totals.tally.merge(&finished.tally);
            totals.records += finished.totals.records - in_front;
            totals.stopped = finished.stopped;
            if finished.stopped {
                break;
            }
            if let Some(journal) = journal {
                journal.update(|progress| progress.end_input(totals.records));
            }
        }
        if let Some(progress) = journal.and_then(RowOutput::progress) {
            totals.tally = progress.tally;
        }
        Ok(totals)
    }

    /// Opens a file for its run, behind what an earlier run read of it; `None` if the run is stopped before that.
    fn take(
        &mut self,
        index: usize,
        read: Option<(Totals, Span)>,
        stop: &AtomicBool,
    ) -> Result<Option<Input>, Error> {
        let (file, common) = (&mut self.files[index], &self.args.common);
        let mut input = file.take(common)?;
        if file.is_opened_again() {
            if !common.find_records(&mut input, &self.seen[index].layout, stop)? {
                return Ok(None);
            }
            if let Some(division) = &self.division {
                division.narrow(index, &mut input, &common.reading.options())?;
            }
        }
        if self.numbers_rows {
            input.number_from_front()?;
        }
        let Some((place, span)) = read else { return Ok(Some(input)) };
        Ok(common.pass(&mut input, place, span, self.args.output_file(), stop)?.then_some(input))
    }

    /// Notes that rows have the numbers of their records.
    pub(crate) fn number_rows(&mut self) {
        self.numbers_rows = true;
    }

    /// Returns the names of the files, as the user wrote them.
    pub(crate) fn paths(&self) -> &[&'a PathBuf] {
        &self.present.paths
    }
}

/// Refuses files of different formats: their rows would have different columns.
pub(crate) fn check_alike(first: (&Path, &Layout), other: (&Path, &Layout)) -> Result<(), Error> {
    let Some(what) = first.1.difference(other.1) else { return Ok(()) };
    Err(CommandError::Unlike { path: other.0.to_owned(), first: first.0.to_owned(), what }.into())
}
