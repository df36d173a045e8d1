//! The files of a command that makes rows: opened, and read one after another as if they were one.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::command_error::CommandError;
use super::input_args::InputArgs;
use super::values::file_name;
use crate::error::{Error, ErrorKind};
use crate::output::Destination;
use crate::packing::split_member;
use crate::pipeline::{self, Input, Job, Stage};
use crate::record::Tally;
use crate::text::Layout;

/// Open files, to be read one after another.
pub(crate) struct InputSet<'a> {
    args: &'a InputArgs,
    inputs: Vec<Input>,
    /// The layout of each file, once it is known.
    layouts: Vec<Layout>,
}

/// Makes the stage for a file that is written in some way.
type StageMaker<'a, 's> = dyn Fn(&Layout) -> Result<Box<dyn Stage + 's>, Error> + 'a;

/// The totals of the runs over all files.
#[derive(Default)]
pub(crate) struct RunTotals {
    pub(crate) tally: Tally,
    /// Records written.
    pub(crate) records: u64,
    /// Whether the run was stopped before the end of the last file.
    pub(crate) stopped: bool,
}

impl<'a> InputSet<'a> {
    /// Opens files. Standard input may be one of them, once.
    pub(crate) fn open(paths: &[PathBuf], args: &'a InputArgs) -> Result<InputSet<'a>, Error> {
        check_files(paths)?;
        let inputs = paths.iter().map(|path| args.common.open_input(path)).collect::<Result<_, _>>()?;
        Ok(InputSet { args, inputs, layouts: Vec::new() })
    }

    /// Opens an output, which must be none of the inputs; standard output for `None`.
    pub(crate) fn open_output(&self, path: Option<&Path>) -> Result<Destination, Error> {
        let files: Vec<&File> = self.inputs.iter().filter_map(Input::file).collect();
        Destination::open_beside(file_name(path), &files)
    }

    /// Detects the format of all files with `layout`; they must have the same one. Returns false if the run
    /// is stopped before that.
    pub(super) fn detect(
        &mut self,
        layout: impl Fn(&mut Input) -> Result<Option<Layout>, Error>,
    ) -> Result<bool, Error> {
        for index in 0..self.inputs.len() {
            let input = &mut self.inputs[index];
            let layout = layout(input).map_err(|error| error.in_file(input.name()))?;
            let Some(layout) = layout else { return Ok(false) };
            if let Some(first) = self.layouts.first() {
                check_alike((self.inputs[0].name(), first), (self.inputs[index].name(), &layout))?;
            }
            self.layouts.push(layout);
        }
        Ok(true)
    }

    /// Returns the layout that all files have: that of the first one with a puzzle.
    pub(crate) fn layout(&self) -> &Layout {
        self.layouts.iter().find(|layout| layout.is_sure()).unwrap_or(&self.layouts[0])
    }

    /// Refuses files of other than classic puzzles.
    pub(crate) fn check_classic(&self) -> Result<(), Error> {
        let mut files = self.inputs.iter().zip(&self.layouts);
        files.try_for_each(|(input, layout)| check_classic(input, layout))
    }

    /// Iterates over the files.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter()
    }

    /// Runs the pipeline over each file, with the stage that `stage_for` makes for it. Rows and numbers go on
    /// from file to file, until the run is stopped.
    pub(crate) fn run<'s>(
        self,
        output: &mut dyn Write,
        stop: &AtomicBool,
        stage_for: &StageMaker<'_, 's>,
    ) -> Result<RunTotals, Error> {
        let mut totals = RunTotals::default();
        for (index, (input, layout)) in self.inputs.into_iter().zip(&self.layouts).enumerate() {
            let name = input.name().to_owned();
            let stage = stage_for(layout)?;
            let follows = (index > 0).then_some(totals.records);
            let job = Job { follows, ..self.args.common.job(&*stage) };
            let mut console = self.args.console(&input);
            let finished = pipeline::run(&job, input, output, &mut console, stop);
            console.finish();
            let finished = finished.map_err(|error| error.of_record_in(&name))?;
            totals.tally.merge(&finished.tally);
            totals.records += finished.totals.records;
            totals.stopped = finished.stopped;
            if finished.stopped {
                break;
            }
        }
        Ok(totals)
    }
}

/// Checks that all files exist, and that standard input is named at most once, before the first is read.
pub(crate) fn check_files<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
    let mut pipes = 0;
    for path in paths {
        if file_name(Some(path)).is_none() {
            pipes += 1;
            continue;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(ErrorKind::Directory { path: path.clone() }.into());
            }
            Ok(_) => {}
            Err(_) if split_member(path).is_some() => {}
            Err(error) => return Err(ErrorKind::Open { path: path.clone(), error }.into()),
        }
    }
    if pipes > 1 { Err(CommandError::StdinTwice.into()) } else { Ok(()) }
}

/// Refuses files of different formats: their rows would have different columns.
pub(crate) fn check_alike(first: (&Path, &Layout), other: (&Path, &Layout)) -> Result<(), Error> {
    let Some(what) = first.1.difference(other.1) else { return Ok(()) };
    Err(CommandError::Unlike { path: other.0.to_owned(), first: first.0.to_owned(), what }.into())
}

/// Refuses a file of other than classic puzzles.
pub(crate) fn check_classic(input: &Input, layout: &Layout) -> Result<(), Error> {
    if layout.is_classic() {
        return Ok(());
    }
    Err(Error::from(CommandError::OnlyClassic { shape: layout.shape }).in_file(input.name()))
}
