//! Questions as tests ask them, without a server; and the test of work with ticks.

use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use gridmill_core::grid::{Grid, Shape};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::with_ticks;
use crate::reply::{Lines, Refusal, Reply};

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

/// Begins an answer that ends only with its reader, lets `read` take some of it, and waits for the end.
pub(super) fn ends_with_its_reader(
    answer: impl FnOnce(&Reply) -> Result<(), Refusal> + Send + 'static,
    read: impl FnOnce(&mut Lines),
) {
    let (reply, mut lines) = Reply::pair();
    let (end, ended) = channel();
    thread::spawn(move || end.send(answer(&reply)));
    read(&mut lines);
    drop(lines);
    // So long only an answer lasts that does not end.
    assert_eq!(ended.recv_timeout(Duration::from_secs(300)), Ok(Ok(())));
}

/// Returns the next event of an answer.
pub(super) fn next(lines: &mut Lines) -> Value {
    serde_json::from_slice(&lines.lines.blocking_recv().unwrap().unwrap()).unwrap()
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("datasets").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().take(lines).map(str::to_owned).collect()
}

#[test]
fn work_is_watched_until_it_is_done() {
    let (mut ticks, begun) = (0, std::time::Instant::now());
    let (tick, ticked) = channel();
    // The work waits to be seen, for far longer than that takes.
    let work = move || (0..5).map(|_| ticked.recv_timeout(Duration::from_secs(300)).unwrap()).sum::<u32>();
    let count = || {
        ticks += 1;
        // Once the work is done, the last tick has no receiver.
        let _ = tick.send(ticks);
    };
    assert_eq!(with_ticks(Duration::from_millis(5), work, count).unwrap(), 1 + 2 + 3 + 4 + 5);
    // Between two ticks there is a period at least.
    let most = begun.elapsed().as_millis() / 5 + 1;
    assert!(u128::from(ticks) <= most, "{ticks} of {most}");
}

#[test]
fn a_panic_of_the_work_goes_on() {
    let work = || panic!("on purpose");
    assert!(std::panic::catch_unwind(|| with_ticks(Duration::from_secs(60), work, || {})).is_err());
}
