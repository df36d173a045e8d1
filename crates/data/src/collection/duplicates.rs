//! Finding duplicates among any number of puzzles, in bounded memory.

use std::hash::Hasher;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::CanonicalKey;
use gridmill_core::solver::NEVER;

use super::sorter::{Sorted, Sorter, check_folder};
use super::{Space, SpaceError};

/// The place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of its file, from 0.
    pub file: u32,
    /// The record, from 0 in its file.
    pub record: u64,
    /// Its line, from 0.
    pub line: u64,
}

/// A record that equals an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The record.
    pub at: Place,
    /// The first of all equal records.
    pub first: Place,
}

/// Bytes of a place.
const PLACE: usize = 20;

/// Bytes of an entry: the hash of a key, the key, the place. Sorting brings equal keys together, in the order
/// of their places, even if other keys have the same hash.
const ENTRY: usize = 8 + CanonicalKey::BYTES + PLACE;

impl Place {
    fn bytes(self) -> [u8; PLACE] {
        let mut bytes = [0; PLACE];
        bytes[..4].copy_from_slice(&self.file.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.record.to_be_bytes());
        bytes[12..].copy_from_slice(&self.line.to_be_bytes());
        bytes
    }

    #[inline]
    fn of(bytes: &[u8]) -> Place {
        Place {
            file: u32::from_be_bytes(part(bytes, 0)),
            record: u64::from_be_bytes(part(bytes, 4)),
            line: u64::from_be_bytes(part(bytes, 12)),
        }
    }
}

/// Returns the `N` bytes from `from` on.
#[inline]
fn part<const N: usize>(bytes: &[u8], from: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[from + byte])
}

/// Returns a hash that is the same in every run: SipHash with fixed keys. Only the order in which keys are compared depends
/// on it.
fn hash(key: &CanonicalKey) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(key.bytes());
    hasher.finish()
}

/// Finds records that equal earlier ones.
///
/// Entries that do not fit into memory are sorted in temporary files. Each record takes 69 bytes of either.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use gridmill_core::grid::Shape;
/// use gridmill_core::jobs::CanonicalKey;
/// use gridmill_data::collection::{Place, Space, DuplicateFinder};
///
/// let space = Space { memory: 1 << 20, folder: std::env::temp_dir() };
/// let mut finder = DuplicateFinder::new(&space)?;
/// for (record, cells) in [[1; 81], [2; 81], [1; 81]].iter().enumerate() {
///     let place = Place { file: 0, record: record as u64, line: record as u64 };
///     finder.add(&CanonicalKey::from_cells(Shape::CLASSIC, cells), place)?;
/// }
/// let found: Vec<_> = finder.find(&AtomicBool::new(false))?.collect::<Result<_, _>>()?;
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].at.record, found[0].first.record), (2, 0));
/// # Ok::<(), gridmill_data::collection::SpaceError>(())
/// ```
#[derive(Debug)]
pub struct DuplicateFinder {
    space: Space,
    entries: Sorter<ENTRY>,
}

impl DuplicateFinder {
    /// Returns a finder without records.
    ///
    /// # Errors
    ///
    /// Where no file can be made in the folder for temporary ones.
    pub fn new(space: &Space) -> Result<DuplicateFinder, SpaceError> {
        check_folder(&space.folder)?;
        Ok(DuplicateFinder { space: space.clone(), entries: Sorter::new(space.part(3, 4)) })
    }

    /// Adds a record. Places may come in any order; the first of equal records is the one with the least
    /// place.
    ///
    /// # Errors
    ///
    /// Where temporary files can't be written.
    pub fn add(&mut self, key: &CanonicalKey, place: Place) -> Result<(), SpaceError> {
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&hash(key).to_be_bytes());
        entry[8..8 + CanonicalKey::BYTES].copy_from_slice(key.bytes());
        entry[8 + CanonicalKey::BYTES..].copy_from_slice(&place.bytes());
        self.entries.push(entry)
    }

    /// Returns the records that equal earlier ones, in the order of their places. When `stop` becomes true
    /// before this returns, some or all are missing.
    ///
    /// # Errors
    ///
    /// Where temporary files can't be written or read.
    pub fn find(
        self,
        stop: &AtomicBool,
    ) -> Result<impl Iterator<Item = Result<Duplicate, SpaceError>> + use<>, SpaceError> {
        let mut pairs: Sorter<{ 2 * PLACE }> = Sorter::new(self.space.part(1, 4));
        let mut first: Option<[u8; ENTRY]> = None;
        for entry in self.entries.finish(stop)? {
            let entry = entry?;
            match first {
                Some(first) if first[..8 + CanonicalKey::BYTES] == entry[..8 + CanonicalKey::BYTES] => {
                    let mut pair = [0; 2 * PLACE];
                    pair[..PLACE].copy_from_slice(&entry[8 + CanonicalKey::BYTES..]);
                    pair[PLACE..].copy_from_slice(&first[8 + CanonicalKey::BYTES..]);
                    pairs.push(pair)?;
                }
                _ => first = Some(entry),
            }
        }
        let sorted: Sorted<'_, { 2 * PLACE }> = pairs.finish(&NEVER)?;
        Ok(sorted.map(|pair| {
            pair.map(|pair| Duplicate { at: Place::of(&pair), first: Place::of(&pair[PLACE..]) })
        }))
    }
}
