//! Questions about one puzzle.

mod analyse;
mod generate;
mod path;
mod solutions;
mod text;
mod tools;

use std::fmt::Display;
use std::io;
use std::iter;
use std::panic::resume_unwind;
use std::str::FromStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gridmill_core::grid::{Cell, Digit, Grid, Shape, Symmetry};
use gridmill_core::logic::{Link, State, Step, Technique, house};
use gridmill_data::text::PuzzleText;
use gridmill_report::StepObject;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::reply::{Answer, Refusal};
pub(super) use analyse::Analyse;
pub(super) use generate::Generate;
pub(super) use solutions::Solutions;
pub(super) use text::{PackedText, Read, Write};
pub(super) use tools::{Minimize, ToMinlex};

/// The text that this writes.
pub(crate) fn text_of(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut text = Vec::new();
    write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A value that a request gives by its name, e.g. the scale `sukaku-2020`, as the command line does.
#[derive(Clone, Copy, Debug, Default)]
struct Named<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        String::deserialize(deserializer)?.parse().map(Named).map_err(D::Error::custom)
    }
}

/// Reads the name of one of these values; null and `none` mean no value.
fn one_of<'de, D: Deserializer<'de>, T: Copy, const N: usize>(
    deserializer: D,
    kind: &str,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?.filter(|name| name != "none");
    let Some(name) = name else { return Ok(None) };
    let names = || all.map(name_of).join(", ");
    let unknown = || D::Error::custom(format!("there is no {kind} {name:?}; choose none, {}", names()));
    all.into_iter().find(|&value| name_of(value) == name).map(Some).ok_or_else(unknown)
}

fn symmetry<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Symmetry>, D::Error> {
    one_of(deserializer, "symmetry", Symmetry::ALL, Symmetry::name)
}

/// The first tick comes after a fifth of a period, so that clients soon have some news.
const FIRST_TICK: u32 = 5;

/// Runs work in its own thread, and calls `tick` after each period until the work is done. Fails if the system provides no thread.
fn with_ticks<T: Send>(
    period: Duration,
    work: impl FnOnce() -> T + Send,
    mut tick: impl FnMut(),
) -> io::Result<T> {
    thread::scope(|scope| {
        let (end, ended) = channel();
        let working = thread::Builder::new().spawn_scoped(scope, move || {
            let done = work();
            // The receiver exists until the thread has ended.
            let _ = end.send(());
            done
        })?;
        let mut wait = period / FIRST_TICK;
        // If the work panics, the channel is closed, and the loop ends.
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            tick();
            wait = period;
        }
        Ok(working.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// A grid as the page has it. See *Requests* in `src/README.md`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageGrid {
    shape: String,
    clues: Vec<u8>,
    /// The digits that are not clues; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<u8>,
    /// The candidates that were removed: cells from 0, digits from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    removed: Vec<(u16, u8)>,
}

/// The parts of a grid of the page, which have been checked to fit together.
#[derive(Clone, Debug)]
pub(super) struct CheckedGrid {
    pub(super) clues: Grid,
    /// The clues, and the entries in the other cells.
    pub(super) digits: Grid,
    /// The candidates that were removed: cells and digits from 0.
    pub(super) removed: Vec<(usize, usize)>,
}

impl PageGrid {
    /// A grid that has only clues.
    pub(crate) fn new(shape: Shape, clues: &[u8]) -> PageGrid {
        PageGrid { shape: shape.to_string(), clues: clues.to_vec(), entries: Vec::new(), removed: Vec::new() }
    }

    /// The grid of a puzzle. If the puzzle has pencilmarks, a cell with a single candidate is a clue. Candidates that the clues
    /// would allow, but that the pencilmarks lack, become removed candidates.
    pub(crate) fn from_puzzle(puzzle: &impl PuzzleText) -> PageGrid {
        let grid = PageGrid::new(puzzle.shape(), puzzle.cells());
        let Some(marks) = puzzle.pencilmarks() else { return grid };
        let clues = marks.clues();
        let state = State::from_puzzle(clues);
        let is_missing = |cell: usize, digit: Digit| {
            state.has(cell, usize::from(digit.get()) - 1) && !marks.candidates()[cell].contains(digit)
        };
        let missing = |cell: usize| {
            let digits = Digit::all(9).filter(move |&digit| is_missing(cell, digit));
            digits.map(move |digit| (cell as u16, digit.get()))
        };
        let removed = state.empty().into_iter().flat_map(missing).collect();
        PageGrid { removed, ..grid }
    }

    /// Checks that the shape exists, and that all parts fit it.
    pub(super) fn check(self) -> Answer<CheckedGrid> {
        let shape = self.shape.parse().map_err(|error: String| Refusal::bad(error))?;
        let removed = removed_of(shape, &self.removed)?;
        let digits = with_entries(&self.clues, &self.entries)?;
        Ok(CheckedGrid { clues: grid(shape, self.clues)?, digits: grid(shape, digits)?, removed })
    }
}

/// The clues, with entries in the other cells.
fn with_entries(clues: &[u8], entries: &[u8]) -> Answer<Vec<u8>> {
    if !entries.is_empty() && entries.len() != clues.len() {
        let (entries, clues) = (entries.len(), clues.len());
        return Err(bad!("there are {entries} entries for {clues} cells"));
    }
    let entries = entries.iter().chain(iter::repeat(&0));
    let digit = |(&clue, &entry): (&u8, &u8)| if clue == 0 { entry } else { clue };
    Ok(clues.iter().zip(entries).map(digit).collect())
}

fn grid(shape: Shape, digits: Vec<u8>) -> Answer<Grid> {
    let needed = || {
        let (cells, side) = (shape.cells(), shape.side());
        bad!("a grid of {shape} has {cells} cells with digits from 0 to {side}")
    };
    Grid::new(shape, digits).ok_or_else(needed)
}

/// Checks candidates, and converts their digits to count from 0.
fn removed_of(shape: Shape, removed: &[(u16, u8)]) -> Answer<Vec<(usize, usize)>> {
    let (last, side) = (shape.cells() - 1, shape.side());
    let needed = || bad!("candidates of {shape} have cells from 0 to {last} and digits from 1 to {side}");
    let candidate = |&(cell, digit): &(u16, u8)| {
        let (cell, digit) = (usize::from(cell), usize::from(digit));
        let is_inside = cell <= last && (1..=side).contains(&digit);
        is_inside.then(|| (cell, digit - 1)).ok_or_else(needed)
    };
    removed.iter().map(candidate).collect()
}

/// A cell, from 0, and a digit, from 1.
type Candidate = (usize, usize);

/// Both ends of a link. Each has its cells (several if it is a group), its digit, and whether the digit is in one of the cells.
type Ends = (Vec<usize>, usize, bool, Vec<usize>, usize, bool);

/// A step as the page shows it.
#[derive(Serialize)]
pub(crate) struct PageStep<'a> {
    #[serde(flatten)]
    step: StepObject<'a, Candidate, Ends>,
    name: String,
    house_cells: Vec<Vec<usize>>,
}

impl PageStep<'_> {
    pub(super) fn new(step: &Step) -> PageStep<'_> {
        let cells = |&index: &usize| house(index).cells(Shape::CLASSIC).map(Cell::index).collect();
        let candidate = |(cell, digit): (usize, usize)| (cell, digit + 1);
        let link = |&Link { from, to }: &Link| {
            let [start, end] = [from, to].map(|node| node.cells.into_iter().collect());
            (start, from.digit + 1, from.is_true, end, to.digit + 1, to.is_true)
        };
        PageStep {
            step: StepObject::new(step, candidate, link),
            name: name(step),
            house_cells: step.pattern.houses.iter().map(cells).collect(),
        }
    }
}

/// The name of a step's technique. The type at the beginning of its reason is appended, e.g. `Unique Rectangle Type 1`.
fn name(step: &Step) -> String {
    let kind = step.pattern.reason.split_once(':').and_then(|(kind, _)| kind.strip_prefix("type "));
    let kind = kind.map(|kind| format!(" Type {kind}"));
    title(step.deduction.technique) + &kind.unwrap_or_default()
}

/// Words that have no capital in a title.
const SMALL: [&str; 4] = ["a", "from", "in", "of"];

/// The title of a technique, e.g. `Hidden Single in a Box`.
pub(super) fn title(technique: Technique) -> String {
    let capital = |part: &str| match SMALL.contains(&part) {
        true => part.to_owned(),
        false => part.chars().take(1).flat_map(char::to_uppercase).chain(part.chars().skip(1)).collect(),
    };
    let parts = technique.words().split_inclusive([' ', '-']);
    parts.map(|part| capital(part.trim_end()) + if part.ends_with(' ') { " " } else { "" }).collect()
}

/// Helpers to ask questions without a server, and the tests of ticks and grids.
#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::reply::{Lines, Reply};

    /// Parses a request.
    pub(super) fn request<Q: DeserializeOwned>(request: Value) -> Q {
        serde_json::from_value(request).unwrap()
    }

    /// All events of an answer, and its result.
    pub(super) fn events(answer: impl FnOnce(&Reply) -> Answer + Send) -> (Vec<Value>, Answer) {
        let (reply, lines) = Reply::pair();
        thread::scope(|scope| {
            let answered = scope.spawn(move || answer(&reply));
            let events = lines.into_values();
            (events, answered.join().unwrap())
        })
    }

    /// Checks that an endless answer ends when its client disconnects. Before that, `read` reads some of the
    /// answer.
    pub(super) fn ends_on_disconnect(
        answer: impl FnOnce(&Reply) -> Answer + Send + 'static,
        read: impl FnOnce(&mut Lines),
    ) {
        let (reply, mut lines) = Reply::pair();
        let (end, ended) = channel();
        thread::spawn(move || end.send(answer(&reply)));
        read(&mut lines);
        drop(lines);
        // Only an answer that never ends takes this long.
        assert_eq!(ended.recv_timeout(Duration::from_secs(300)), Ok(Ok(())));
    }

    /// The next event of an answer.
    pub(super) fn next(lines: &mut Lines) -> Value {
        serde_json::from_slice(&lines.lines.blocking_recv().unwrap().unwrap()).unwrap()
    }

    /// The events of this name.
    pub(super) fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
        events.iter().filter(move |event| event["event"] == name)
    }

    /// Makes a grid from a line of digits, with letters for digits above 9.
    pub(super) fn grid(shape: &str, line: &str) -> Grid {
        let shape: Shape = shape.parse().unwrap();
        let cells = line.chars().map(|cell| cell.to_digit(36).unwrap_or(0) as u8).collect();
        Grid::new(shape, cells).unwrap()
    }

    /// A grid in the form that the page sends.
    pub(super) fn page(grid: &Grid) -> Value {
        json!({"shape": grid.shape().to_string(), "clues": grid.cells()})
    }

    /// The first lines of a file in `datasets`.
    pub(super) fn dataset(name: &str, lines: usize) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("datasets").join(name);
        let text = fs::read_to_string(path).unwrap();
        text.lines().take(lines).map(str::to_owned).collect()
    }

    #[test]
    fn ticks_continue_until_the_work_is_done() {
        let (mut ticks, begun) = (0, std::time::Instant::now());
        let (tick, ticked) = channel();
        // The work waits for five ticks, with a time limit that is far longer than they need.
        let work =
            move || (0..5).map(|_| ticked.recv_timeout(Duration::from_secs(300)).unwrap()).sum::<u32>();
        let count = || {
            ticks += 1;
            // After the work is done, the last tick has no receiver.
            let _ = tick.send(ticks);
        };
        assert_eq!(with_ticks(Duration::from_millis(5), work, count).unwrap(), 1 + 2 + 3 + 4 + 5);
        // At least one period passes between two ticks.
        let most = begun.elapsed().as_millis() / 5 + 1;
        assert!(u128::from(ticks) <= most, "{ticks} of {most}");
    }

    #[test]
    fn a_panic_of_the_work_is_propagated() {
        let work = || panic!("on purpose");
        assert!(std::panic::catch_unwind(|| with_ticks(Duration::from_secs(60), work, || {})).is_err());
    }

    fn check(grid: Value) -> Answer<CheckedGrid> {
        serde_json::from_value::<PageGrid>(grid).unwrap().check()
    }

    #[test]
    fn the_page_lists_all_techniques_with_their_titles() {
        for (technique, expected) in [
            (Technique::HiddenSingleBox, "Hidden Single in a Box"),
            (Technique::XyWing, "XY-Wing"),
            (Technique::CellChains, "Forcing Chains from a Cell"),
            (Technique::LastCell, "Last Cell of a House"),
        ] {
            assert_eq!(title(technique), expected);
        }
        let page = include_str!("../assets/index.html");
        let listed = Technique::ALL.iter().filter(|technique| {
            page.contains(&format!("<option value=\"{technique}\">{}</option>", title(**technique)))
        });
        assert_eq!(listed.count(), page.matches("<option value=\"").count() - others(page));
    }

    /// The number of options in the page that are not techniques.
    fn others(page: &str) -> usize {
        let end = page.find("<datalist id=\"techniques\">").unwrap();
        page[..end].matches("<option value=\"").count()
    }

    #[test]
    fn entries_fill_the_cells_without_a_clue() {
        let (mut clues, mut entries) = ([0; 16], [0; 16]);
        (clues[0], clues[5]) = (1, 2);
        (entries[0], entries[7]) = (3, 4);
        let grid = json!({"shape": "2x2", "clues": clues, "entries": entries, "removed": [[15, 4]]});
        let checked = check(grid).unwrap();
        assert_eq!(checked.clues.to_string(), "1....2..........");
        assert_eq!(checked.digits.to_string(), "1....2.4........");
        assert_eq!(checked.removed, [(15, 3)]);
    }

    #[test]
    fn invalid_parts_of_a_grid_are_refused_with_a_reason() {
        let (clues, fives) = ([0; 16], [5; 16]);
        for (grid, words) in [
            (json!({"shape": "2x2", "clues": [1, 2]}), "has 16 cells"),
            (json!({"shape": "2x2", "clues": fives}), "digits from 0 to 4"),
            (json!({"shape": "2", "clues": clues}), "is not a shape"),
            (json!({"shape": "5x6", "clues": clues}), "is not a shape"),
            (json!({"shape": "2x2", "clues": clues, "entries": [0]}), "1 entries for 16 cells"),
            (json!({"shape": "2x2", "clues": clues, "entries": fives}), "digits from 0 to 4"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[16, 1]]}), "cells from 0 to 15"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[0, 0]]}), "digits from 1 to 4"),
            (json!({"shape": "2x2", "clues": clues, "removed": [[0, 5]]}), "digits from 1 to 4"),
        ] {
            let refusal = check(grid.clone()).unwrap_err();
            assert!(refusal.message.contains(words), "{grid}: {}", refusal.message);
        }
    }
}
