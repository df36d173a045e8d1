//! The run of `explain --trace`: puzzles of clues of any shape, and what an engine does with their cells.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::Status;
use gridmill_core::solver::{Bounds, GridLike, SearchEnd, TracedEngine, trace};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{Describe, Describer, Description, NumberedRecord, Stage};
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText};
use gridmill_report::{TraceRecord, trace_json, trace_text};

use super::command_error::CommandError;
use super::explaining::{Keys, put_heading, run_stages, status_words};
use super::input_args::InputArgs;
use crate::cli::End;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceArg {
    /// Cell by cell in reading order, the lowest digit that fits; back where none does
    Backtracking,
    /// Every cell with one candidate, then a guess in the first blank
    Singles,
}

impl TraceArg {
    fn engine(self) -> (TracedEngine, &'static str) {
        match self {
            TraceArg::Backtracking => (TracedEngine::Backtracking, "backtracking"),
            TraceArg::Singles => (TracedEngine::Singles, "singles"),
        }
    }
}

/// A run over the puzzles of some files.
pub(crate) struct Tracing<'a> {
    pub(crate) input: &'a InputArgs,
    pub(crate) is_json: bool,
    pub(crate) engine: TraceArg,
    /// The most events of a puzzle that are told.
    pub(crate) limit: usize,
}

impl Tracing<'_> {
    pub(crate) fn run(&self) -> Result<End, Error> {
        run_stages(self.input, true, &|layout| match layout.kind() {
            PuzzleKind::Classic => Ok(self.stage::<Puzzle>(layout)),
            PuzzleKind::AnyShape => Ok(self.stage::<GridPuzzle>(layout)),
            PuzzleKind::Pencilmarks => Err(CommandError::OnlyClues.into()),
        })
    }

    fn stage<'s, P: PuzzleText + GridLike + 'static>(&'s self, layout: &Layout) -> Box<dyn Stage + 's> {
        let keys = self.is_json.then(|| Keys::of(layout, "trace"));
        let describer = move || TracingDescriber { run: self, keys: keys.clone() };
        let diagnostics = !self.input.common.quiet;
        Box::new(Describe {
            format: layout.format::<P>(),
            describer: Box::new(move || Box::new(describer())),
            diagnostics,
        })
    }
}

struct TracingDescriber<'a> {
    run: &'a Tracing<'a>,
    keys: Option<Keys>,
}

impl<P: PuzzleText + GridLike> Describer<P> for TracingDescriber<'_> {
    fn describe(
        &mut self,
        record: &NumberedRecord<'_, P>,
        stop: &AtomicBool,
        out: &mut Vec<u8>,
    ) -> Option<Description> {
        let (mut status, mut traced) = (Status::Malformed, None);
        if let Some(puzzle) = record.puzzle {
            status = Status::Conflict;
            if puzzle.find_conflict().is_none() {
                let trace = self.watch(puzzle, stop)?;
                status = status_of(&trace);
                traced = Some((puzzle, trace));
            }
        }
        self.write(record, status, traced.as_ref(), out);
        // A trace that ends at its limit is what was asked for.
        let status = if status == Status::Budget { Status::Solved } else { status };
        Some(Description { status, is_lacking: false, refuted: None })
    }
}

impl TracingDescriber<'_> {
    fn write<P: PuzzleText>(
        &self,
        record: &NumberedRecord<'_, P>,
        status: Status,
        traced: Option<&(&P, TraceRecord)>,
        out: &mut Vec<u8>,
    ) {
        if let Some(keys) = &self.keys {
            let tell = |out: &mut Vec<u8>| match traced {
                Some((puzzle, trace)) => trace_json(puzzle.shape(), trace, out),
                None => out.extend_from_slice(b"null"),
            };
            return keys.write(record, status, tell, out);
        }
        match traced {
            Some((puzzle, trace)) => {
                put_heading(record, trace.engine, out);
                out.extend_from_slice(trace_text(*puzzle, trace).as_bytes());
            }
            None => put_heading(record, &status_words(record, status), out),
        }
    }

    /// Watches the search for the first solution; `None` if `stop` became true.
    fn watch<P: GridLike>(&self, puzzle: &P, stop: &AtomicBool) -> Option<TraceRecord> {
        let (kind, engine) = self.run.engine.engine();
        let mut watched = TraceRecord { engine, events: Vec::new(), is_cut: false, is_solved: false };
        let limit = self.run.limit;
        let mut watch = |event| {
            if watched.events.len() == limit {
                watched.is_cut = true;
                return ControlFlow::Break(());
            }
            watched.events.push(event);
            ControlFlow::Continue(())
        };
        let mut found = |_: &[u8]| ControlFlow::Continue(());
        let searched = trace(kind, puzzle, &Bounds::solutions(1), stop, &mut watch, &mut found);
        watched.is_solved = searched.solutions > 0;
        (searched.end != SearchEnd::Stopped || watched.is_cut).then_some(watched)
    }
}

fn status_of(trace: &TraceRecord) -> Status {
    match trace {
        TraceRecord { is_cut: true, .. } => Status::Budget,
        TraceRecord { is_solved: true, .. } => Status::Solved,
        _ => Status::None,
    }
}
