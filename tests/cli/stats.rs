//! `gridmill stats`.

use std::collections::{BTreeMap, HashSet};

use crate::common::{self, clues_of, random_grid};
use crate::program::{Scratch, gridmill, run, solve, texts_of};
use gridmill_core::grid::Puzzle;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const A_SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[test]
fn every_figure_of_a_small_collection_is_right() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let lopsided = format!("1{}", ".".repeat(80)).replacen("1..", ".1.", 1);
    let first = scratch.file("p.txt", format!("{A}\n{}\nbad\n{conflict}\n", A.replace('.', "0")));
    let second = scratch.file("q.csv", format!("puzzle\n{empty}\n{A_SOLVED}\n{A}\n{lopsided}\n"));
    let stats = |arguments: &[&str]| {
        let ran = run(gridmill().arg("stats").args([&first, &second]).args(arguments));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        ran.out
    };
    let figures = |arguments: &[&str]| {
        let mut figures: Value = serde_json::from_str(&stats(arguments)).unwrap();
        let times = figures["time_ns"].take();
        assert!(times["p50"].as_u64() <= times["max"].as_u64() && times["max"].as_u64() > Some(0));
        figures
    };
    let found = figures(&["--to=json"]);
    assert_eq!((&found["records"], &found["duplicates"]), (&json!(8), &json!(2)));
    let statuses = json!({ "unique": 4, "multiple": 2, "none": 0, "conflict": 1, "malformed": 1 });
    assert_eq!(found["statuses"], statuses);
    assert_eq!(found["clues"], json!({ "0": 1, "1": 1, "30": 4, "81": 1 }));
    // A is the same after half a turn. The empty and the full grid have every symmetry.
    let symmetries = json!({ "none": 1, "rotate180": 6, "rotate90": 2, "mirror": 2, "diagonal": 2 });
    assert_eq!(found["symmetries"], symmetries);
    assert_eq!(figures(&["--to=json", "--threads", "3", "--memory", "64K", "--chunk-bytes", "100"]), found);
    let table = stats(&[]);
    for line in ["duplicates                      2   25.00 %", "clues 30                        4   57.14 %"]
    {
        assert!(table.lines().any(|it| it == line), "{table}");
    }
}

#[test]
fn an_empty_input_has_no_figures() {
    let ran = run(gridmill().args(["stats", "-", "--to=json"]).write_stdin(""));
    let figures: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &figures["records"], &figures["guesses"]), (Some(0), &json!(0), &Value::Null));
}

/// A puzzle in disguise: its digits are renamed, its rows and columns are permuted within and by bands, and
/// perhaps it is transposed.
fn disguised(puzzle: &str, rng: &mut impl rand::Rng) -> String {
    let mut digits: Vec<char> = "123456789".chars().collect();
    digits.shuffle(rng);
    let mut order = || {
        let mut bands: Vec<[usize; 3]> = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]];
        bands.iter_mut().for_each(|band| band.shuffle(rng));
        bands.shuffle(rng);
        bands.concat()
    };
    let (rows, columns) = (order(), order());
    let is_turned: bool = rng.random();
    let cells: Vec<char> = puzzle.chars().collect();
    let cell = |place: usize| {
        let (row, column) = (rows[place / 9], columns[place % 9]);
        let cell = cells[if is_turned { 9 * column + row } else { 9 * row + column }];
        cell.to_digit(10).map_or('.', |digit| digits[digit as usize - 1])
    };
    (0..81).map(cell).collect()
}

/// Records of every kind: different puzzles, copies and disguises of some of them, and unreadable lines. The
/// second list has the puzzle of each record, which is the same for its copies and disguises.
fn collection(seed: u64) -> (Vec<String>, Vec<Option<usize>>) {
    let mut rng = common::rng(seed);
    let mut records = Vec::new();
    for puzzle in 0..150 {
        let grid = random_grid(&mut rng);
        let mut text = clues_of(&grid, rng.random_range(26..60), &mut rng).to_string();
        if puzzle % 5 == 0 {
            // The change mostly leaves no solution, or makes a conflict.
            let (place, digit) = (rng.random_range(0..81), rng.random_range(1..=9).to_string());
            text.replace_range(place..=place, &digit);
        }
        if puzzle % 7 == 0 {
            // The clues of one half are chosen at random. Half a turn moves them to the other half.
            let grid = grid.to_string();
            let has_clue: Vec<bool> =
                (0..81).map(|place: usize| rng.random_bool(0.5) || place == 40).collect();
            text = (0..81)
                .map(|place| if has_clue[place.min(80 - place)] { &grid[place..=place] } else { "." })
                .collect();
        }
        for _ in 0..rng.random_range(0..3) / 2 {
            records.push((text.clone(), Some(puzzle)));
        }
        if rng.random_bool(0.3) {
            records.push((disguised(&text, &mut rng), Some(puzzle)));
        }
        records.push((text, Some(puzzle)));
    }
    // The puzzle has no solution, but also no conflict.
    let none = "275...1.......9.6..4.3.........3..24....9.8....96...7.4.7.56.8.......2.1.1...8...";
    records.push((none.to_owned(), Some(150)));
    records.extend(["bad", "12345", "x"].map(|text| (text.to_owned(), None)));
    records.shuffle(&mut rng);
    records.into_iter().unzip()
}

/// Returns whether the places of the clues stay the same if each moves to `to`.
fn is_symmetric(puzzle: &str, to: impl Fn(usize, usize) -> (usize, usize)) -> bool {
    let cells = puzzle.as_bytes();
    (0..81).all(|place| {
        let (row, column) = to(place / 9, place % 9);
        (cells[place] == b'.') == (cells[9 * row + column] == b'.')
    })
}

/// The names of the symmetries of a puzzle.
fn symmetries(puzzle: &str) -> Vec<&'static str> {
    let has = [
        ("rotate180", is_symmetric(puzzle, |row, column| (8 - row, 8 - column))),
        ("rotate90", is_symmetric(puzzle, |row, column| (column, 8 - row))),
        (
            "mirror",
            is_symmetric(puzzle, |row, column| (row, 8 - column))
                || is_symmetric(puzzle, |row, column| (8 - row, column)),
        ),
        (
            "diagonal",
            is_symmetric(puzzle, |row, column| (column, row))
                || is_symmetric(puzzle, |row, column| (8 - column, 8 - row)),
        ),
    ];
    let found: Vec<&str> = has.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    if found.is_empty() { vec!["none"] } else { found }
}

/// Checks the mean, the percentiles and the highest number of a spread. A difference of 0.2 % is allowed,
/// because the figures may be rounded to three digits.
fn assert_spread(spread: &Value, mut numbers: Vec<u64>) {
    numbers.sort_unstable();
    let is_near = |found: f64, expected: f64| (found - expected).abs() <= expected * 2e-3;
    let mean = numbers.iter().sum::<u64>() as f64 / numbers.len() as f64;
    assert!(is_near(spread["mean"].as_f64().unwrap(), mean), "{spread}, mean {mean}");
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)] {
        let rank = (share * numbers.len() as f64).ceil() as usize;
        let expected = numbers[rank.max(1) - 1];
        assert!(is_near(spread[name].as_f64().unwrap(), expected as f64), "{name} of {spread}: {expected}");
    }
}

/// Statuses and guesses are compared with those of `solve`. All other figures are counted here.
#[test]
fn figures_agree_with_an_independent_count() {
    const SEED: u64 = 90;
    let scratch = Scratch::new();
    let (records, kinds) = collection(SEED);
    let (front, back) = records.split_at(records.len() / 3);
    let files = [scratch.file("a.txt", front.join("\n")), scratch.file("b.txt", back.join("\n") + "\n")];
    let rows = solve(&scratch.file("all.txt", records.join("\n")), &["--engine", "lockstep"]).rows();
    let puzzles: Vec<&String> = records.iter().filter(|record| record.parse::<Puzzle>().is_ok()).collect();

    let mut statuses: BTreeMap<&str, u64> =
        ["unique", "multiple", "none", "conflict", "malformed"].map(|status| (status, 0)).into();
    rows.iter().for_each(|row| *statuses.get_mut(&row[2][..]).unwrap() += 1);
    assert!(statuses.values().all(|count| *count > 0), "seed {SEED}: {statuses:?}");
    let mut clues: BTreeMap<String, u64> = BTreeMap::new();
    let mut symmetric: BTreeMap<&str, u64> =
        ["none", "rotate180", "rotate90", "mirror", "diagonal"].map(|name| (name, 0)).into();
    for puzzle in &puzzles {
        *clues.entry(puzzle.bytes().filter(|cell| *cell != b'.').count().to_string()).or_default() += 1;
        symmetries(puzzle).into_iter().for_each(|name| *symmetric.get_mut(name).unwrap() += 1);
    }
    assert!(symmetric["rotate180"] > 10, "seed {SEED}: {symmetric:?}");
    let searched = rows.iter().filter(|row| !["conflict", "malformed"].contains(&&row[2][..]));
    let guesses: Vec<u64> = searched.map(|row| row[3].parse().unwrap()).collect();

    let same = puzzles.len() - puzzles.iter().collect::<HashSet<_>>().len();
    // Contradictory clues have no canonical form, so only equal clues are duplicates of them.
    let keys: HashSet<(Option<usize>, &str)> = (rows.iter().zip(&records).zip(&kinds))
        .filter(|(_, kind)| kind.is_some())
        .map(|((row, record), kind)| if row[2] == "conflict" { (None, &record[..]) } else { (*kind, "") })
        .collect();
    let isomorphic = puzzles.len() - keys.len();
    assert!(0 < same && same < isomorphic, "seed {SEED}: {same} and {isomorphic}");
    for (arguments, duplicates) in [(&[][..], same), (&["--isomorphic"], isomorphic)] {
        let ran = run(gridmill().arg("stats").args(&files).arg("--to=json").args(arguments));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(found["records"], json!(records.len()), "seed {SEED}");
        assert_eq!(found["duplicates"], json!(duplicates), "seed {SEED}, {arguments:?}");
        assert_eq!(found["statuses"], json!(statuses), "seed {SEED}");
        assert_eq!(found["clues"], json!(clues), "seed {SEED}");
        assert_eq!(found["symmetries"], json!(symmetric), "seed {SEED}");
        assert_spread(&found["guesses"], guesses.clone());
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        assert_eq!(found["files"], json!(names));
    }
}

/// Each figure of the JSON that is not 0 is a line of the table, with its share. The table has no other
/// lines.
#[test]
fn the_table_has_the_figures_of_the_json() {
    let scratch = Scratch::new();
    let (records, _) = collection(91);
    let file = scratch.file("p.txt", records.join("\n"));
    let stats = |arguments: &[&str]| run(gridmill().arg("stats").arg(&file).args(arguments)).out;
    let found: Value = serde_json::from_str(&stats(&["--to=json"])).unwrap();
    let records = found["records"].as_u64().unwrap();
    let puzzles = found["clues"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    let mut expected: Vec<String> = vec![format!("records {records}")];
    let mut add = |label: String, count: u64, all: u64| {
        expected.push(format!("{label} {count} {:.2} %", 100.0 * count as f64 / all as f64));
    };
    add("duplicates".to_owned(), found["duplicates"].as_u64().unwrap(), records);
    for (what, key, all) in
        [("status", "statuses", records), ("symmetry", "symmetries", puzzles), ("clues", "clues", puzzles)]
    {
        for (name, count) in found[key].as_object().unwrap() {
            if count != 0 {
                add(format!("{what} {name}"), count.as_u64().unwrap(), all);
            }
        }
    }
    let guesses = &found["guesses"];
    let spread = ["p50", "p90", "p99", "max"].map(|name| format!("{name} {}", guesses[name]));
    expected.push(format!("guesses mean {:.3} {}", guesses["mean"].as_f64().unwrap(), spread.join(" ")));
    let table = stats(&[]);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut found, mut expected): (Vec<String>, _) = (table.lines().map(words).collect(), expected);
    // Times are left out, because they differ from run to run.
    assert!(found.pop().unwrap().starts_with("time in ns mean "), "{table}");
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn ratings_are_counted_on_request() {
    let scratch = Scratch::new();
    let several = ".".repeat(81);
    let file = scratch.file("p.txt", format!("{A}\n{A}\n{A_SOLVED}\n{several}\n"));
    let stats = |arguments: &[&str]| run(gridmill().arg("stats").arg(&file).args(arguments));
    let ran = stats(&["--rating"]);
    let rows = "\
rating 0.0                      1   33.33 %
rating 1.2                      2   66.67 %
hardest                         2   66.67 %  hidden-single-box
ratings             min 0.0  p50 1.2  p90 1.2  p99 1.2  max 1.2
scale               sukaku-1
";
    assert!(ran.code == Some(0) && ran.out.ends_with(rows), "{}", ran.out);
    let found: Value = serde_json::from_str(&stats(&["--rating", "--to=json", "--scale", "se"]).out).unwrap();
    let expected = json!({
        "scale": "se-1",
        "er": { "0.0": 1, "1.2": 2 },
        "hardest": { "hidden-single-box": 2 },
        "unsolved": 0,
        "quantiles": { "min": 0.0, "p50": 1.2, "p90": 1.2, "p99": 1.2, "max": 1.2 },
    });
    assert_eq!(found["ratings"], expected);
    let plain: Value = serde_json::from_str(&stats(&["--to=json"]).out).unwrap();
    assert_eq!(plain.get("ratings"), None);
    let small = run(gridmill().args(["stats", "-", "--rating"]).write_stdin("1.....3..4.....2\n"));
    assert!(
        small.code == Some(2) && small.err.contains("ratings are for puzzles of one size"),
        "{}",
        small.err
    );
}

/// The report has the same figures as the table, and the printed table is the same as without a report.
#[test]
fn a_report_has_the_figures_of_the_table() {
    let scratch = Scratch::new();
    let several = ".".repeat(81);
    let file = scratch.file("p.txt", format!("{A}\n{A}\n{A_SOLVED}\n{several}\nbad\n"));
    let report = scratch.path("r.html");
    let stats = |arguments: &[&str]| run(gridmill().arg("stats").arg(&file).args(arguments));
    let untimed =
        |ran: &str| ran.lines().filter(|line| !line.starts_with("time")).collect::<Vec<_>>().join("\n");
    let ran = stats(&["--rating", "--html", report.to_str().unwrap()]);
    assert_eq!((ran.code, untimed(&ran.out)), (Some(1), untimed(&stats(&["--rating"]).out)));
    let html = std::fs::read_to_string(&report).unwrap();
    let texts = texts_of(&html).join("|");
    for row in [
        "5 records, 1 duplicate",
        "malformed|1|20.00 %",
        "unique|3|60.00 %",
        "rotate180|4|100.00 %",
        "30|2|50.00 %",
        "hidden-single-box|2|66.67 %",
        "30 clues: 2 records",
        "rating 1.2: 2 records",
    ] {
        assert!(texts.contains(row), "{row}: {texts}");
    }
    let none = ["conflict|0", "unsolved|0", "29 clues"];
    assert!(none.iter().all(|row| !texts.contains(row)), "{texts}");
    for table in
        ["Collection", "Status", "Symmetry", "Guesses and time per puzzle", "Clues", "Spread of ratings"]
    {
        assert!(html.contains(&format!("<caption>{table}</caption>")), "{table}: {html}");
    }
    assert_eq!(html.matches("<svg ").count(), 6, "{html}");
}

/// A browser that opens the report loads nothing else, and runs no script.
#[test]
fn a_report_loads_nothing_and_runs_no_script() {
    let scratch = Scratch::new();
    let report = scratch.path("r.html");
    let ran = run(gridmill().args(["stats", "-", "--html"]).arg(&report).write_stdin(format!("{A}\n")));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let html = std::fs::read_to_string(&report).unwrap();
    let html = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for link in
        ["http:", "https:", "//", "src=", "href=", "url(", "@import", "<script", "<link", " style=", " id="]
    {
        assert!(!html.contains(link), "{link}: {html}");
    }
    assert!(html.contains("<h1>Statistics of standard input</h1>"), "{html}");
}

#[test]
fn file_names_are_escaped_in_a_report() {
    let scratch = Scratch::new();
    let names = ["<script>alert(1)<!--&amp;.txt", "\"><img src=x onerror=alert(1)>.txt"];
    let files = names.map(|name| scratch.file(&name.replace('/', "-"), format!("{A}\n")));
    let report = scratch.path("r.html");
    for files in [&files[..1], &files[1..], &files[..]] {
        let ran = run(gridmill().arg("stats").args(files).arg("--html").arg(&report));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let html = std::fs::read_to_string(&report).unwrap();
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        let texts = texts_of(&html).join("|");
        assert!(files.iter().all(|file| texts.contains(file.to_str().unwrap())), "{texts}");
    }
}

#[test]
fn a_report_of_an_empty_input_has_no_pictures() {
    let scratch = Scratch::new();
    let report = scratch.path("r.html");
    let ran = run(gridmill().args(["stats", "-", "--html"]).arg(&report).write_stdin(""));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let html = std::fs::read_to_string(&report).unwrap();
    assert!(texts_of(&html).contains(&"0 records, no duplicates".to_owned()), "{html}");
    assert!(!html.contains("<svg") && !html.contains("<h2>Pictures"), "{html}");
}

#[test]
fn a_report_is_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", collection(92).0.join("\n"));
    let report = |arguments: &[&str]| {
        let path = scratch.path("r.html");
        let ran = run(gridmill().arg("stats").arg(&file).arg("--html").arg(&path).args(arguments));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let html = std::fs::read_to_string(path).unwrap();
        let (before, after) = html.split_once("<g class=\"bar\" data-field=\"time_ns\"").unwrap();
        // Times are left out, because they differ from run to run. They are in the last picture and in one
        // table.
        let (before, _) = before.rsplit_once("<figure>").unwrap();
        let (_, after) = after.split_once("</figure>").unwrap();
        let (first, last) = after.split_once("<caption>Guesses and time").unwrap();
        format!("{before}{first}{}", last.split_once("</table>").unwrap().1)
    };
    assert_eq!(report(&["--threads", "3", "--chunk-bytes", "100"]), report(&["--threads", "1"]));
}

#[test]
fn reports_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new();
    let page = scratch.file("p.html", format!("{A}\n"));
    let puzzles = scratch.file("p.txt", format!("{A}\n"));
    let nowhere = scratch.path("no/where.html");
    for (report, message) in [
        (&page, "is also an input"),
        (&nowhere, "can't be written"),
        (&puzzles, "p.txt: --html writes HTML: give a name that ends in .html"),
    ] {
        let ran = run(gridmill().arg("stats").arg(&page).arg("--html").arg(report));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    assert_eq!(scratch.names(), ["p.html", "p.txt"]);
    assert_eq!(std::fs::read_to_string(puzzles).unwrap(), format!("{A}\n"));
}

#[test]
fn disguised_neighbors_are_found_and_counted_in_clusters() {
    let scratch = Scratch::new();
    let lines: Vec<&str> = include_str!("../../datasets/minimal.txt").lines().take(3).collect();
    scratch.file("p.txt", lines.join("\n") + "\n");
    let output =
        |arguments: &str| run(gridmill().args(arguments.split(' ')).current_dir(scratch.path(""))).out;
    // The second record is a neighbor of the first one, in disguise.
    let found = output("neighbors p.txt -q");
    scratch.file("n.csv", found.lines().take(2).collect::<Vec<_>>().join("\n") + "\n");
    let neighbor = output("shuffle n.csv -q --seed 3");
    let neighbor = neighbor.lines().last().unwrap().split(',').nth(1).unwrap();
    scratch.file("q.txt", [lines[0], neighbor, "bad", lines[1], lines[2]].join("\n") + "\n");
    let figures: Value = serde_json::from_str(&output("stats q.txt --neighbors --to json")).unwrap();
    assert_eq!(figures["neighbors"], json!({ "linked": 2, "clusters": { "1": 3, "2": 1 } }));
    let table = output("stats q.txt --neighbors");
    assert!(table.contains("linked                          2   40.00 %"), "{table}");
}

#[test]
fn backdoor_sizes_and_band_classes_agree_with_backdoors_and_canon() {
    let scratch = Scratch::new();
    let lines: Vec<&str> = include_str!("../../datasets/hard.txt").lines().take(40).collect();
    let improper = [".".repeat(81), "bad".to_owned()];
    scratch.file("p.txt", [lines.join("\n"), improper.join("\n")].join("\n") + "\n");
    let ran = |arguments: &str| run(gridmill().args(arguments.split(' ')).current_dir(scratch.path("")));
    let mut backdoors: BTreeMap<String, u64> = BTreeMap::new();
    for row in ran("backdoors p.txt --columns size").rows().into_iter().take(lines.len()) {
        let size = if row[0].is_empty() { "more".to_owned() } else { row[0].clone() };
        *backdoors.entry(size).or_default() += 1;
    }
    let mut bands: BTreeMap<String, u64> = BTreeMap::new();
    let columns = "band1,band2,band3,stack1,stack2,stack3";
    let canon = ran(&format!("canon p.txt --of-solution --bands --columns {columns}"));
    for row in canon.rows().into_iter().take(lines.len()) {
        row.into_iter().for_each(|class| *bands.entry(class).or_default() += 1);
    }
    let figures: Value = serde_json::from_str(&ran("stats p.txt --backdoors --bands --to json").out).unwrap();
    assert!(backdoors.len() > 1 && bands.len() > 100, "{backdoors:?} {bands:?}");
    assert_eq!(figures["backdoors"], json!(backdoors));
    assert_eq!(figures["bands"], json!(bands));
    let table = ran("stats p.txt --backdoors --bands").out;
    let [size, count] =
        backdoors.first_key_value().map(|(size, count)| [size.clone(), count.to_string()]).unwrap();
    assert!(table.contains(&format!("backdoor {size:<9}  {count:>13}")), "{table}");
    assert!(table.contains(&format!("classes of bands    {:>13} of 416", bands.len())), "{table}");
    scratch.file("s.txt", "1234341221434321\n");
    let refused = ran("stats s.txt --bands");
    assert!(refused.code == Some(2) && refused.err.contains("classes of bands are for"), "{}", refused.err);
}
