//! Tests of the collection, without a server. This module has helpers to open collections of files that tests
//! write.

mod files;
mod views;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gridmill_data::error::Error;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{FormatOptions, no_advice};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::collection::{Collection, CollectionFile, Wording};
use crate::reply::Refusal;

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// An open collection. Its threads end when it is dropped.
struct Shown {
    collection: Arc<Collection>,
    stop: Arc<AtomicBool>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A file of a collection.
fn named(path: &Path) -> CollectionFile {
    let input = Input::open(Some(path), false);
    CollectionFile { path: Some(path.to_owned()), input, options: FormatOptions::default() }
}

fn try_open(files: Vec<CollectionFile>, chunk_bytes: Option<usize>, rows: u32) -> Result<Shown, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let wording = Wording { explain: ToString::to_string, advice: no_advice };
    let collection = Collection::with_limits(files.into_iter(), wording, chunk_bytes, rows, &stop)?;
    Ok(Shown { collection, stop })
}

fn open(paths: &[&Path]) -> Shown {
    let shown = try_open(paths.iter().map(|path| named(path)).collect(), None, u32::MAX).unwrap();
    shown.wait_for(|state| state["is_indexed"] == true);
    shown
}

/// Writes a file with this content.
fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

fn value(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap()
}

impl Shown {
    /// Ends the threads, so that this is the only reference to the collection.
    fn end_threads(&self) {
        self.stop.store(true, Ordering::Relaxed);
        while Arc::strong_count(&self.collection) > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn state(&self) -> Value {
        value(self.collection.state())
    }

    /// Waits until the state is as expected.
    fn wait_for(&self, is_reached: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        while !is_reached(&self.state()) {
            assert!(begun.elapsed() < Duration::from_secs(300), "{}", self.state());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until all records have a verdict.
    fn wait_until_solved(&self) {
        self.wait_for(|state| state["is_indexed"] == true && state["solved"] == state["records"]);
    }

    fn try_rows(&self, question: Value) -> Result<Value, Refusal> {
        let question = serde_json::from_value(question).map_err(|error| Refusal::bad(error.to_string()))?;
        self.collection.rows(question, &AtomicBool::new(false)).map(value)
    }

    /// The answer for the first rows.
    fn rows(&self, filter: Value, sort: Value) -> Value {
        self.try_rows(json!({"filter": filter, "sort": sort, "from": 0, "count": 200})).unwrap()
    }

    /// All rows of the plain view.
    fn all_rows(&self) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let answer = self.try_rows(json!({"from": all.len(), "count": 150})).unwrap();
            let rows = answer["rows"].as_array().unwrap();
            all.extend(rows.iter().cloned());
            if rows.is_empty() {
                assert_eq!(answer["total"], all.len());
                return all;
            }
        }
    }
}
