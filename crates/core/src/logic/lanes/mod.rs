//! The rounds up to claiming (2.8) of many puzzles at once, a puzzle a lane: nearly all are of that kind.
//!
//! The vectors lie as those of the lockstep engine (`solver/lockstep/README.md`). A sweep makes a round in every lane that
//! has a hidden single:
//!
//! ```text
//! refill ──► sweep ──► full, and no rule broken: the puzzle is rated, refill at once
//!              │ └───► full, but not a solution: rated anew, without lanes
//!              └─────► no hidden single: wait until half of the lanes do
//!                           └─────► a direct technique, a naked single, a locked candidate: on with the sweeps
//!                                     └─────► none: rounds one by one, until there is a hidden single again, or the end
//! ```
//!
//! [`grids`] has the sweep, [`direct`] what comes behind it, [`search`] the life of a lane. Ratings are those of rounds
//! made one by one, in every field.

mod direct;
mod grids;
mod locks;
mod search;
mod subsets;

use std::fmt;

#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512Base, Avx512Full};
use crate::simd::{Backend, Portable};
pub(super) use search::Batch;
use search::LaneRater;

/// Lanes on one of the backends.
pub(super) enum Lanes {
    #[cfg(target_arch = "x86_64")]
    Avx512(Box<LaneRater<Avx512Full>>),
    #[cfg(target_arch = "x86_64")]
    Avx512Base(Box<LaneRater<Avx512Base>>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Box<LaneRater<Avx2>>),
    Portable(Box<LaneRater<Portable>>),
}

impl Lanes {
    /// Returns lanes on the best backend of this processor.
    pub(super) fn new() -> Lanes {
        Lanes::with_backend(Backend::best())
            .unwrap_or_else(|| Lanes::Portable(Box::new(LaneRater::new(Portable))))
    }

    /// Returns lanes on that backend; `None` if the processor can't run it.
    pub(super) fn with_backend(backend: Backend) -> Option<Lanes> {
        Some(match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => Lanes::Avx512(Box::new(LaneRater::new(Avx512Full::detect()?))),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512Base => Lanes::Avx512Base(Box::new(LaneRater::new(Avx512Base::detect()?))),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => Lanes::Avx2(Box::new(LaneRater::new(Avx2::detect()?))),
            Backend::Portable => Lanes::Portable(Box::new(LaneRater::new(Portable))),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        })
    }

    /// Rates the puzzles of a batch.
    pub(super) fn rate(&mut self, mut batch: Batch<'_>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx512(lanes) => entry::avx512(lanes, &mut batch),
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx512Base(lanes) => entry::avx512_base(lanes, &mut batch),
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2(lanes) => entry::avx2(lanes, &mut batch),
            Lanes::Portable(lanes) => lanes.rate(&mut batch),
        }
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

/// An instance of the rater for each backend, compiled for the features that the backend proves.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod entry {
    use super::{Avx2, Avx512Base, Avx512Full, Batch, LaneRater};

    pub(super) fn avx512(lanes: &mut LaneRater<Avx512Full>, batch: &mut Batch<'_>) {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn run(lanes: &mut LaneRater<Avx512Full>, batch: &mut Batch<'_>) {
            lanes.rate(batch);
        }
        // SAFETY: the rater holds an `Avx512Full`, which is only made where all these features are detected.
        unsafe { run(lanes, batch) }
    }

    pub(super) fn avx512_base(lanes: &mut LaneRater<Avx512Base>, batch: &mut Batch<'_>) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run(lanes: &mut LaneRater<Avx512Base>, batch: &mut Batch<'_>) {
            lanes.rate(batch);
        }
        // SAFETY: the rater holds an `Avx512Base`, which is only made where all these features are detected.
        unsafe { run(lanes, batch) }
    }

    pub(super) fn avx2(lanes: &mut LaneRater<Avx2>, batch: &mut Batch<'_>) {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run(lanes: &mut LaneRater<Avx2>, batch: &mut Batch<'_>) {
            lanes.rate(batch);
        }
        // SAFETY: the rater holds an `Avx2`, which is only made where all these features are detected.
        unsafe { run(lanes, batch) }
    }
}
