//! Columns of lists and long texts, where each record has any number of items (e.g. the steps of an explanation). All
//! threads collect the items, part by part. The result is a flat column: the items of all records one after the other,
//! and the place where the items of each record end.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use gridmill_core::grid::Shape;
use gridmill_core::jobs::{Answers, ColumnKind, Schema, Steps, Value};
use gridmill_core::logic::{Explanation, Step, Technique};
use gridmill_data::output::JsonInputKeys;
use gridmill_data::text::{PuzzleText, Record, SourceEcho};
use gridmill_report::{ExplanationStyle, GridChoice, StepsExtent, StepsForm, StepsObjects};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::answer::FoundColumns;
use crate::arrays::{FoundColumn, numbers, wide};
use crate::call::RecordParser;

/// Collects values of answers that have no fixed width.
pub(crate) trait Gather<P>: Sync {
    /// The items of the records in a part.
    type Part: Default + Send;

    /// Adds the items of an answer to a part. `answer` is its index among the answers, and `at` is the record of its
    /// puzzle.
    fn take(&self, part: &mut Self::Part, at: RecordPlace, puzzle: &P, answers: &Answers, answer: usize);

    /// Keeps a part after all its answers have been taken.
    fn keep(&self, records: Range<usize>, part: Self::Part);
}

/// The place of a record, in all records and in its part.
#[derive(Clone, Copy)]
pub(crate) struct RecordPlace {
    /// The first record of the part.
    pub(crate) first: usize,
    /// The place of the record in the part.
    pub(crate) place: usize,
}

/// Collects nothing. This is for jobs whose columns all have a fixed width.
impl<P> Gather<P> for () {
    type Part = ();

    fn take(&self, (): &mut (), _: RecordPlace, _: &P, _: &Answers, _: usize) {}

    fn keep(&self, _: Range<usize>, (): ()) {}
}

/// The finished parts, in any order, because threads finish them in any order. Each has the number of its first record.
pub(crate) struct Parts<T>(Mutex<Vec<(usize, T)>>);

impl<T> Parts<T> {
    pub(crate) fn new() -> Parts<T> {
        Parts(Mutex::new(Vec::new()))
    }

    /// Removes all parts, because a search in the current thread may have to start again in the pool.
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn keep(&self, first: usize, part: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((first, part));
    }

    /// The parts in the order of their records.
    fn in_order(self) -> impl Iterator<Item = T> {
        let mut parts = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_unstable_by_key(|(first, _)| *first);
        parts.into_iter().map(|(_, part)| part)
    }
}

/// Runs of items, one after the other, and the end of each run.
#[derive(Default)]
pub(crate) struct Runs<T> {
    items: Vec<T>,
    ends: Vec<u64>,
}

impl<T> Runs<T> {
    /// Ends a run after the items that have been added.
    fn end(&mut self) {
        self.ends.push(self.items.len() as u64);
    }

    /// Adds empty runs until there are `runs`, because malformed records have no items.
    fn fill(&mut self, runs: usize) {
        self.ends.resize(runs.max(self.ends.len()), self.items.len() as u64);
    }

    /// Appends the runs of the next part.
    fn append(&mut self, mut more: Runs<T>) {
        let before = self.items.len() as u64;
        self.items.append(&mut more.items);
        self.ends.extend(more.ends.into_iter().map(|end| before + end));
    }

    /// The start of each run, and finally the end of the last one. It is the form that Arrow uses (e.g. 0, 2, 5 for two
    /// runs of 2 and 3 items).
    fn offsets(ends: Vec<u64>) -> Vec<i64> {
        [0].into_iter().chain(ends.into_iter().map(|end| end as i64)).collect()
    }
}

impl<T: Copy> Runs<T> {
    /// Adds a run of those items.
    pub(crate) fn push(&mut self, items: &[T]) {
        self.items.extend_from_slice(items);
        self.end();
    }
}

impl<T: numpy::Element> Runs<T> {
    /// The items and their offsets.
    pub(crate) fn into_values(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let offsets = Runs::<T>::offsets(self.ends).into_pyarray(py);
        Ok((self.items.into_pyarray(py), offsets).into_pyobject(py)?.into_any())
    }

    /// A column of `kind`, made of the items and their offsets.
    fn into_column<'py>(
        self,
        py: Python<'py>,
        name: &'static str,
        kind: &'static str,
    ) -> PyResult<FoundColumn<'py>> {
        Ok((name, kind, self.into_values(py)?, None, None))
    }
}

/// Collects the grids that a job lists for each puzzle (e.g. the solutions of `enumerate`).
pub(crate) struct Grids {
    cells: usize,
    /// The index of each column of grids in the job, and its name.
    columns: Vec<(usize, &'static str)>,
    parts: Parts<Vec<Runs<u8>>>,
}

impl<P> Gather<P> for Grids {
    type Part = Vec<Runs<u8>>;

    fn take(&self, part: &mut Vec<Runs<u8>>, at: RecordPlace, _: &P, answers: &Answers, answer: usize) {
        part.resize_with(self.columns.len(), Runs::default);
        for (runs, &(column, _)) in part.iter_mut().zip(&self.columns) {
            runs.fill(at.place);
            if let Value::Grids(cells) = answers.value(column, answer) {
                runs.items.extend_from_slice(cells);
            }
            runs.end();
        }
    }

    fn keep(&self, records: Range<usize>, mut part: Vec<Runs<u8>>) {
        // A part of malformed records has no runs yet.
        part.resize_with(self.columns.len(), Runs::default);
        part.iter_mut().for_each(|runs| runs.fill(records.len()));
        self.parts.keep(records.start, part);
    }
}

impl Grids {
    pub(crate) fn new(schema: &Schema, cells: usize) -> Grids {
        let columns = schema.columns.iter().enumerate();
        let grids = columns.filter(|(_, column)| column.kind == ColumnKind::Grids);
        let columns = grids.map(|(index, column)| (index, column.name)).collect();
        Grids { cells, columns, parts: Parts::new() }
    }

    /// Two lists of columns. For records: the number of grids, named `count`, missing where `malformed`. For grids: the record
    /// of each, its cells (one column for each column of the job), and then the offsets.
    pub(crate) fn into_columns<'py>(
        self,
        py: Python<'py>,
        count: &'static str,
        malformed: Vec<bool>,
    ) -> PyResult<FoundColumns<'py>> {
        let mut all: Vec<Runs<u8>> = self.columns.iter().map(|_| Runs::default()).collect();
        for part in self.parts.in_order() {
            all.iter_mut().zip(part).for_each(|(runs, more)| runs.append(more));
        }
        // All columns have a grid in the same places.
        let ends: Vec<u64> = all[0].ends.iter().map(|end| end / self.cells as u64).collect();
        let counts = ends.iter().scan(0, |before, &end| Some(end - mem::replace(before, end))).collect();
        let mut listed = vec![numbers(py, "record", records_of(&ends), None)];
        for (runs, (_, name)) in all.into_iter().zip(self.columns) {
            listed.push((name, "cells", wide(py, runs.items, self.cells)?, None, None));
        }
        listed.push(numbers(py, "offsets", Runs::<u8>::offsets(ends), None));
        Ok([vec![numbers(py, count, counts, Some(malformed))], listed])
    }
}

/// Collects the candidates of each puzzle, as a mask for each cell.
pub(crate) struct Masks {
    shape: Shape,
    parts: Parts<Vec<u32>>,
}

impl<P> Gather<P> for Masks {
    type Part = Vec<u32>;

    fn take(&self, part: &mut Vec<u32>, at: RecordPlace, _: &P, answers: &Answers, answer: usize) {
        part.resize(at.place * self.shape.cells(), 0);
        if let Value::Candidates(counts) = answers.value(0, answer) {
            let bit = |(digit, &count): (usize, &u64)| u32::from(count > 0) << digit;
            let mask = |cell: &[u64]| cell.iter().enumerate().map(bit).sum::<u32>();
            part.extend(counts.chunks(self.shape.side()).map(mask));
        }
    }

    fn keep(&self, records: Range<usize>, mut part: Vec<u32>) {
        part.resize(records.len() * self.shape.cells(), 0);
        self.parts.keep(records.start, part);
    }
}

impl Masks {
    pub(crate) fn new(shape: Shape) -> Masks {
        Masks { shape, parts: Parts::new() }
    }

    /// Removes the masks of an earlier search that starts again.
    pub(crate) fn clear(&self) {
        self.parts.clear();
    }

    /// The masks, with a row for each record. They have 16 bits if that is enough for the digits, to save memory.
    pub(crate) fn into_column(self, py: Python<'_>) -> PyResult<FoundColumn<'_>> {
        let (cells, is_narrow) = (self.shape.cells(), self.shape.side() <= 16);
        let masks = self.parts.in_order().flatten();
        let masks = match is_narrow {
            true => wide(py, masks.map(|mask| mask as u16).collect(), cells)?,
            false => wide(py, masks.collect(), cells)?,
        };
        Ok(("masks", "numbers", masks, None, None))
    }
}

/// The record of each item (e.g. 0, 0, 1, 1, 1 for the ends 2 and 5).
fn records_of(ends: &[u64]) -> Vec<u32> {
    let mut records = Vec::with_capacity(ends.last().map_or(0, |&end| end as usize));
    for (record, &end) in (0..).zip(ends) {
        records.resize(end as usize, record);
    }
    records
}

/// The optional columns of steps.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct StepColumns {
    /// For a hint, whether it has every step of the lowest rating. `None` for explanations.
    all: Option<bool>,
    /// Whether each step has its reason in words.
    words: bool,
    /// Whether each record has all its steps as text, as the command prints them.
    text: bool,
    /// Whether each record has all its steps as a JSON object.
    json: bool,
    /// When the text shows a grid: "auto", "every" or "never".
    grid: String,
    /// Whether the text has reasons for singles too.
    reasons: bool,
}

impl StepColumns {
    /// The form in which steps are written. `scale` is the name of the scale of their ratings.
    pub(crate) fn form(&self, scale: &'static str) -> PyResult<StepsForm> {
        let grid = match &*self.grid {
            "auto" => GridChoice::Auto,
            "every" if self.all.is_none() => GridChoice::Every,
            "never" => GridChoice::Never,
            other => {
                let every = if self.all.is_none() { "every, " } else { "" };
                let expected = format!("grid={other:?}: expected one of auto, {every}never");
                return Err(PyValueError::new_err(expected));
            }
        };
        let text = ExplanationStyle { scale, grid, colours: false, reasons: self.reasons };
        let extent = match self.all {
            None => StepsExtent::Explanation,
            Some(false) => StepsExtent::Hint,
            Some(true) => StepsExtent::AllHints,
        };
        Ok(StepsForm { text, extent })
    }
}

/// Collects the steps of each puzzle.
pub(crate) struct StepCollector<'a, P: PuzzleText> {
    puzzles: &'a RecordParser<'a, P>,
    form: StepsForm,
    wanted: &'a StepColumns,
    objects: StepsObjects,
    parts: &'a Parts<StepPart>,
}

/// The steps of the records in a part, and their texts.
#[derive(Default)]
pub(crate) struct StepPart {
    /// The end of the steps of each record.
    ends: Vec<u64>,
    rounds: Vec<u16>,
    techniques: Vec<u8>,
    ratings: Vec<f64>,
    cells: Vec<i8>,
    digits: Vec<u8>,
    removed: Runs<u16>,
    reasons: Runs<u8>,
    texts: Runs<u8>,
    objects: Runs<u8>,
}

/// Digits per cell. A candidate is the number `cell * SIDE + digit`, where both count from 0.
const SIDE: usize = 9;

/// The index of the column of steps in jobs that have one.
const STEPS: usize = 1;

impl<'a, P: PuzzleText> StepCollector<'a, P> {
    pub(crate) fn new(
        puzzles: &'a RecordParser<'a, P>,
        form: StepsForm,
        wanted: &'a StepColumns,
        parts: &'a Parts<StepPart>,
    ) -> StepCollector<'a, P> {
        let key = if form.extent == StepsExtent::Explanation { "explanation" } else { "hint" };
        let objects = StepsObjects::new(form, JsonInputKeys::default(), key);
        StepCollector { puzzles, form, wanted, objects, parts }
    }

    /// Appends the JSON object of a record, without the line end.
    fn put_object(
        &self,
        record: usize,
        puzzle: &P,
        explanation: (&str, Option<&Steps>),
        objects: &mut Vec<u8>,
    ) {
        let (text, echo) = self.puzzles.echo(record).unwrap_or((&[], SourceEcho::Puzzle));
        let record = Record { start: 0, len: text.len() as u32, lead: 0, echo, fault: None };
        self.objects.write(&record, text, Some(puzzle), explanation, objects);
        objects.pop();
    }
}

impl StepPart {
    /// Adds the steps of an explanation, or only its first step (a hint needs no more).
    fn push_steps(&mut self, explanation: &Explanation, is_first_alone: bool, has_reasons: bool) {
        let steps =
            explanation.rounds.iter().flat_map(|round| round.steps.iter().map(|step| (round.number, step)));
        for (round, Step { deduction, pattern }) in steps.take(if is_first_alone { 1 } else { usize::MAX }) {
            let (cell, digit) =
                deduction.placed.map_or((-1, 0), |(cell, digit)| (cell as i8, digit as u8 + 1));
            self.rounds.push(round as u16);
            self.techniques.push(deduction.technique as u8);
            self.ratings.push(deduction.rating.number());
            self.cells.push(cell);
            self.digits.push(digit);
            let number = |(cell, digit): (usize, usize)| (cell * SIDE + digit) as u16;
            let start = self.removed.items.len();
            self.removed.items.extend(deduction.removed.iter().map(number));
            self.removed.items[start..].sort_unstable();
            self.removed.end();
            if has_reasons {
                self.reasons.items.extend_from_slice(pattern.reason.as_bytes());
                self.reasons.end();
            }
        }
    }

    /// Ends a record after its steps have been added.
    fn end(&mut self) {
        self.ends.push(self.rounds.len() as u64);
        self.texts.end();
        self.objects.end();
    }

    /// Adds records without steps until there are `records`, because malformed records have none.
    fn fill(&mut self, records: usize) {
        self.ends.resize(records.max(self.ends.len()), self.rounds.len() as u64);
        self.texts.fill(records);
        self.objects.fill(records);
    }

    /// Appends the next part.
    fn append(&mut self, mut more: StepPart) {
        let before = self.rounds.len() as u64;
        self.ends.extend(more.ends.into_iter().map(|end| before + end));
        self.rounds.append(&mut more.rounds);
        self.techniques.append(&mut more.techniques);
        self.ratings.append(&mut more.ratings);
        self.cells.append(&mut more.cells);
        self.digits.append(&mut more.digits);
        self.removed.append(more.removed);
        self.reasons.append(more.reasons);
        self.texts.append(more.texts);
        self.objects.append(more.objects);
    }
}

impl Parts<StepPart> {
    /// The columns in addition to those of the job: for each record, and for each step.
    pub(crate) fn into_columns<'py>(
        self,
        py: Python<'py>,
        wanted: &StepColumns,
    ) -> PyResult<FoundColumns<'py>> {
        let mut all = StepPart::default();
        self.in_order().for_each(|part| all.append(part));
        let mut whole = Vec::new();
        for (name, is_wanted, texts) in [("text", wanted.text, all.texts), ("json", wanted.json, all.objects)]
        {
            if is_wanted {
                whole.push(texts.into_column(py, name, "long_texts")?);
            }
        }
        let places = all.cells.iter().map(|&cell| cell < 0).collect::<Vec<_>>();
        let techniques = all.techniques.into_pyarray(py).call_method1("view", ("int8",))?;
        let names = Technique::ALL.iter().map(|technique| technique.slug()).collect::<Vec<_>>().join(" ");
        let mut steps = vec![
            numbers(py, "record", records_of(&all.ends), None),
            numbers(py, "round", all.rounds, None),
            ("technique", "names", techniques, None, Some(names)),
            numbers(py, "rating", all.ratings, None),
            numbers(py, "cell", all.cells, Some(places.clone())),
            numbers(py, "digit", all.digits, Some(places)),
            all.removed.into_column(py, "removed", "lists")?,
        ];
        if wanted.words {
            steps.push(all.reasons.into_column(py, "reason", "long_texts")?);
        }
        steps.push(numbers(py, "offsets", Runs::<u8>::offsets(all.ends), None));
        Ok([whole, steps])
    }
}

impl<P: PuzzleText> Gather<P> for StepCollector<'_, P> {
    type Part = StepPart;

    fn take(&self, part: &mut StepPart, at: RecordPlace, puzzle: &P, answers: &Answers, answer: usize) {
        part.fill(at.place);
        let steps = match answers.value(STEPS, answer) {
            Value::Steps(steps) => Some(steps),
            _ => None,
        };
        if let Some(Steps::Explained(explanation)) = steps {
            part.push_steps(explanation, self.form.extent == StepsExtent::Hint, self.wanted.words);
        }
        if let Some(steps) = steps.filter(|_| self.wanted.text) {
            part.texts.items.extend_from_slice(self.form.words(puzzle, steps).as_bytes());
        }
        if self.wanted.json {
            let schema = answers.schema();
            let status = schema.statuses[usize::from(answers.statuses()[answer])].name;
            self.put_object(at.first + at.place, puzzle, (status, steps), &mut part.objects.items);
        }
        part.end();
    }

    fn keep(&self, records: Range<usize>, mut part: StepPart) {
        part.fill(records.len());
        self.parts.keep(records.start, part);
    }
}
