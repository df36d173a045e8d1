//! Vectors of 16-bit lanes, for engines that put a puzzle into each lane.
//!
//! `Simd` is a small set of operations: those that the lockstep engine and the lanes of the rater need. It has two backends for
//! AVX-512 (32 lanes), one for AVX2 (16), and a portable one (8). Each backend is a token that can be created
//! only if the processor has the features, so holding one proves that its operations are safe to call.
//!
//! The operations are `#[inline(always)]` and do no dispatch of their own. Code that works in lanes is
//! generic over `Simd`, and `Simd::run_with_features` instantiates it for each backend under `#[target_feature]`, so that
//! the compiler may use the features of the backend everywhere in it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod check;
mod features;
mod portable;

use crate::grid::{CELLS, PEERS, Shape};

#[cfg(target_arch = "x86_64")]
use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use avx512::{Avx512Base, Avx512Full};
pub use features::UnknownBackend;
use portable::Portable;

named! {
    /// The vector units with code of their own, the fastest first.
    ///
    /// For tests and measurements you can hide features of the processor with the environment variable
    /// `GRIDMILL_CPU`. It names the best backend that may be used, e.g. `avx2`. All features that this
    /// backend does not need then count as missing, both for engines and for the check of solutions. The
    /// variable is read once, when features are first asked for. Engines ignore an unknown value;
    /// [`Backend::allowed`] reports it, and the program rejects it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Backend {
        /// AVX-512 with VBMI2, BITALG and VPOPCNTDQ: 32 lanes.
        Avx512 = "avx512",
        /// AVX-512 with byte and word operations (F, BW, VL), but nothing later: 32 lanes.
        Avx512Base = "avx512-base",
        /// AVX2: 16 lanes.
        Avx2 = "avx2",
        /// The vectors that every processor of the target has, such as SSE2 or NEON: 8 lanes.
        Portable = "portable",
    }
}

impl Backend {
    /// Checks whether this processor can run the backend.
    #[must_use]
    pub fn is_available(self) -> bool {
        self.lacking().is_empty()
    }

    /// Lists the features that this processor lacks for the next faster backend than its best. The list is
    /// empty if there is no faster one.
    #[must_use]
    pub fn lacking_for_faster() -> Vec<&'static str> {
        let faster = Backend::ALL.into_iter().take_while(|backend| !backend.is_available()).last();
        faster.map(Backend::lacking).unwrap_or_default()
    }

    /// The fastest backend that this processor can run.
    #[must_use]
    pub fn best() -> Backend {
        Backend::ALL.into_iter().find(|backend| backend.is_available()).unwrap_or(Backend::Portable)
    }

    /// The lanes of a vector, which is the number of puzzles that an engine works on at once.
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Backend::Avx512 | Backend::Avx512Base => 32,
            Backend::Avx2 => 16,
            Backend::Portable => 8,
        }
    }

    /// Makes something with lanes for grids of that shape. `None` if the processor can't run the backend, or
    /// if the grids don't fit into its lanes.
    pub(crate) fn with_lanes<L: MadeForBackend>(self, shape: Shape) -> Option<L> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => L::new(Avx512Full::detect()?, shape),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512Base => L::new(Avx512Base::detect()?, shape),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => L::new(Avx2::detect()?, shape),
            Backend::Portable => L::new(Portable, shape),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }
}

/// A type that can be made for any backend.
pub(crate) trait MadeForBackend: Sized {
    /// Makes it for grids of that shape; `None` if they don't fit into the lanes.
    fn new<S: Simd>(simd: S, shape: Shape) -> Option<Self>;
}

/// A backend: vectors of 16-bit lanes and their operations.
///
/// Sets of lanes are masks of bits; the lowest bit is lane 0. A lane may hold any value.
pub(crate) trait Simd: Copy + Send + 'static {
    /// The number of lanes of a vector, at most 32.
    const LANES: usize;
    /// Whether copying eight lanes together is cheaper than copying them one by one.
    const COPIES_EIGHT: bool = false;
    /// A vector in a register.
    type V: Copy;
    /// A vector in memory.
    type Stored: Copy + Send;
    /// 0 in every lane.
    const ZEROS: Self::Stored;

    /// Works on a batch with code that is compiled for all features that this backend proves.
    fn run_with_features<B: ?Sized>(self, lanes: &mut impl LaneWorker<B>, batch: &mut B);

    /// Reads one lane of a stored vector.
    fn get(self, stored: &Self::Stored, lane: usize) -> u16;
    /// Writes one lane of a stored vector.
    fn set(self, stored: &mut Self::Stored, lane: usize, value: u16);
    fn load(self, stored: &Self::Stored) -> Self::V;
    /// Loads as many values as there are lanes. They need not be aligned.
    fn load_from(self, values: &[u16]) -> Self::V;
    fn store(self, stored: &mut Self::Stored, v: Self::V);
    fn splat(self, value: u16) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits of `a` that are not in `b`.
    fn and_not(self, a: Self::V, b: Self::V) -> Self::V;
    #[inline(always)]
    fn or3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.or(self.or(a, b), c)
    }
    /// The bits that are set in exactly one of the three.
    fn exactly_one(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The bits of `v` that are not in `removed`, and all bits of `kept`.
    #[inline(always)]
    fn and_not_or(self, v: Self::V, removed: Self::V, kept: Self::V) -> Self::V {
        self.or(self.and_not(v, removed), kept)
    }
    /// Adds lane by lane, modulo 0x10000.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// The lanes that are equal.
    fn equal_lanes(self, a: Self::V, b: Self::V) -> u32;
    /// The bits of `acc`, and those that `a` and `b` share.
    #[inline(always)]
    fn or_and(self, acc: Self::V, a: Self::V, b: Self::V) -> Self::V {
        self.or(acc, self.and(a, b))
    }
    /// Keeps the lanes with exactly one bit, and clears all others.
    fn single(self, v: Self::V) -> Self::V;
    /// Computes `v & wanted` in the lanes where that leaves a bit, and keeps `v` in the others.
    fn prefer(self, v: Self::V, wanted: Self::V) -> Self::V;
    /// Gives 0 in the lanes where `acc` or `v` is 0. The other lanes are unspecified but not 0.
    fn both_nonzero(self, acc: Self::V, v: Self::V) -> Self::V;
    /// Keeps `v` in the lanes where `test` is 0, and clears the others.
    fn where_zero(self, v: Self::V, test: Self::V) -> Self::V;
    /// The lanes that are 0.
    #[inline(always)]
    fn zero_lanes(self, v: Self::V) -> u32 {
        self.equal_lanes(v, self.splat(0))
    }

    /// Copies at most eight lanes out of the vectors of the cells, each into masks of its own.
    #[inline(always)]
    fn gather(self, cells: &[Self::Stored; CELLS], lanes: &[usize], into: &mut [Masks]) {
        for (&lane, masks) in lanes.iter().zip(into) {
            for cell in 0..CELLS {
                masks[cell] = self.get(&cells[cell], lane);
            }
        }
    }

    /// Copies masks into at most eight lanes of the vectors of the cells. The lanes are in ascending order.
    #[inline(always)]
    fn scatter(self, cells: &mut [Self::Stored; CELLS], lanes: &[usize], from: &[Masks]) {
        for (&lane, masks) in lanes.iter().zip(from) {
            for cell in 0..CELLS {
                self.set(&mut cells[cell], lane, masks[cell]);
            }
        }
    }

    /// Puts the candidates that clues leave into a lane: the digit of a clue, and every digit for a blank. If
    /// eight lanes are copied at a time, writes to the copy instead. (This function and `digits` return
    /// nothing, because a returned array would be copied, and the copy would wait for the wide stores just made.)
    #[inline(always)]
    fn load_clues(
        self,
        cells: &mut [Self::Stored; CELLS],
        lane: usize,
        clues: &[u8; CELLS],
        _copy: &mut Masks,
    ) {
        for cell in 0..CELLS {
            self.set(&mut cells[cell], lane, CANDIDATES[clues[cell] as usize % CANDIDATES.len()]);
        }
    }

    /// Writes the digits of a lane whose cells have one candidate each. If eight lanes are copied at a time,
    /// reads its copy instead.
    #[inline(always)]
    fn digits(self, cells: &[Self::Stored; CELLS], lane: usize, _copy: &Masks, digits: &mut [u8; CELLS]) {
        for cell in 0..CELLS {
            digits[cell] = DIGIT[self.get(&cells[cell], lane) as usize % DIGIT.len()];
        }
    }

    /// Finds the cells with two candidates, and those with more.
    #[inline(always)]
    fn pairs_and_others(self, masks: &Masks) -> [CellBits; 2] {
        let (mut pairs, mut others) = (0, 0);
        let less_one = self.splat(u16::MAX);
        for part in 0..PADDED / Self::LANES {
            let first = part * Self::LANES;
            let masks = self.load_from(&masks[first..][..Self::LANES]);
            let above_lowest = self.and(masks, self.add(masks, less_one));
            let above_two = self.and(above_lowest, self.add(above_lowest, less_one));
            let at_most_two = self.zero_lanes(above_two);
            let every = u32::MAX >> (32 - Self::LANES);
            pairs |= CellBits::from(at_most_two & !self.zero_lanes(above_lowest) & every) << first;
            others |= CellBits::from(!at_most_two & every) << first;
        }
        [pairs, others]
    }

    /// Collects the cells that have each digit as a candidate.
    fn boards(self, masks: &Masks) -> [CellBits; 9];

    /// Finds the best cell to guess in, for each of at most eight puzzles: the first cell of the highest
    /// score among those with two candidates, or `None` if there is no such cell. The score is the number of peers that
    /// have the lower digit plus the number that have the higher one; peers with two candidates count four times in
    /// each, because a guess settles them too.
    fn best_guess_cells(self, puzzles: &[&Masks], cells: &mut [Option<usize>]);
}

/// A worker on batches of one type in the lanes of a backend, e.g. the search of classic puzzles.
pub(crate) trait LaneWorker<B: ?Sized>: Send {
    /// Works on a batch with code that is compiled for the features of the backend, by calling
    /// [`Simd::run_with_features`].
    fn run(&mut self, batch: &mut B);
    /// The work itself. It must be `#[inline(always)]`, or it would be compiled without the features.
    fn work(&mut self, batch: &mut B);
    /// The bytes of memory, including the heap.
    fn memory(&self) -> usize {
        size_of_val(self)
    }
}

/// A set of cells, a bit each.
pub(crate) type CellBits = u128;

/// The candidates of each cell of one puzzle, one after the other: 81 masks, and zeros up to a whole number
/// of vectors.
pub(crate) type Masks = [u16; PADDED];

/// For a digit: the cells that have it, then those of them with two candidates, two words each. For a cell: its peers,
/// twice, so that one `and` covers both halves.
type PairBoard = [u64; 4];

/// Masks without any candidates.
pub(crate) const NO_MASKS: Masks = [0; PADDED];

/// The number of cells with padding, which is a multiple of the lanes of every backend.
const PADDED: usize = 96;

/// The peers of each cell as words of 64 cells, twice over. There are 128 entries, so that any index of seven
/// bits is valid.
static PEER_WORDS: [PairBoard; 128] = table!(128, cell => {
    let [top, middle, bottom] = if cell < CELLS { PEERS[cell] } else { [0; 3] };
    let board = top as CellBits | (middle as CellBits) << 27 | (bottom as CellBits) << 54;
    let (low, high) = (board as u64, (board >> 64) as u64);
    [low, high, low, high]
});

/// The lower and the higher digit, from 0, of a cell with two candidates, e.g. 2 and 6 for the candidates 3
/// and 7.
#[inline(always)]
fn both_digits(mask: u16) -> (usize, usize) {
    let (low, high) = (mask.trailing_zeros(), 15 - (mask | 1).leading_zeros());
    (low as usize, high as usize)
}

/// The candidates of a cell with that clue. There are 16 entries, so that an index modulo 16 needs no check.
static CANDIDATES: [u16; 16] = [0x1ff, 1, 2, 4, 8, 16, 32, 64, 128, 256, 0, 0, 0, 0, 0, 0];

/// The digit of a mask with one bit.
static DIGIT: [u8; 512] = table!(512, mask => {
    if mask.is_power_of_two() { mask.ilog2() as u8 + 1 } else { 0 }
});

/// Reports once which backends tests skip because the processor lacks them. It writes to standard error
/// directly, because the test harness captures what `eprintln!` prints.
#[cfg(test)]
pub(crate) fn report_untested() {
    use std::io::Write;
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for backend in Backend::ALL.into_iter().filter(|backend| !backend.is_available()) {
            let lacking = backend.lacking().join(", ");
            let _ = writeln!(std::io::stderr(), "{backend} is not tested: the processor lacks {lacking}");
        }
    });
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;

    /// Checks every operation of a backend against its definition, on all pairs of some values.
    fn conforms<S: Simd>(simd: S) {
        let values = [0, 1, 2, 3, 4, 6, 0x1ff, 0x100, 0x155, 0x0aa, 0x4000, 0x7fff, 0x6000];
        let triples = values
            .iter()
            .flat_map(|&a| values.iter().flat_map(move |&b| [0, 1, 0x1ff, 0x0f0].map(|c| (a, b, c))));
        for (index, (a, b, c)) in triples.enumerate() {
            // Puts the values into one lane, and other values around it.
            let lane = index % S::LANES;
            let vector = |value: u16, around: u16| {
                let mut stored = S::ZEROS;
                simd.store(&mut stored, simd.splat(around));
                simd.set(&mut stored, lane, value);
                simd.load(&stored)
            };
            let (x, y, z) = (vector(a, 7), vector(b, 1), vector(c, 0));
            let get = |v: S::V| {
                let mut stored = S::ZEROS;
                simd.store(&mut stored, v);
                let rest: Vec<u16> =
                    (0..S::LANES).filter(|&i| i != lane).map(|i| simd.get(&stored, i)).collect();
                assert!(rest.windows(2).all(|pair| pair[0] == pair[1]), "other lanes are touched");
                simd.get(&stored, lane)
            };
            let single = |v: u16| if v.is_power_of_two() { v } else { 0 };
            assert_eq!(get(simd.and(x, y)), a & b);
            assert_eq!(get(simd.or(x, y)), a | b);
            assert_eq!(get(simd.and_not(x, y)), a & !b);
            assert_eq!(get(simd.or3(x, y, z)), a | b | c);
            assert_eq!(get(simd.exactly_one(x, y, z)), (a ^ b ^ c) & !(a & b & c));
            assert_eq!(get(simd.and_not_or(x, y, z)), a & !b | c);
            assert_eq!(get(simd.or_and(x, y, z)), a | b & c);
            assert_eq!(get(simd.single(x)), single(a));
            assert_eq!(get(simd.prefer(x, y)), if a & b == 0 { a } else { a & b });
            assert_eq!(get(simd.both_nonzero(x, y)) == 0, a == 0 || b == 0);
            assert_eq!(get(simd.where_zero(x, y)), if b == 0 { a } else { 0 });
            let values: Vec<u16> =
                (0..S::LANES as u16).map(|i| (u32::from(i) * u32::from(a) / 40) as u16).collect();
            let loaded = simd.load_from(&values);
            let mut stored = S::ZEROS;
            simd.store(&mut stored, loaded);
            assert!((0..S::LANES).all(|i| simd.get(&stored, i) == values[i]));
            assert_eq!(get(simd.add(x, z)), a + c);
            assert_eq!(get(simd.splat(a)), a);
            assert_eq!(simd.zero_lanes(x), u32::from(a == 0) << lane);
            let around = !(1 << lane) & (u32::MAX >> (32 - S::LANES));
            assert_eq!(simd.equal_lanes(x, vector(b, 7)), around | u32::from(a == b) << lane);
            assert_eq!(simd.equal_lanes(x, vector(a ^ 0x8000, 7)), around);
        }
    }

    /// Checks lanes that are copied in and out, and the masks and digits of a puzzle.
    fn copies_conform<S: Simd>(simd: S) {
        let value = |lane: usize, cell: usize| 1 << ((lane * 7 + cell * 5 + lane * cell) % 9);
        let mut cells = Box::new([S::ZEROS; CELLS]);
        for cell in 0..CELLS {
            (0..S::LANES).for_each(|lane| simd.set(&mut cells[cell], lane, value(lane, cell)));
        }
        for count in 0..=8 {
            let lanes: Vec<usize> = (0..count).map(|i| (i * S::LANES + count) / 8 % S::LANES).collect();
            let mut masks = [NO_MASKS; 8];
            simd.gather(&cells, &lanes, &mut masks);
            for (&lane, masks) in lanes.iter().zip(&masks) {
                assert!((0..CELLS).all(|cell| masks[cell] == value(lane, cell)), "{lanes:?}");
            }
            for (i, masks) in masks.iter_mut().enumerate() {
                (0..CELLS).for_each(|cell| masks[cell] = 100 * i as u16 + cell as u16);
            }
            let mut changed = cells.clone();
            simd.scatter(&mut changed, &lanes, &masks);
            for lane in 0..S::LANES {
                let expected = |cell: usize| match lanes.iter().position(|&l| l == lane) {
                    Some(i) => 100 * i as u16 + cell as u16,
                    None => value(lane, cell),
                };
                assert!((0..CELLS).all(|cell| simd.get(&changed[cell], lane) == expected(cell)), "{lanes:?}");
            }
        }
        // `load_clues` and `digits` must use the same place, which is either the lane or the copy.
        let clues: [u8; CELLS] = std::array::from_fn(|cell| (cell * 7 % 10) as u8);
        let mut copy = NO_MASKS;
        simd.load_clues(&mut cells, 3, &clues, &mut copy);
        for cell in 0..CELLS {
            let mask = if S::COPIES_EIGHT { copy[cell] } else { simd.get(&cells[cell], 3) };
            assert_eq!(mask, if clues[cell] == 0 { 0x1ff } else { 1 << (clues[cell] - 1) });
        }
        assert!(copy[CELLS..].iter().all(|&mask| mask == 0));
        let digits = std::array::from_fn(|cell| (cell % 9) as u8 + 1);
        simd.load_clues(&mut cells, 5, &digits, &mut copy);
        let mut again = [0; CELLS];
        simd.digits(&cells, 5, &copy, &mut again);
        assert_eq!(again, digits);
    }

    /// Finds the cell of the highest score by its definition.
    fn plain_best_guess_cell(masks: &Masks) -> Option<usize> {
        let score = |cell: usize| {
            let peers = (0..CELLS).filter(|peer| PEERS[cell][peer / 27] >> (peer % 27) & 1 == 1);
            let weight = |peer: usize| if masks[peer].count_ones() == 2 { 4 } else { 1 };
            peers.map(|peer| (masks[peer] & masks[cell]).count_ones() * weight(peer)).sum::<u32>()
        };
        let pairs = (0..CELLS).filter(|&cell| masks[cell].count_ones() == 2);
        pairs.min_by_key(|&cell| Reverse(score(cell)))
    }

    /// Checks the choice among random cells with two candidates against a plain one.
    fn scores_conform<S: Simd>(simd: S) {
        let mut puzzles = [[7; PADDED]; 8];
        for seed in 0..200 {
            let mut random = seed + 1;
            let mut next = || {
                random = (random as u64)
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f) as usize;
                random >> 40
            };
            let mut masks = NO_MASKS;
            for cell in 0..CELLS {
                let low = next() % 8;
                let high = low + 1 + next() % (8 - low);
                masks[cell] = match next() % 200 < seed {
                    true => 1 << low | (next() % 0x200) as u16,
                    false => 1 << low | 1 << high,
                };
            }
            puzzles[seed % 8] = masks;
            let cells_with = |wanted: &dyn Fn(u16) -> bool| {
                (0..CELLS).filter(|&cell| wanted(masks[cell])).fold(0, |set, cell| set | 1 << cell)
            };
            let [pairs, others] = simd.pairs_and_others(&masks);
            assert_eq!(pairs, cells_with(&|mask| mask.count_ones() == 2));
            assert_eq!(others, cells_with(&|mask| mask.count_ones() > 2));
            let boards = simd.boards(&masks);
            assert!((0..9).all(|digit| boards[digit] == cells_with(&|mask| mask >> digit & 1 == 1)));
            let mut cells = [None; 8];
            simd.best_guess_cells(&puzzles.each_ref()[..seed % 9], &mut cells);
            let plain = puzzles[..seed % 9].iter().map(plain_best_guess_cell);
            assert!(plain.eq(cells.into_iter().take(seed % 9)), "{seed}");
        }
    }

    #[test]
    fn portable_operations_match_their_definitions() {
        conforms(Portable);
        scores_conform(Portable);
        copies_conform(Portable);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_operations_match_their_definitions() {
        report_untested();
        Avx2::detect().into_iter().for_each(conforms);
        Avx2::detect().into_iter().for_each(scores_conform);
        Avx2::detect().into_iter().for_each(copies_conform);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx512_operations_match_their_definitions() {
        report_untested();
        Avx512Full::detect().into_iter().for_each(conforms);
        Avx512Full::detect().into_iter().for_each(scores_conform);
        Avx512Full::detect().into_iter().for_each(copies_conform);
        Avx512Base::detect().into_iter().for_each(conforms);
        Avx512Base::detect().into_iter().for_each(scores_conform);
        Avx512Base::detect().into_iter().for_each(copies_conform);
    }
}
