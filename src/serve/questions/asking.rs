//! Questions as tests ask them, without a server.

use std::fs;
use std::path::Path;
use std::thread;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::grid::{Grid, Shape};
use crate::serve::refusal::Refusal;
use crate::serve::reply::Reply;

/// Returns a request of JSON.
pub(super) fn request<Q: DeserializeOwned>(request: Value) -> Q {
    serde_json::from_value(request).unwrap()
}

/// Returns all events of an answer, and how it ended.
pub(super) fn events(
    answer: impl FnOnce(&Reply) -> Result<(), Refusal> + Send,
) -> (Vec<Value>, Result<(), Refusal>) {
    let (reply, lines) = Reply::pair();
    thread::scope(|scope| {
        let answered = scope.spawn(move || answer(&reply));
        let events = lines.into_values();
        (events, answered.join().unwrap())
    })
}

/// Returns the events of a name.
pub(super) fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

/// Returns a grid of a line of digits, and letters for those above 9.
pub(super) fn grid(shape: &str, line: &str) -> Grid {
    let shape: Shape = shape.parse().unwrap();
    let cells = line.chars().map(|cell| cell.to_digit(36).unwrap_or(0) as u8).collect();
    Grid::new(shape, cells).unwrap()
}

/// Returns the clues of a grid as the page has it.
pub(super) fn page(grid: &Grid) -> Value {
    json!({"shape": grid.shape().to_string(), "clues": grid.cells()})
}

/// Returns the first lines of a file of `datasets`.
pub(super) fn dataset(name: &str, lines: usize) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().take(lines).map(str::to_owned).collect()
}
