//! The rows of views: filters and sorts (compared with naive ones), and searches for texts and puzzles. And
//! what the page shows of rows: records, ratings, pictures and downloads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::{Isomorphism, Puzzle, Shape};
use gridmill_core::jobs::{Status, Value as Answer};
use gridmill_core::logic::Rating;
use hyper::StatusCode;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};

use super::{PUZZLE, Shown, file, named, open, try_open, value};
use crate::collection::export::Export;
use crate::collection::index::{Entry, Index, Pass, RatingMark};
use crate::collection::view::Sort;
use crate::reply::{Refusal, Reply};

const SEED: u64 = 11;

/// More rows than fit into a segment of the index.
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

/// A collection of two files whose entries are replaced by these.
fn collection_with(folder: &tempfile::TempDir, entries: &[Entry]) -> Shown {
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
    let is_searched = entry.status.is_some_and(Status::is_searchable);
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
fn views_match_a_naive_filter_and_sort() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..ROWS).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = collection_with(&folder, &entries);
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
fn a_view_is_cancelled_if_its_client_is_gone() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..100).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = collection_with(&folder, &entries);
    let filter = serde_json::from_value(json!({"clues": [20, 25]})).unwrap();
    assert!(shown.collection.view(&filter, Sort::default(), &AtomicBool::new(true)).is_err());
    assert!(shown.collection.view(&filter, Sort::default(), &AtomicBool::new(false)).is_ok());
}

/// The index has new rows before their file knows them.
#[test]
fn a_view_that_lacks_rows_is_rebuilt() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..100).map(|_| Entry { status: None, ..entry(&mut rng) }).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = collection_with(&folder, &entries);
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
fn simultaneous_requests_for_a_view_share_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let entries: Vec<Entry> = (0..ROWS).map(|_| entry(&mut rng)).collect();
    let folder = tempfile::tempdir().unwrap();
    let shown = collection_with(&folder, &entries);
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
fn the_position_of_a_record_is_that_in_the_rows_of_its_view() {
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

/// Asks for the rows of a filter until its search is complete, and returns their numbers.
fn found(shown: &Shown, filter: &Value) -> Vec<u64> {
    loop {
        let answer = shown.try_rows(json!({"filter": filter, "from": 0, "count": 200})).unwrap();
        if answer["unsearched"] == 0 {
            let rows = answer["rows"].as_array().unwrap().iter();
            let found: Vec<u64> = rows.map(|row| row["row"].as_u64().unwrap()).collect();
            return found;
        }
    }
}

fn puzzle(line: &str, isomorphic: bool) -> Value {
    let clues: Vec<u32> = line.chars().map(|cell| cell.to_digit(10).unwrap_or(0)).collect();
    json!({"puzzle": {"shape": "3x3", "clues": clues, "isomorphic": isomorphic}})
}

#[test]
fn texts_and_puzzles_are_found_in_files_of_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let isomorph =
        Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&PUZZLE.parse::<Puzzle>().unwrap());
    let other = PUZZLE.replacen('5', ".", 1);
    let table: String = (0..9000).map(|id| format!("Ab{id},{other}\n")).collect();
    let rows: String = (0..9).map(|row| format!("{}\n", &PUZZLE[row * 9..][..9])).collect();
    let shown = open(&[
        &file(&folder, "table.csv", format!("id,puzzle\n{table}x,{isomorph}\ny,{PUZZLE}\n")),
        &file(&folder, "rows.txt", rows),
        &file(&folder, "lines.txt", format!("{PUZZLE} by hand\nno puzzle by hand\n{PUZZLE}\n")),
        &file(&folder, "small.txt", "42........21....\n"),
    ]);
    assert_eq!(found(&shown, &json!({"find": "ab8999"})), [8999]);
    assert_eq!(found(&shown, &json!({"find": "BY HAND"})), [9003, 9004]);
    assert_eq!(found(&shown, &json!({"find": "by hand", "status": ["malformed"]})), [9004]);
    assert_eq!(found(&shown, &json!({"find": "not there"})), [0_u64; 0]);
    assert_eq!(found(&shown, &puzzle(PUZZLE, false)), [9001, 9002, 9003, 9005]);
    assert_eq!(found(&shown, &puzzle(PUZZLE, true)), [9000, 9001, 9002, 9003, 9005]);
    assert_eq!(found(&shown, &puzzle(&isomorph.to_string(), false)), [9000]);
    let small = json!({"shape": "2x2", "clues": [4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0], "isomorphic": true});
    assert_eq!(found(&shown, &json!({"puzzle": small})), [9006]);
}

#[test]
fn records_that_are_added_later_are_found_too() {
    let folder = tempfile::tempdir().unwrap();
    let shown = open(&[&file(&folder, "one.txt", format!("{PUZZLE}\n"))]);
    let filter = puzzle(PUZZLE, true);
    assert_eq!(found(&shown, &filter), [0]);
    let text = std::io::Cursor::new(format!("\n{PUZZLE}\n"));
    shown.collection.take_in("two.txt", text).unwrap();
    shown.wait_for(|state| state["records"] == 2 && state["is_indexed"] == true);
    assert_eq!(found(&shown, &filter), [0, 1]);
}

#[test]
fn invalid_searches_are_refused() {
    let shown = open(&[]);
    for (filter, words) in [
        (json!({"find": " "}), "no search text"),
        (json!({"puzzle": {"shape": "3x3", "clues": [1], "isomorphic": false}}), "incomplete"),
        (json!({"puzzle": {"shape": "x", "clues": [1], "isomorphic": false}}), "incomplete"),
        (json!({"puzzle": {"shape": "4x4", "clues": vec![0; 256], "isomorphic": true}}), "up to 9x9"),
    ] {
        let refusal = shown.try_rows(json!({"filter": filter, "from": 0, "count": 1})).unwrap_err();
        assert!(refusal.message.contains(words), "{refusal:?}");
    }
}

fn dataset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("datasets").join(name)
}

fn record(shown: &Shown, row: Value) -> Result<Value, Refusal> {
    shown.collection.record(&serde_json::from_value(json!({"row": row})).unwrap()).map(value)
}

/// Downloads records, and returns the name and the text of the file.
fn download(shown: &Shown, fields: &[(&str, &str)]) -> Result<(String, String), Refusal> {
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let question = Export::parse(form.as_bytes())?;
    let plan = shown.collection.plan_export(&question, &AtomicBool::new(false))?;
    let name = plan.name.clone();
    let (reply, lines) = Reply::pair();
    let collection = std::sync::Arc::clone(&shown.collection);
    let sending = std::thread::spawn(move || collection.export(&plan, &reply));
    let bytes = lines.into_bytes();
    sending.join().unwrap()?;
    Ok((name, String::from_utf8(bytes).unwrap()))
}

#[test]
fn records_are_returned_as_grids() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("# by hand\n{PUZZLE}  easy\n{}\n", &PUZZLE[1..]);
    let path = file(&folder, "two.txt", text);
    let marks = file(&folder, "marks.txt", format!(".2......9{}\n", "123456789".repeat(80)));
    let shown = open(&[&path, &marks, &dataset("16x16.txt")]);
    let first = record(&shown, json!(0)).unwrap();
    let clues: Vec<u32> = PUZZLE.chars().map(|c| c.to_digit(10).unwrap_or(0)).collect();
    assert_eq!(first["grid"], json!({"shape": "3x3", "clues": clues}));
    assert_eq!((&first["number"], &first["file"]), (&json!(1), &json!(path)));
    let refusal = record(&shown, json!(1)).unwrap_err();
    assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
    assert!(refusal.message.contains("two.txt: record 2: malformed: 80 cells"), "{refusal:?}");
    let marks = record(&shown, json!(2)).unwrap();
    let digits = [1, 3, 4, 5, 6, 7, 8];
    assert_eq!(marks["grid"]["removed"], json!(digits.map(|digit| [0, digit])));
    let rows = shown.all_rows();
    let large = record(&shown, json!(3)).unwrap();
    assert_eq!((&large["file"], &large["grid"]["shape"]), (&json!(dataset("16x16.txt")), &json!("4x4")));
    assert_eq!(large["grid"]["clues"].as_array().unwrap().len(), 256);
    for row in [json!(rows.len()), json!(u64::MAX)] {
        assert!(record(&shown, row).unwrap_err().message.contains("no record"));
    }
}

#[test]
fn grids_above_16x16_are_shown_too() {
    let folder = tempfile::tempdir().unwrap();
    let cells: Vec<String> =
        (0..625).map(|cell| if cell < 25 { (cell + 1).to_string() } else { "0".to_owned() }).collect();
    let path = file(&folder, "large.txt", cells.join(" "));
    let shown = open(&[&path]);
    let rows = shown.rows(json!({}), json!({}));
    assert_eq!(rows["rows"][0]["clues"], 25);
    let grid = record(&shown, json!(0)).unwrap()["grid"].take();
    assert_eq!((&grid["shape"], &grid["clues"][24]), (&json!("5x5"), &json!(25)));
}

#[test]
fn puzzles_are_rated_only_on_request() {
    let shown = open(&[&dataset("easy.txt"), &dataset("multiple.txt")]);
    shown.wait_until_solved();
    assert!(shown.all_rows().iter().all(|row| row["er"].is_null()));
    // The rows that the request sorts to the front are rated first.
    let is_rated = |row: &Value| row["status"] != "unique" || row["er"].is_f64();
    while !shown.rows(json!({}), json!({"by": "er"}))["rows"].as_array().unwrap().iter().all(is_rated) {}
    assert_eq!(shown.state()["is_rating"], false);
    let rate = |on: bool| shown.collection.rate_all(&serde_json::from_value(json!({"on": on})).unwrap());
    assert_eq!(rate(true), json!({}));
    shown.wait_for(|state| state["is_rating"] == false);
    for row in shown.all_rows() {
        let is_proper = row["status"] == "unique";
        assert_eq!(row["er"].is_f64(), is_proper, "{row}");
        assert_eq!(row["rating_end"], if is_proper { json!("solved") } else { Value::Null });
    }
    let rated = shown.state()["rated"].as_u64().unwrap();
    assert!(rated > 0);
    assert_eq!(shown.rows(json!({"er": [0, 99]}), json!({"by": "er"}))["total"], rated);
    assert_eq!(rate(false), json!({}));
    let unknown = serde_json::from_value::<crate::collection::RateAll>(json!({"on": true, "all": 1}));
    assert!(unknown.is_err());
}

#[test]
fn only_9x9_puzzles_are_rated() {
    let shown = open(&[&dataset("6x6.txt")]);
    shown.wait_until_solved();
    let rows = || shown.rows(json!({}), json!({"by": "er"}));
    // The rows of a request are rated in the background.
    let is_pending = |row: u32| shown.collection.index.get(row).unwrap().wants(Pass::Rate);
    let asked = rows()["rows"].as_array().unwrap().len() as u32;
    shown.wait_for(|_| !(0..asked).any(is_pending));
    let rows = rows();
    assert_eq!((&rows["rows"][0]["rating_end"], &shown.state()["rated"]), (&Value::Null, &json!(0)));
}

#[test]
fn rating_stops_when_it_is_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    let hard = fs::read_to_string(dataset("hard.txt")).unwrap();
    let shown = open(&[&file(&folder, "hard.txt", &hard[..82 * 200])]);
    shown.wait_until_solved();
    let rate = |on: bool| shown.collection.rate_all(&serde_json::from_value(json!({"on": on})).unwrap());
    rate(true);
    let state = shown.state();
    // On a fast machine, all of them may have been rated already.
    assert!(state["is_rating"] == true || state["rated"] == state["records"], "{state}");
    rate(false);
    assert_eq!(shown.state()["is_rating"], false);
}

#[test]
fn pictures_count_all_records_and_those_of_a_filter() {
    let shown = open(&[&dataset("classics.txt"), &dataset("multiple.txt")]);
    shown.wait_until_solved();
    let filter = json!({"status": ["unique"]});
    let pictures = |filter: &Value| {
        let question = serde_json::from_value(json!({"filter": filter})).unwrap();
        shown.collection.pictures(question, &AtomicBool::new(false)).map(value)
    };
    let answer = pictures(&filter).unwrap();
    let status = &answer["pictures"][0];
    assert_eq!(status["field"], "status");
    let (all, some) = (shown.all_rows(), shown.rows(filter, json!({})));
    let proper = all.iter().filter(|row| row["status"] == "unique").count();
    assert_eq!(some["total"], proper);
    assert!(
        status["svg"].as_str().unwrap().contains(&format!("unique: {proper} of {proper} records")),
        "{status}"
    );
    let fields: Vec<&Value> =
        answer["pictures"].as_array().unwrap().iter().map(|picture| &picture["field"]).collect();
    assert!(fields.contains(&&json!("clues")) && fields.contains(&&json!("time_ns")), "{fields:?}");
    assert!(pictures(&json!({"clues": [2, 1]})).is_err());
}

/// Checks that a download has the records of the view, in its order.
fn check_download(path: &Path, filter: &Value, sort: &Value) {
    let shown = open(&[path]);
    shown.wait_until_solved();
    let puzzles = |rows: &[Value]| -> Vec<(Value, Value, Value)> {
        rows.iter().map(|row| (row["puzzle"].clone(), row["clues"].clone(), row["fault"].clone())).collect()
    };
    let expected = shown.rows(filter.clone(), sort.clone());
    let expected = puzzles(expected["rows"].as_array().unwrap());
    let fields =
        [("token", "x"), ("form", "records"), ("filter", &filter.to_string()), ("sort", &sort.to_string())];
    let (name, text) = download(&shown, &fields).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let again = file(&folder, &name, &text);
    let found = match expected.is_empty() {
        true => Vec::new(),
        false => puzzles(open(&[&again]).rows(json!({}), json!({}))["rows"].as_array().unwrap()),
    };
    // A single record may be read as a different format.
    if expected.iter().any(|(puzzle, _, _)| puzzle.is_string()) {
        assert_eq!(found, expected, "{} {filter} {sort}:\n{text}", path.display());
    }
}

#[test]
fn downloads_have_the_records_of_the_view() {
    for name in ["classics.txt", "6x6.txt", "fixtures/train.csv"] {
        check_download(&dataset(name), &json!({"status": ["unique"]}), &json!({}));
        check_download(
            &dataset(name),
            &json!({"clues": [20, 26]}),
            &json!({"by": "clues", "descending": true}),
        );
    }
    for entry in fs::read_dir(dataset("formats")).unwrap() {
        let path = entry.unwrap().path();
        check_download(&path, &json!({}), &json!({}));
        check_download(&path, &json!({}), &json!({"by": "row", "descending": true}));
        check_download(&path, &json!({"clues": [23, 30]}), &json!({}));
    }
}

#[test]
fn downloaded_lines_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{},2", "w".repeat(2_500_000));
    let text = format!("id,puzzle\r\n\"1\n2\",{PUZZLE}\r\n\r\n{long}\n3,{PUZZLE}");
    let shown = open(&[&file(&folder, "table.csv", text)]);
    let (name, text) = download(&shown, &[("form", "records")]).unwrap();
    assert_eq!(name, "table-records.csv");
    assert!(text == format!("id,puzzle\n\"1\n2\",{PUZZLE}\r\n{long}\n3,{PUZZLE}\n"));
}

#[test]
fn a_downloaded_table_has_the_known_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "a, b.txt", format!("{PUZZLE}\nbad\n55{}\n", &PUZZLE[2..]));
    let shown = open(&[&path]);
    let (_, text) =
        download(&shown, &[("form", "csv"), ("known", "on"), ("filter", ""), ("sort", "{\"by\":\"row\"}")])
            .unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(
        reader.headers().unwrap(),
        &["row", "file", "record", "puzzle", "clues", "status", "guesses", "time_ns", "er"][..]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let name = path.display().to_string();
    let part = |row: usize| rows[row].iter().take(6).collect::<Vec<_>>();
    assert_eq!(part(0), ["1", &name, "1", PUZZLE, "30", "unique"]);
    assert_eq!(part(1), ["2", &name, "2", "", "", "malformed"]);
    assert_eq!(part(2)[4..], ["30", "conflict"]);
    assert_eq!(&rows[0][6], "0");
    assert_eq!((&rows[1][6], &rows[2][7], &rows[0][8]), ("", "", ""));
}

#[test]
fn columns_of_the_files_are_shown_and_downloaded() {
    let folder = tempfile::tempdir().unwrap();
    let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let long = "x".repeat(300);
    let table = file(
        &folder,
        "a.csv",
        format!("id,puzzle,\"no,te\"\n7,{PUZZLE},\"{long}\"\nbad,1,\"a \"\"b\"\"\"\n"),
    );
    let objects =
        file(&folder, "b.jsonl", format!("{{\"status\":\"new\",\"puzzle\":\"{PUZZLE}\",\"id\":8}}\n"));
    let shown = open(&[&table, &objects, &dataset("easy.txt")]);
    assert_eq!(shown.state()["columns"], json!(["id", "no,te", "status"]));
    let rows = shown
        .try_rows(json!({"from": 0, "count": 4, "columns": ["status", "no,te", "id", "other"]}))
        .unwrap();
    let own: Vec<&Value> = rows["rows"].as_array().unwrap().iter().map(|row| &row["own"]).collect();
    let cut = format!("{}…", &long[..200]);
    assert_eq!(
        own[..3],
        [&json!(["", cut, "7", ""]), &json!(["", "a \"b\"", "bad", ""]), &json!(["new", "", "8", ""])]
    );
    assert_eq!(own[3], &json!(["", "", "", ""]));
    let fields = [("form", "csv"), ("own", "on"), ("known", "on"), ("solution", "on")];
    let (_, text) = download(&shown, &fields).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names =
        "row,file,record,puzzle,id,\"no,te\",status,clues,gridmill_status,guesses,time_ns,er,solution";
    assert_eq!(text.lines().next(), Some(names));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(
        (&rows[0][4], &rows[0][5], &rows[0][6], &rows[0][8], &rows[0][12]),
        ("7", &*long, "", "unique", solution)
    );
    assert_eq!((&rows[1][4], &rows[1][5], &rows[1][8], &rows[1][12]), ("bad", "a \"b\"", "malformed", ""));
    assert_eq!((&rows[2][4], &rows[2][6], &rows[2][12]), ("8", "new", solution));
    let (_, text) = download(&shown, &[("form", "csv")]).unwrap();
    assert_eq!(text.lines().next(), Some("row,file,record,puzzle"));
}

#[test]
fn invalid_downloads_are_refused() {
    let shown = open(&[&dataset("classics.txt"), &dataset("formats/columns.csv")]);
    let refused = |fields: &[(&str, &str)]| {
        let refusal = download(&shown, fields).unwrap_err();
        assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
        refusal.message
    };
    assert!(refused(&[("form", "records")]).contains("differ in the format"));
    assert!(refused(&[]).contains("form"));
    assert!(refused(&[("form", "xml")]).contains("form"));
    assert!(refused(&[("form", "csv"), ("form", "csv")]).contains("twice"));
    assert!(refused(&[("form", "csv"), ("path", "/etc")]).contains("unknown field"));
    assert!(refused(&[("form", "csv"), ("filter", "{")]).contains("filter: "));
    assert!(refused(&[("form", "csv"), ("filter", "{\"file\": 2}")]).contains("no file 3"));
    assert!(download(&shown, &[("form", "csv")]).is_ok());
    assert!(download(&shown, &[("form", "records"), ("filter", "{\"file\": 1}")]).is_ok());
}

/// More records may follow, so the text after the last known record is left out.
#[test]
fn a_download_with_a_file_that_is_being_read_ends_with_its_last_record() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<&str> = (0..9).map(|row| &PUZZLE[row * 9..row * 9 + 9]).collect();
    let path = file(&folder, "grids.txt", format!("{}\n\n# behind\n", rows.join("\n")));
    let shown = open(&[&path]);
    let text = || download(&shown, &[("form", "records")]).unwrap().1;
    assert!(text().ends_with("# behind\n"), "{}", text());
    shown.collection.files().get(0).is_indexed.store(false, Ordering::Release);
    assert_eq!(text().trim_end(), rows.join("\n"));
}

#[test]
fn files_without_rows_do_not_affect_a_download() {
    let folder = tempfile::tempdir().unwrap();
    let lines = file(&folder, "lines.txt", format!("{PUZZLE}\n"));
    let table = file(&folder, "table.csv", format!("puzzle\n{}.\n", &PUZZLE[..80]));
    let shown = open(&[&lines, &table]);
    let download_with = |clues: &str| download(&shown, &[("form", "records"), ("filter", clues)]).unwrap();
    assert_eq!(
        download_with(r#"{"clues": [30, 30]}"#),
        ("lines-records.txt".to_owned(), format!("{PUZZLE}\n"))
    );
    assert_eq!(download_with(r#"{"clues": [29, 29]}"#).1, format!("puzzle\n{}.\n", &PUZZLE[..80]));
    assert_eq!(download_with(r#"{"clues": [0, 1]}"#).1, "");
}
