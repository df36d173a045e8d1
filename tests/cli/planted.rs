//! The collection of `datasets/fixtures/train.csv` and `test.csv`. Its faults, duplicates and leaks were
//! planted by hand, as its notes say. Every command must find all of them, and nothing else.

use crate::program::{Ran, Scratch, gridmill, rows, run};

const TRAIN: &str = "datasets/fixtures/train.csv";
const TEST: &str = "datasets/fixtures/test.csv";

fn ask(arguments: &[&str]) -> Ran {
    run(gridmill().args(arguments))
}

/// The listed findings, by record.
fn listed(csv: &str) -> Vec<(String, String)> {
    let rows = rows(csv.as_bytes());
    rows.into_iter().map(|row| (format!("{} {}", row[0], row[1]), row[4].clone())).collect()
}

fn pairs(findings: &[(&str, &str)]) -> Vec<(String, String)> {
    findings.iter().map(|(record, verdict)| (format!("{TRAIN} {record}"), (*verdict).to_owned())).collect()
}

#[test]
fn planted_verdicts_are_found() {
    let ran = ask(&["verify", TRAIN, TEST, "-q", "-o", "-"]);
    let bad =
        [("13", "multiple"), ("14", "multiple"), ("19", "none"), ("20", "conflict"), ("21", "malformed")];
    assert_eq!((ran.code, listed(&ran.out)), (Some(1), pairs(&bad)));
    let ran = ask(&["verify", TEST, "-q"]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(0), "", ""));
}

#[test]
fn planted_wrong_solutions_are_found() {
    let ran = ask(&["check", TRAIN, "-q", "-o", "-"]);
    let bad = [
        ("13", "not-unique"),
        ("14", "not-unique"),
        ("15", "wrong"),
        ("16", "wrong"),
        ("17", "malformed"),
        ("18", "malformed"),
        ("19", "wrong"),
        ("20", "wrong"),
        ("21", "malformed"),
    ];
    assert_eq!((ran.code, listed(&ran.out)), (Some(1), pairs(&bad)));
    assert_eq!(ask(&["check", TEST, "-q"]).code, Some(0));
}

#[test]
fn planted_duplicates_are_found() {
    let scratch = Scratch::new();
    let (out, groups) = (scratch.path("o.csv"), scratch.path("g.csv"));
    let found = |arguments: &[&str]| {
        let outputs = ["-o", out.to_str().unwrap(), "--list-duplicates", groups.to_str().unwrap()];
        let ran = run(gridmill().arg("dedupe").args(arguments).args(outputs));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let short = |file: &str| file.rsplit('/').next().unwrap().replace(".csv", "");
        let groups = rows(&std::fs::read(&groups).unwrap());
        let groups =
            groups.iter().map(|row| format!("{} {} {} {}", short(&row[0]), row[1], short(&row[3]), row[4]));
        (groups.collect::<Vec<_>>(), rows(&std::fs::read(&out).unwrap()))
    };
    assert_eq!(found(&[TRAIN]).0, ["train 9 train 2", "train 22 train 1"]);
    let (groups, kept) = found(&["--isomorphic", TRAIN, TEST]);
    let disguised = [
        "train 9 train 2",
        "train 10 train 3",
        "train 11 train 3",
        "train 12 train 5",
        "train 14 train 13",
        "train 22 train 1",
        "test 1 train 16",
        "test 2 train 7",
        "test 3 train 23",
        "test 5 test 4",
    ];
    assert_eq!(groups, disguised);
    let ids: Vec<&str> = kept.iter().map(|row| &*row[0]).collect();
    let train =
        ["1", "2", "3", "4", "5", "6", "7", "8", "13", "15", "16", "17", "18", "19", "20", "21", "23"];
    assert_eq!(ids, [&train[..], &["4", "6", "7", "8"]].concat());
}

#[test]
fn planted_leaks_are_found() {
    for (arguments, leaks) in [
        (&[][..], "1 16"),
        (&["--isomorphic"], "1 16, 2 7, 3 23"),
        (&["--same-solution"], "1 16, 4 6"),
        (&["--isomorphic", "--same-solution"], "1 16, 2 7, 3 8, 4 6, 5 6"),
    ] {
        let ran = run(gridmill().args(["overlap", TEST, TRAIN, "-q"]).args(arguments));
        let found: Vec<String> = ran.rows().iter().map(|row| format!("{} {}", row[0], row[3])).collect();
        assert_eq!((ran.code, &*found.join(", ")), (Some(1), leaks), "{arguments:?}");
    }
}

#[test]
fn stats_counts_what_was_planted() {
    let ran = ask(&["stats", TRAIN, "--to=json", "-q"]);
    let figures: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let statuses =
        serde_json::json!({ "unique": 18, "multiple": 2, "none": 1, "conflict": 1, "malformed": 1 });
    assert_eq!((ran.code, &figures["statuses"], &figures["duplicates"]), (Some(1), &statuses, &2.into()));
    let ran = ask(&["stats", TRAIN, TEST, "--isomorphic", "--to=json", "-q"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["duplicates"], 10);
    let clues = serde_json::json!({ "18": 1, "20": 2, "21": 7, "22": 2, "23": 7, "30": 2, "32": 1 });
    assert_eq!(figures["clues"], clues);
}

#[test]
fn select_finds_what_was_planted() {
    let selected = |arguments: &[&str]| {
        let ran = run(gridmill().args(["select", TRAIN, "-q"]).args(arguments));
        ran.rows().into_iter().map(|row| row[0].clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(selected(&["--status", "multiple,none,conflict,malformed"]), "13 14 19 20 21");
    assert_eq!(selected(&["--clues", "..20"]), "13 14 19");
    assert_eq!(selected(&["--clues", "18..20", "--status", "none"]), "19");
    assert_eq!(selected(&["--clues", "30.."]), "1 22 23");
}
