//! The way of a puzzle in `src/README.md`: short, and as the code has it.

use std::fs;
use std::path::Path;

/// A function of the table.
struct Step {
    name: String,
    file: String,
    from: Option<usize>,
}

/// Reads the rows of the table whose first cell is a number.
fn steps() -> Vec<Step> {
    let text = fs::read_to_string("src/README.md").unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    let rows = text.lines().map(cells).filter(|cells| cells.len() > 5 && cells[1].parse::<usize>().is_ok());
    let steps: Vec<Step> = rows
        .enumerate()
        .map(|(index, cells)| {
            assert_eq!(cells[1], index.to_string(), "the steps are numbered in order");
            Step { name: cells[2].clone(), file: cells[3].clone(), from: cells[4].parse().ok() }
        })
        .collect();
    assert!(steps.len() > 20, "the table has {} steps", steps.len());
    steps
}

fn source(file: &str) -> String {
    let path = Path::new("src").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the function's own name, without its type.
fn own_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap()
}

#[test]
fn every_function_of_the_way_is_in_its_file() {
    for step in steps() {
        let name = own_name(&step.name);
        let text = source(&step.file);
        assert!(
            text.contains(&format!("fn {name}(")) || text.contains(&format!("fn {name}<")),
            "{}",
            step.name
        );
        if let Some((of, _)) = step.name.split_once("::") {
            assert!(text.contains(of), "{} does not name {of}", step.file);
        }
    }
}

#[test]
fn every_function_of_the_way_is_called_where_the_way_says() {
    let steps = steps();
    for step in &steps {
        let Some(from) = step.from else { continue };
        let name = own_name(&step.name);
        let caller = &steps[from];
        let is_called = source(&caller.file).contains(&format!("{name}("));
        // Standard writers are called by the trait's method for all bytes.
        let is_written = name == "write" && source(&caller.file).contains(".write");
        assert!(is_called || is_written, "{} does not call {}", caller.file, step.name);
    }
}

#[test]
fn the_worker_loop_is_five_calls_from_main_and_a_row_twenty_five() {
    let steps = steps();
    let worker = steps.iter().position(|step| step.file == "pipeline/worker.rs").unwrap();
    let (mut depth, mut at) = (0, worker);
    while let Some(from) = steps[at].from {
        (depth, at) = (depth + 1, from);
    }
    assert!(depth <= 5, "{depth} calls to the worker loop");
    assert!(steps.len() - 1 <= 25, "{} calls to a row", steps.len() - 1);
}
