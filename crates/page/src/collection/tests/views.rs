//! Filters and sorts, compared with naive ones.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Status, Value as Answer};
use gridmill_core::logic::Rating;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};

use super::helpers::{PUZZLE, Shown, file, named, open, try_open};
use crate::collection::index::Index;
use crate::collection::index::{Entry, RatingMark};
use crate::collection::view::Sort;

const SEED: u64 = 11;

/// More rows than a segment has.
const ROWS: usize = 70_000;

fn rating(rng: &mut impl Rng) -> RatingMark {
    let is_solved = rng.random();
    let er = Rating::tenths(rng.random_range(10..30));
    RatingMark::from_er(if is_solved { Answer::Rating(er) } else { Answer::Missing })
}

fn entry(rng: &mut impl Rng) -> Entry {
    let mut statuses = Status::ALL.map(Some).to_vec();
    statuses.push(None);
    let status = *statuses.choose(rng).unwrap();
    let is_rated = status == Some(Status::Unique) && rng.random();
    Entry {
        position: 0,
        len: 0,
        guesses: *[0, 1, 5, 1000, u32::MAX].choose(rng).unwrap(),
        nanos: rng.random_range(0..50),
        clues: rng.random_range(17..40),
        rating: if is_rated { rating(rng) } else { RatingMark::NONE },
        file: rng.random_range(0..2),
        status,
        symmetries: *[0, 0, 1, 2, 15].choose(rng).unwrap(),
    }
}

/// A collection of two files, whose entries are replaced.
fn made_up(folder: &tempfile::TempDir, entries: &[Entry]) -> Shown {
    let path = file(folder, "empty.txt", "");
    let mut shown = try_open(vec![named(&path), named(&path)], None, u32::MAX).unwrap();
    shown.wait_for(|state| state["is_indexed"] == true);
    shown.end_threads();
    let collection = Arc::get_mut(&mut shown.collection).unwrap();
    collection.index = Index::new(u32::MAX);
    collection.index.append(entries).unwrap();
    collection.files().get(0).add_ids(0..entries.len() as u32);
    shown
}

/// The value of an entry's field by its name, as a row has it.
fn field(row: usize, entry: &Entry, name: &str) -> Value {
    let is_puzzle = entry.status != Some(Status::Malformed);
    let is_searched = entry.status.is_some_and(Status::is_readable);
    match name {
        "row" => json!(row),
        "clues" if is_puzzle => json!(entry.clues),
        "status" => json!(entry.status.map(Status::name)),
        "guesses" if is_searched => json!(entry.guesses),
        "time_ns" if is_searched => json!(entry.nanos),
        "er" => json!(entry.rating.er().map(Rating::number)),
        "symmetry" if is_puzzle => {
            let names = ["rotate180", "rotate90", "mirror", "diagonal"];
            let has = |bit: &usize| entry.symmetries >> bit & 1 == 1;
            let found: Vec<&str> = (0..4).filter(has).map(|bit| names[bit]).collect();
            if found.is_empty() { json!(["none"]) } else { json!(found) }
        }
        "file" => json!(entry.file),
        _ => Value::Null,
    }
}

fn passes(row: usize, entry: &Entry, filter: &Value) -> bool {
    filter.as_object().unwrap().iter().all(|(name, wanted)| {
        let value = field(row, entry, name);
        match (&value, wanted) {
            (Value::Null, _) => false,
            (Value::Number(_), Value::Array(ends)) => {
                let number = value.as_f64().unwrap();
                ends[0].as_f64().unwrap() <= number && number <= ends[1].as_f64().unwrap()
            }
            (Value::Array(names), Value::Array(wanted)) => names.iter().any(|name| wanted.contains(name)),
            (Value::String(_), Value::Array(wanted)) => wanted.contains(&value),
            _ => value == *wanted,
        }
    })
}

fn naive(entries: &[Entry], filter: &Value, by: &str, descending: bool) -> Vec<u32> {
    let mut rows: Vec<usize> = (0..entries.len()).filter(|&row| passes(row, &entries[row], filter)).collect();
    rows.sort_by(|&one, &other| {
        let key = |row: usize| match field(row, &entries[row], by) {
            Value::Null => None,
            Value::String(name) => {
                Status::ALL.iter().position(|status| status.name() == name).map(|at| at as f64)
            }
            value => value.as_f64(),
        };
        match (key(one), key(other)) {
            (None, None) => std::cmp::Ordering::Equal,
            (None, _) => std::cmp::Ordering::Greater,
            (_, None) => std::cmp::Ordering::Less,
            (Some(one), Some(other)) if descending => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
        }
    });
    rows.into_iter().map(|row| row as u32).collect()
}

#[test]
fn views_are_those_of_a_naive_filter_and_sort() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..ROWS).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = made_up(&folder, &entries);
    let filters = [
        json!({}),
        json!({"clues": [20, 25]}),
        json!({"guesses": [1, 9_007_199_254_740_991_u64], "status": ["unique", "none"]}),
        json!({"time_ns": [3, 3]}),
        json!({"er": [1.2, 2.3]}),
        json!({"er": [0, 99], "file": 1}),
        json!({"status": ["malformed", "conflict"]}),
        json!({"status": []}),
        json!({"symmetry": ["none", "rotate90"]}),
        json!({"symmetry": ["diagonal"], "clues": [0, 65535]}),
    ];
    for filter in filters {
        let fields = ["row", "clues", "status", "guesses", "time_ns", "er"];
        let some = if filter == json!({}) { fields.len() } else { 1 };
        for by in fields.sample(&mut rng, some).copied().collect::<Vec<_>>() {
            let descending = rng.random();
            let sort: Sort = serde_json::from_value(json!({"by": by, "descending": descending})).unwrap();
            let parsed = serde_json::from_value(filter.clone()).unwrap();
            let view = shown.collection.view(&parsed, sort, &AtomicBool::new(false)).unwrap();
            let expected = naive(&entries, &filter, by, descending);
            assert_eq!(view.total, expected.len() as u64, "seed {SEED}: {filter} {by}");
            assert!(view.slice(0, u64::MAX) == expected, "seed {SEED}: {filter} {by} {descending}");
            let from = rng.random_range(0..=expected.len());
            let part = &expected[from..expected.len().min(from + 50)];
            assert_eq!(view.slice(from as u64, 50), part, "seed {SEED}: {filter} {by}");
        }
    }
}

#[test]
fn a_view_that_nobody_waits_for_is_given_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..100).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = made_up(&folder, &entries);
    let filter = serde_json::from_value(json!({"clues": [20, 25]})).unwrap();
    assert!(shown.collection.view(&filter, Sort::default(), &AtomicBool::new(true)).is_err());
    assert!(shown.collection.view(&filter, Sort::default(), &AtomicBool::new(false)).is_ok());
}

/// The index has new rows before their file knows them.
#[test]
fn a_view_that_lacks_rows_is_made_again() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..100).map(|_| Entry { status: None, ..entry(&mut rng) }).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = made_up(&folder, &entries);
    let total = |records: u32| {
        let file = Arc::clone(shown.collection.files().get(0));
        while file.records() > records {
            file.take_last_id();
        }
        file.add_ids(file.records()..records);
        let filter = serde_json::from_value(json!({"clues": [17, 40]})).unwrap();
        shown.collection.view(&filter, Sort::default(), &AtomicBool::new(false)).unwrap().total
    };
    assert_eq!(total(50), 50);
    // The view of 50 rows is kept for a while.
    shown.wait_for(|_| total(100) == 100);
}

#[test]
fn requests_for_the_same_view_share_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..ROWS).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = made_up(&folder, &entries);
    let filter = serde_json::from_value(json!({"clues": [17, 40]})).unwrap();
    let stop = AtomicBool::new(false);
    let views = std::thread::scope(|scope| {
        let view = || shown.collection.view(&filter, Sort::default(), &stop).unwrap();
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(view)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(views.iter().all(|view| Arc::ptr_eq(view, &views[0])));
}

fn position(shown: &Shown, question: Value) -> Value {
    let question = serde_json::from_value(question).unwrap();
    shown.collection.position(question, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_record_is_where_the_rows_of_its_view_show_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let fewer = PUZZLE.replacen('5', ".", 1);
    let first = file(&folder, "a.txt", format!("{PUZZLE}\n{fewer}\nno puzzle\n"));
    let second = file(&folder, "b.txt", format!("{fewer}\n{PUZZLE}\n"));
    let shown = open(&[&first, &second]);
    shown.wait_until_solved();
    for by in ["row", "clues", "status"] {
        for filter in
            [json!({}), json!({ "clues": [30, 30] }), json!({ "file": 1 }), json!({ "clues": [1, 2] })]
        {
            for descending in [false, true] {
                let sort = json!({ "by": by, "descending": descending });
                let rows = shown.rows(filter.clone(), sort.clone());
                for row in 0..6 {
                    let shown_at =
                        rows["rows"].as_array().unwrap().iter().position(|shown| shown["row"] == row);
                    let answer = position(&shown, json!({ "filter": filter, "sort": sort, "row": row }));
                    assert_eq!(
                        answer,
                        json!({ "position": shown_at, "total": rows["total"] }),
                        "{filter} {sort}"
                    );
                }
            }
        }
    }
    assert_eq!(position(&shown, json!({ "row": u64::MAX }))["position"], Value::Null);
}
