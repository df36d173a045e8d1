//! The files of a command that makes rows: opened, looked at, and read one after another as if they were one.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::input_args::{CommonArgs, InputArgs};
use super::shared::file_name;
use crate::error::{Error, ErrorKind};
use crate::output::Destination;
use crate::pipeline::{Finished, Input, Stage};
use crate::record::Tally;
use crate::text::Layout;

/// Files that are open.
pub(crate) struct Files {
    inputs: Vec<Input>,
}

impl Files {
    /// Opens them. Standard input may be one of them, once.
    pub(crate) fn open(paths: &[PathBuf], common: &CommonArgs) -> Result<Files, Error> {
        check_files(paths)?;
        let inputs = paths.iter().map(|path| common.open_input(path));
        Ok(Files { inputs: inputs.collect::<Result<_, _>>()? })
    }

    /// Prepares an output, which must be none of them; standard output for `None`.
    pub(crate) fn open_output(&self, path: Option<&Path>) -> Result<Destination, Error> {
        let files: Vec<&File> = self.inputs.iter().map(Input::file).collect();
        Destination::open_beside(file_name(path), &files)
    }

    /// Finds out how they are written, which must be alike; `None` if the run is stopped before that.
    pub(crate) fn look(
        self,
        layout: impl Fn(&mut Input) -> Result<Option<Layout>, Error>,
    ) -> Result<Option<InputSet>, Error> {
        let mut course: Vec<(Input, Layout)> = Vec::new();
        for mut input in self.inputs {
            let layout = layout(&mut input).map_err(|error| error.in_file(input.name()))?;
            let Some(layout) = layout else { return Ok(None) };
            if let Some((first, wanted)) = course.first() {
                check_alike((first.name(), wanted), (input.name(), &layout))?;
            }
            course.push((input, layout));
        }
        Ok(Some(InputSet { files: course }))
    }
}

/// Are there such files, and standard input once at most? Asked of all before the first is read.
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
            Err(error) => return Err(ErrorKind::Open { path: path.clone(), error }.into()),
        }
    }
    if pipes > 1 { Err(ErrorKind::StdinTwice.into()) } else { Ok(()) }
}

/// Files of one kind must be written alike: the rows that come of them have the same columns.
pub(crate) fn check_alike(first: (&Path, &Layout), other: (&Path, &Layout)) -> Result<(), Error> {
    let Some(what) = first.1.difference(other.1) else { return Ok(()) };
    Err(ErrorKind::Unlike { path: other.0.to_owned(), first: first.0.to_owned(), what }.into())
}

/// Are the puzzles of a file classic ones?
pub(crate) fn check_classic(input: &Input, layout: &Layout) -> Result<(), Error> {
    if layout.is_classic() {
        return Ok(());
    }
    Err(Error::from(ErrorKind::OnlyClassic { shape: layout.shape }).in_file(input.name()))
}

/// Files to be read one after another.
pub(crate) struct InputSet {
    files: Vec<(Input, Layout)>,
}

impl InputSet {
    /// How they are written: as the first one with a puzzle says.
    pub(crate) fn layout(&self) -> &Layout {
        let mut layouts = self.files.iter().map(|(_, layout)| layout);
        layouts.find(|layout| layout.is_sure()).unwrap_or(&self.files[0].1)
    }

    /// Are all puzzles classic ones?
    pub(crate) fn check_classic(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(|(input, layout)| check_classic(input, layout))
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.files.iter().map(|(input, _)| input)
    }

    /// Runs the work that `command` makes for each file. What they come to is as of one file, until the run is
    /// stopped.
    pub(crate) fn run(
        self,
        reading: &InputArgs,
        output: &mut dyn Write,
        stop: &AtomicBool,
        command: impl Fn(&Layout, Turn<'_>) -> Result<Finished, Error>,
    ) -> Result<RunTotals, Error> {
        let mut sum = RunTotals { tally: Tally::default(), records: 0, stopped: false };
        for (index, (input, layout)) in self.files.into_iter().enumerate() {
            let name = input.name().to_owned();
            let follows = (index > 0).then_some(sum.records);
            let turn = Turn { reading, input, output, follows, stop };
            let finished = command(&layout, turn);
            let finished = finished.map_err(|error| error.of_record_in(&name))?;
            sum.tally.merge(&finished.tally);
            sum.records += finished.totals.records;
            if finished.stopped {
                return Ok(RunTotals { stopped: true, ..sum });
            }
        }
        Ok(sum)
    }
}

/// What all files came to.
pub(crate) struct RunTotals {
    pub(crate) tally: Tally,
    /// Records written.
    pub(crate) records: u64,
    /// Was the run stopped before the end of the last file?
    pub(crate) stopped: bool,
}

/// A file whose turn it is.
pub(crate) struct Turn<'a> {
    reading: &'a InputArgs,
    input: Input,
    output: &'a mut dyn Write,
    follows: Option<u64>,
    stop: &'a AtomicBool,
}

impl Turn<'_> {
    pub(crate) fn run(self, plan: &dyn Stage) -> Result<Finished, Error> {
        let Turn { reading, input, output, follows, stop } = self;
        let mut console = reading.console(&input);
        let finished = reading.common.run(plan, input, follows, output, &mut console, stop);
        console.finish();
        finished
    }
}
