//! Searches in all records, for a text, or for a puzzle and perhaps its isomorphs. The threads of the background continue a search
//! as long as a page asks for its rows. The result is a bit for each record.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use gridmill_core::grid::{Grid, Shape};
use gridmill_core::jobs::PuzzleKey;
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::Solvable;
use gridmill_data::text::lines_of;
use memchr::memmem;
use serde::Deserialize;

use super::background::claim;
use super::records::{KnownRecord, ReadSpan, SpanReader};
use super::{Collection, check_client, lock, read, write};
use crate::reply::{Answer, Refusal};

/// The number of records that are searched together.
const BLOCK: u32 = 4096;

/// How long a search continues after a page has asked for it. A page asks again sooner than that.
const PATIENCE: Duration = Duration::from_secs(5);

/// The number of searches that are kept.
const KEPT: usize = 4;

/// A puzzle to search for, as in a request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindPuzzle {
    shape: String,
    clues: Vec<u8>,
    /// Whether isomorphs are found too.
    isomorphic: bool,
}

/// The subject of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchTarget {
    /// A part of a record, in lower case.
    Text(Vec<u8>),
    /// A puzzle by its key. The number of its clues is compared first, because that is faster.
    Puzzle { key: PuzzleKey, clues: u16, isomorphic: bool },
}

impl SearchTarget {
    pub(super) fn from_text(text: &str) -> Answer<SearchTarget> {
        let text = text.trim().to_ascii_lowercase();
        let none = || Refusal::bad("no search text; type a part of a record, or a puzzle");
        (!text.is_empty()).then(|| SearchTarget::Text(text.into_bytes())).ok_or_else(none)
    }

    pub(super) fn from_puzzle(puzzle: &FindPuzzle) -> Answer<SearchTarget> {
        let broken = || Refusal::bad("the puzzle to find is incomplete; type or paste it again");
        let shape: Shape = puzzle.shape.parse().map_err(|_: String| broken())?;
        let grid = Grid::new(shape, puzzle.clues.clone()).ok_or_else(broken)?;
        let isomorphic = puzzle.isomorphic;
        if isomorphic && !Minlex::serves(shape) {
            return Err(bad!(
                "isomorphs can be found for puzzles of up to 9x9, and this one has boxes of {shape}; switch isomorphs off"
            ));
        }
        // Conflicting clues have no minlex form, so they are compared cell by cell.
        let form = isomorphic.then(|| Minlex::new().canonical_cells(grid.clues())).flatten();
        let cells = form.as_ref().map_or(grid.cells(), |form| form.cells());
        let key = PuzzleKey::from_cells(shape, cells);
        let clues = grid.clue_count() as u16;
        Ok(SearchTarget::Puzzle { key, clues, isomorphic })
    }

    /// Whether a record can match, as far as its entry shows without its text.
    fn may_be(&self, (_, entry): &KnownRecord) -> bool {
        match self {
            SearchTarget::Text(_) => true,
            SearchTarget::Puzzle { clues, .. } => entry.is_puzzle() && entry.clues == *clues,
        }
    }

    /// The places in a span of the records that match.
    fn places(&self, read: &mut ReadSpan<'_>, stop: &AtomicBool) -> Vec<usize> {
        match self {
            SearchTarget::Text(target) => {
                let (text, finder) = (read.text.to_ascii_lowercase(), memmem::Finder::new(target));
                let lines = lines_of(&text, read.records.records()).enumerate();
                lines
                    .filter(|(_, lines)| finder.find(&text[lines.clone()]).is_some())
                    .map(|(place, _)| place)
                    .collect()
            }
            SearchTarget::Puzzle { key, isomorphic, .. } => {
                let keys = read.records.keys(*isomorphic, stop);
                keys.into_iter().filter(|(_, found)| found == key).map(|(place, _)| place).collect()
            }
        }
    }
}

/// A search, and its results so far.
#[derive(Debug)]
pub(super) struct Search {
    target: SearchTarget,
    /// The next record to search, and the number of records that have been searched.
    next: Mutex<u32>,
    done: AtomicU32,
    /// A bit for each record, by its id.
    found: RwLock<Vec<u64>>,
    asked: Mutex<Instant>,
    /// Becomes true when the search is discarded.
    stop: Arc<AtomicBool>,
}

impl PartialEq for Search {
    fn eq(&self, other: &Search) -> bool {
        self.target == other.target
    }
}

impl Eq for Search {}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Search {
    /// Whether the search has found a record.
    pub(super) fn has(&self, id: u32) -> bool {
        let (word, bit) = (id as usize / 64, id % 64);
        read(&self.found).get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    fn note(&self, ids: &[u32]) {
        let mut found = write(&self.found);
        for id in ids {
            let word = *id as usize / 64;
            if found.len() <= word {
                found.resize(word + 1, 0);
            }
            found[word] |= 1 << (id % 64);
        }
    }

    /// How many of the first `records` records have not been searched yet.
    pub(super) fn unsearched(&self, records: u32) -> u32 {
        records.saturating_sub(self.done.load(Ordering::Acquire))
    }

    fn is_asked(&self) -> bool {
        lock(&self.asked).elapsed() < PATIENCE
    }
}

impl Collection {
    /// The search for something, which is started if there is none yet, and kept running.
    pub(super) fn search_for(&self, target: SearchTarget) -> Arc<Search> {
        let mut searches = lock(&self.searches);
        let known = searches.iter().position(|search| search.target == target);
        let new = || {
            let (next, done, found) = (Mutex::default(), AtomicU32::new(0), RwLock::default());
            let asked = Mutex::new(Instant::now());
            Arc::new(Search { target, next, done, found, asked, stop: self.flag(None) })
        };
        let search = known.map_or_else(new, |known| searches.remove(known));
        *lock(&search.asked) = Instant::now();
        searches.truncate(KEPT - 1);
        searches.insert(0, Arc::clone(&search));
        drop(searches);
        if *lock(&search.next) < self.index.len() {
            self.wake();
        }
        search
    }

    /// Searches the next block for a search that a page waits for. Returns false if there is none.
    pub(super) fn search_next(&self, reader: &mut SpanReader<'_>) -> bool {
        let records = self.index.len();
        let asked: Vec<Arc<Search>> =
            lock(&self.searches).iter().filter(|search| search.is_asked()).cloned().collect();
        let mut claimed = asked.into_iter().map(|search| {
            let block = claim(&mut lock(&search.next), records, BLOCK);
            (block, search)
        });
        let Some((block, search)) = claimed.find(|(block, _)| !block.is_empty()) else {
            return false;
        };
        let mut known = self.known(block.clone());
        known.retain(|record| search.target.may_be(record) && !self.file_of(&record.1).is_broken());
        let mut found = Vec::new();
        let _ = reader.read_all(&mut known, |span, read| {
            if let Ok(mut read) = read {
                found.extend(
                    search.target.places(&mut read, &search.stop).into_iter().map(|place| span[place].0),
                );
            }
            check_client(&search.stop)
        });
        search.note(&found);
        search.done.fetch_add(block.end - block.start, Ordering::AcqRel);
        self.index.touch();
        true
    }
}
