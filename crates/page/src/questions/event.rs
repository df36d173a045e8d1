//! The events of all streams: see *Requests* in `src/README.md`.

use gridmill_core::grid::{Cell, Shape};
use gridmill_core::logic::{Link, Step, house};
use gridmill_report::StepObject;
use serde::Serialize;

use super::PageGrid;

/// A line of a stream.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum Event<'a> {
    Count {
        verdict: &'static str,
        solutions: u64,
        is_final: bool,
        /// Whether it ended at the cap; there may be more.
        is_capped: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        engine_ns: Option<u64>,
    },
    Solution {
        digits: &'a [u8],
    },
    Candidates {
        cap: u64,
        /// For each cell and each digit.
        solutions: Vec<&'a [u64]>,
    },
    Redundant {
        cells: Vec<usize>,
        is_doubtful: bool,
    },
    Step {
        steps: Vec<PageStep<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<&'static str>,
    },
    Rating {
        er: Option<f64>,
        ep: Option<f64>,
        ed: Option<f64>,
        at_least: Option<f64>,
        hardest: Option<&'static str>,
        scale: &'static str,
    },
    End {
        end: &'static str,
        solutions: u64,
    },
    Attempts {
        attempts: u64,
    },
    Puzzle {
        grid: PageGrid,
        guesses: u64,
        er: Option<f64>,
        seed: u64,
    },
    /// The last line of a stream that failed.
    Error {
        error: &'a str,
    },
}

/// A cell, from 0, and a digit, from 1.
type Candidate = (usize, usize);

/// Both ends of a link: cell, digit, and whether it stands.
type Ends = (usize, usize, bool, usize, usize, bool);

/// A step as the page shows it.
#[derive(Serialize)]
pub(crate) struct PageStep<'a> {
    #[serde(flatten)]
    step: StepObject<'a, Candidate, Ends>,
    house_cells: Vec<Vec<usize>>,
}

impl PageStep<'_> {
    pub(super) fn new(step: &Step) -> PageStep<'_> {
        let cells = |&index: &usize| house(index).cells(Shape::CLASSIC).map(Cell::index).collect();
        let candidate = |(cell, digit): (usize, usize)| (cell, digit + 1);
        let link = |&Link { from, to }: &Link| (from.0, from.1 + 1, from.2, to.0, to.1 + 1, to.2);
        PageStep {
            step: StepObject::of(step, candidate, link),
            house_cells: step.pattern.houses.iter().map(cells).collect(),
        }
    }
}
