//! Promises of the repository. Each promise in `docs/reliability.md` must name tests that exist.
//!
//! `gridmill-data` must compile every job for all kinds of puzzles. Otherwise the program would compile it,
//! and the job would be slow, because the program is compiled without optimisation.

use std::fs;
use std::path::Path;

/// The promises of the page, each with the texts in backquotes in its second column.
fn promises(page: &str) -> Vec<(String, Vec<String>)> {
    let mut promises = Vec::new();
    let mut is_table = false;
    for line in page.lines() {
        is_table = line == "| promise | tests |" || is_table && line.starts_with('|');
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if let ([promise, tests], true) = (&cells[..], is_table && !line.starts_with("| promise")) {
            let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            promises.push(((*promise).to_owned(), tests));
        }
    }
    promises
}

/// Returns whether a file has a test of this name, as a function or in the list of names of a macro.
fn has_test(file: &str, name: &str) -> bool {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap_or_default();
    let is_listed = text.lines().filter(|line| line.starts_with("targets! {"));
    text.contains(&format!("#[test]\nfn {name}()"))
        || text.contains(&format!("#[test]\n    fn {name}()"))
        || is_listed.flat_map(str::split_whitespace).any(|word| word == name)
}

#[test]
fn every_promise_names_existing_tests() {
    let promises = promises(include_str!("../../docs/reliability.md"));
    assert!(promises.len() > 20);
    for (promise, tests) in promises {
        assert!(!tests.is_empty() && tests.len() % 2 == 0, "{promise}: {tests:?}");
        for pair in tests.chunks(2) {
            assert!(has_test(&pair[0], &pair[1]), "{promise}: {} has no test {}", pair[0], pair[1]);
        }
    }
}

#[test]
fn a_promise_without_its_test_is_found() {
    let page = "| promise | tests |\n|---|---|\n| a | `x.rs` `b` |\n| c | none |\n\n| other | `d` |\n";
    let found = promises(page);
    assert_eq!(found[0], ("a".to_owned(), vec!["x.rs".to_owned(), "b".to_owned()]));
    assert_eq!(found[1], ("c".to_owned(), Vec::new()));
    assert_eq!(found.len(), 2);
    assert!(has_test("tests/repository/promises.rs", "a_promise_without_its_test_is_found"));
    assert!(!has_test("tests/repository/promises.rs", "promises") && !has_test("no/such/file.rs", "a"));
}

#[test]
fn every_job_and_every_sink_of_rows_is_among_the_instances() {
    let instances = fs::read_to_string("crates/data/src/instances.rs").unwrap();
    for (folder, before, call) in [
        ("crates/core/src/jobs", "impl Job for ", "worker::<"),
        ("crates/data/src/output", "Sink<P> for ", "sink::<"),
    ] {
        let mut found = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let code = fs::read_to_string(entry.unwrap().path()).unwrap();
            for (_, after) in code.match_indices(before).map(|(at, _)| code.split_at(at + before.len())) {
                let name: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
                assert!(instances.contains(&format!("{call}{name}")), "{name} is not in instances.rs");
                found += 1;
            }
        }
        assert!(found > 5, "{folder}");
    }
}
