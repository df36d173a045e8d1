//! Operations on whole collections: finding equal puzzles (`same`), dividing them into parts (`split`), selecting some
//! of them (`select`), and counting them (`stats`).

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hasher};
use std::str;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gridmill_core::grid::Shape;
use gridmill_core::jobs::{Keys, PuzzleKey, Status};
use gridmill_core::solver::Engine;
use gridmill_data::collection::{
    Attribute, AttributeName, Conditions, DuplicateFinder, Field, Judge, KeyedRecord, KeyedRecords,
    PartBounds, Partition, Sample, SegmentKind, SelectionOrder, SelectionWriter, Space, StratifiedPartition,
    TextSegments,
};
use gridmill_data::output::put_csv_row;
use gridmill_report::{Clusters, CollectionCounts, Extras, FigureMapper, MeasuredRecord};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::answer::{Call, all_arguments, argument, check_rated, check_served, keys, scale};
use crate::arrays::{FoundColumn, numbers};
use crate::call::{BATCHES, FORMS, Options, RATINGS, Values, wrong_answer};
use crate::generate::rating_criteria;
use crate::given_records::GivenRecords;
use crate::on_puzzles;
use crate::threads::{self, Progress};

impl<'py> Call<'py, '_> {
    /// For each puzzle, the first one with the same key: among the others if there are any, else among the puzzles
    /// before it.
    pub(crate) fn same(self, job: &Keys) -> PyResult<Vec<FoundColumn<'py>>> {
        let keys = self.clone().columns(job, FORMS)?;
        let others =
            self.others.map(|records| Call { records, ..self.clone() }.columns(job, FORMS)).transpose()?;
        // A job's keys are its first column.
        let among = others.as_ref().map(|others| &others.values[0]);
        let (threads, silent) = (self.options.threads, Progress::default());
        let firsts =
            threads::work(self.py, threads, &silent, |watch| firsts(&keys.values[0], among, &watch.stop))?;
        let missing = firsts.iter().map(|&first| first < 0).collect();
        let status = keys.into_python(self.py)?.pop().expect("a job has a status");
        Ok(vec![numbers(self.py, "same_as", firsts, Some(missing)), status])
    }

    /// The part of each puzzle. Puzzles with the same key are in the same part, so that e.g. no test puzzle is an
    /// isomorph of a training puzzle.
    pub(crate) fn split(self, job: &Keys, arguments: &SplitArgs) -> PyResult<Vec<FoundColumn<'py>>> {
        let keys = self.clone().columns(job, FORMS)?;
        let silent = Progress::default();
        let parts =
            threads::work(self.py, self.options.threads, &silent, |watch| match &arguments.strata {
                Some(strata) => arguments.stratified(&keys.values[0], strata, &watch.stop),
                None => Ok(arguments.divided(&keys.values[0])),
            })??;
        let status = keys.into_python(self.py)?.pop().expect("a job has a status");
        Ok(vec![numbers(self.py, "part", parts, None), status])
    }
}

/// How a collection is divided: by a ratio (e.g. 8:1:1) and a seed, and perhaps by strata.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SplitArgs {
    ratio: Vec<u64>,
    seed: u64,
    strata: Option<Strata>,
}

impl SplitArgs {
    /// The part of each record, by a bucket of its key.
    fn divided(&self, keys: &Values) -> Vec<u8> {
        let mut partition = Partition::new(self.seed);
        let bucket = |key: Option<PuzzleKey>| match key {
            Some(key) => Some(partition.add(&key)),
            None => {
                partition.add_keyless();
                None
            }
        };
        let buckets: Vec<Option<u32>> = keys_of(keys).map(bucket).collect();
        parts_of_buckets(&partition.parts(&self.ratio), buckets)
    }

    /// The part of each record, so that records with a given value are divided in the same ratio.
    fn stratified(&self, keys: &Values, strata: &Strata, stop: &AtomicBool) -> PyResult<Vec<u8>> {
        let mut partition = StratifiedPartition::new(&space(), self.seed).map_err(wrong)?;
        let mut keyed = KeyedRecords::default();
        keyed.records.extend(keys_of(keys).map(|key| KeyedRecord { line: 0, key }));
        let attributes = [strata.attribute()?];
        strata.lines().for_each(|line| keyed.values.push(&attributes, Some(0), &line));
        partition.add(&keyed).map_err(|error| PyValueError::new_err(error.to_string()))?;
        // An empty result is enough, because a stopped call raises the exception that stopped it.
        let Some((buckets, _)) = partition.divide(&self.ratio, stop).map_err(wrong)? else {
            return Ok(Vec::new());
        };
        Ok(parts_of_buckets(
            &PartBounds::one_per_bucket(self.ratio.len()),
            buckets.into_numbers().map_err(wrong)?,
        ))
    }
}

/// The part of each bucket. Records without a bucket (malformed ones) are in the first part.
fn parts_of_buckets(parts: &PartBounds, buckets: Vec<Option<u32>>) -> Vec<u8> {
    buckets.into_iter().map(|bucket| bucket.map_or(0, |bucket| parts.part_of(bucket) as u8)).collect()
}

/// The key of each record. Malformed records have none.
fn keys_of(keys: &Values) -> impl Iterator<Item = Option<PuzzleKey>> {
    let (bytes, _) = keys.bytes.as_slice().as_chunks::<{ PuzzleKey::BYTES }>();
    bytes.iter().zip(&keys.missing).map(|(&bytes, missing)| (!missing).then(|| PuzzleKey::from_bytes(bytes)))
}

/// The values of the records by which they are stratified. With `bins`, numbers are grouped in bins of that width (e.g.
/// 0.5).
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Strata {
    values: Vec<Option<String>>,
    bins: Option<f64>,
}

impl Strata {
    /// The attribute that reads a value from its line. It is the first field of CSV, because `lines` writes the values
    /// so.
    fn attribute(&self) -> PyResult<Attribute> {
        let bins = self.bins.map(|width| format!(" by {width}")).unwrap_or_default();
        let name: AttributeName = format!("value{bins}").parse().map_err(PyValueError::new_err)?;
        name.resolve(|_| Ok(Field::Column { index: 0, separator: b',' }))
    }

    /// The values as lines of CSV, because the library reads attributes from lines.
    fn lines(&self) -> impl Iterator<Item = Vec<u8>> {
        self.values.iter().map(|value| {
            let mut line = Vec::new();
            put_csv_row(&[value.clone().unwrap_or_default().into_bytes()], b',', &mut line);
            line.truncate(line.trim_ascii_end().len());
            line
        })
    }
}

/// Memory and disk space for sorting records, as much memory as the command takes by default.
fn space() -> Space {
    Space { memory: 256 << 20, folder: std::env::temp_dir() }
}

fn wrong(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// The conditions of `select`, and which of the puzzles that meet them are selected.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SelectArgs {
    clues: Option<(u64, u64)>,
    status: Vec<String>,
    guesses: Option<(u64, u64)>,
    minimal: bool,
    er: Option<(f64, f64)>,
    technique: Vec<String>,
    scale: String,
    invert: bool,
    skip: u64,
    take: Option<u64>,
    sample: Option<usize>,
    seed: u64,
    strata: Option<Strata>,
}

/// Whether each puzzle is selected.
#[pyfunction]
pub(crate) fn select<'py>(
    py: Python<'py>,
    records: &Bound<'py, GivenRecords>,
    wanted: &Bound<'py, PyDict>,
    options: Options<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (records, wanted) = (records.get(), all_arguments::<SelectArgs>(wanted)?);
    let conditions = wanted.conditions()?;
    if conditions.ratings.is_some() {
        check_rated(records.shape)?;
    }
    let (engine, accepts_malformed) = (Engine::fastest(Some(records.shape)), conditions.accepts_malformed());
    let mut selected = Values::zeros(1, records.len(py));
    let size = if conditions.ratings.is_some() { RATINGS } else { BATCHES };
    on_puzzles!(py, records, None, options, |puzzles, _others, watch| {
        let (slots, stop) = (vec![selected.slot()], &watch.stop);
        let judge = || Judge::new(&conditions, engine);
        puzzles.in_parts(&size, slots, watch, judge, |judge, _, batch, mut slots| {
            let judged = judge.judge(&batch.puzzles, |_| true, stop);
            let judged = judged.map_err(|wrong| wrong_answer(wrong.engine, &batch.puzzles[wrong.puzzle]))?;
            for (&place, meets) in batch.places.iter().zip(judged.unwrap_or_default()) {
                slots[0].of(place)[0] = u8::from(meets != wanted.invert);
            }
            for (place, _) in &batch.faults {
                slots[0].of(*place)[0] = u8::from(accepts_malformed != wanted.invert);
            }
            Ok(())
        })
    })?;
    let mut selected: Vec<bool> =
        selected.into_numbers::<u8>().into_iter().map(|selected| selected != 0).collect();
    if wanted.chooses() {
        selected = wanted.chosen(&selected)?;
    }
    Ok(selected.into_pyarray(py))
}

impl SelectArgs {
    fn conditions(&self) -> PyResult<Conditions> {
        let known = [Status::Unique, Status::Multiple, Status::None, Status::Conflict, Status::Malformed];
        let status = |name: &String| {
            let names = || known.map(Status::name).join(", ");
            let found = known.into_iter().find(|status| status.name() == name);
            found
                .ok_or_else(|| PyValueError::new_err(format!("status={name:?}: expected one of {}", names())))
        };
        Ok(Conditions {
            clues: self.clues.map(|(least, most)| least..=most),
            status: self.status.iter().map(status).collect::<PyResult<_>>()?,
            guesses: self.guesses.map(|(least, most)| least..=most),
            minimal: self.minimal,
            ratings: rating_criteria(self.er, &self.technique, &self.scale)?,
            fields: Vec::new(),
        })
    }

    /// Whether only some of the puzzles that meet the conditions are selected (e.g. a sample).
    fn chooses(&self) -> bool {
        self.skip > 0 || self.take.is_some() || self.sample.is_some()
    }

    /// Chooses some of the records that meet the conditions. The library chooses among lines, so each record is
    /// represented by a line with its number.
    fn chosen(&self, selected: &[bool]) -> PyResult<Vec<bool>> {
        let mut segments = TextSegments::default();
        let attribute = self.strata.as_ref().map(Strata::attribute).transpose()?;
        let mut lines = self.strata.iter().flat_map(Strata::lines);
        for (record, &is_selected) in selected.iter().enumerate() {
            let line = lines.next();
            match is_selected {
                true => {
                    segments.push(SegmentKind::Record, format!("{record}\n").as_bytes());
                    if let Some((attribute, line)) = attribute.clone().zip(line) {
                        segments.values.push(&[attribute], Some(0), &line);
                    }
                }
                false => segments.push(SegmentKind::LeftOut, &[]),
            }
        }
        let mut written = Vec::new();
        let mut selection = SelectionWriter::with_writer(&mut written);
        (selection.left_to_skip, selection.left_to_take) = (self.skip, self.take);
        let sample = self.sample.map(|size| SelectionOrder::Sample(Sample::new(size, self.seed)));
        selection.order = sample.unwrap_or(SelectionOrder::All);
        let chosen = selection.take(&segments).and_then(|()| selection.finish());
        chosen.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut is_chosen = vec![false; selected.len()];
        for number in str::from_utf8(&written).expect("numbers are ASCII").lines() {
            is_chosen[number.parse::<usize>().expect("lines are numbers")] = true;
        }
        Ok(is_chosen)
    }
}

/// The figures of a collection, as the same JSON that the command writes.
#[pyfunction]
pub(crate) fn stats<'py>(
    py: Python<'py>,
    records: &Bound<'py, GivenRecords>,
    arguments: &Bound<'py, PyDict>,
    options: Options<'py>,
) -> PyResult<String> {
    let records = records.get();
    let engine = Engine::fastest(Some(records.shape));
    let keys = keys(engine, records.shape, arguments)?;
    let is_rated: bool = argument(arguments, "rating")?;
    let scale = is_rated.then(|| check_rated(records.shape).and_then(|()| scale(arguments))).transpose()?;
    let wanted = |name| argument::<bool>(arguments, name);
    let extras = Extras {
        scale,
        neighbors: wanted("neighbors")?,
        backdoors: wanted("backdoors")?,
        bands: wanted("bands")?,
    };
    if extras.neighbors {
        check_served(records.shape)?;
    }
    if extras.bands && records.shape != Shape::CLASSIC {
        return Err(PyValueError::new_err("bands=True: expected puzzles of 9x9, whose bands have classes"));
    }
    let size = if is_rated { RATINGS } else { BATCHES };
    let finder = DuplicateFinder::new(&space()).map_err(wrong)?;
    let clusters = extras.neighbors.then(|| Clusters::new(&space())).transpose().map_err(wrong)?;
    let counts = Mutex::new((CollectionCounts::new(extras), finder, clusters));
    on_puzzles!(py, records, None, options, |puzzles, _others, watch| {
        let mapper = || FigureMapper::new(engine, keys, extras);
        puzzles.in_parts(&size, Vec::new(), watch, mapper, |mapper, range, batch, _| {
            let measured = mapper.compute(&batch.puzzles, &watch.stop);
            let measured =
                measured.map_err(|wrong| wrong_answer(wrong.engine, &batch.puzzles[wrong.puzzle]))?;
            let mut measured = measured.unwrap_or_default();
            measured.extend(batch.faults.iter().map(|_| MeasuredRecord::malformed()));
            let (counts, finder, clusters) = &mut *counts.lock().unwrap_or_else(PoisonError::into_inner);
            // Parts arrive in any order, so the wrong record of two may be called a duplicate. That does not matter,
            // because they are only counted.
            counts.add_chunk(&measured, finder, 0, range.start as u64).map_err(wrong)?;
            clusters.as_mut().map_or(Ok(()), |clusters| clusters.add_chunk(&measured)).map_err(wrong)
        })
    })?;
    let (counts, finder, clusters) = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (threads, silent) = (options.threads, Progress::default());
    let figures = threads::work(py, threads, &silent, |watch| {
        let mut found = finder.find(&watch.stop)?;
        let duplicates = found.try_fold(0, |count, found| found.map(|_| count + 1))?;
        let figures = counts.figures(Vec::new(), duplicates);
        match clusters {
            Some(clusters) => figures.with_clusters(clusters, &watch.stop),
            None => Ok(figures),
        }
    })?;
    Ok(figures.map_err(wrong)?.to_json())
}

/// The number of groups in which keys are compared. A group is the work of one thread.
const KEY_GROUPS: u8 = 128;

/// The group of records without a key. It is never searched.
const NO_GROUP: u8 = u8::MAX;

/// The group of each record, by a hash of its key, so that records with equal keys are in the same group.
fn groups_of(keys: &Values) -> Vec<u8> {
    let group = |key: &[u8]| {
        let mut hasher = DefaultHasher::new();
        hasher.write(key);
        (hasher.finish() % u64::from(KEY_GROUPS)) as u8
    };
    let records = keys.bytes.as_slice().par_chunks_exact(PuzzleKey::BYTES).zip(&keys.missing);
    records.map(|(key, &missing)| if missing { NO_GROUP } else { group(key) }).collect()
}

/// For each record the first other one with the same key, or -1. If `stop` becomes true, it ends early; the result is
/// incomplete then, and the caller discards it.
fn firsts(keys: &Values, others: Option<&Values>, stop: &AtomicBool) -> Vec<i64> {
    let (groups, groups_among) = (groups_of(keys), others.map(groups_of));
    let groups_among = groups_among.as_ref().unwrap_or(&groups);
    let (keys, _) = keys.bytes.as_slice().as_chunks::<{ PuzzleKey::BYTES }>();
    let among = others.map_or(keys, |others| others.bytes.as_slice().as_chunks().0);
    let pairs: Vec<Vec<(usize, usize)>> = (0..KEY_GROUPS)
        .into_par_iter()
        .map(|group| {
            let continues = |_: &usize| !stop.load(Ordering::Relaxed);
            // Also checked here, because even a group without records takes a scan of all of them.
            if stop.load(Ordering::Relaxed) {
                return Vec::new();
            }
            let mut first = HashMap::new();
            for record in places(groups_among, group).take_while(continues) {
                first.entry(&among[record]).or_insert(record);
            }
            let found = places(&groups, group).take_while(continues);
            let found = found.filter_map(|record| Some((record, *first.get(&keys[record])?)));
            found.filter(|&(record, first)| others.is_some() || first < record).collect()
        })
        .collect();
    let mut firsts = vec![-1; keys.len()];
    for (record, first) in pairs.into_iter().flatten() {
        firsts[record] = first as i64;
    }
    firsts
}

/// The records of a group, in order.
fn places(groups: &[u8], group: u8) -> impl Iterator<Item = usize> {
    groups.iter().enumerate().filter(move |&(_, &other)| other == group).map(|(record, _)| record)
}
