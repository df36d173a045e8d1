//! The neighbors of puzzles: proper puzzles that differ from them in a few clues.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::solve::PART_CELLS;
use super::{
    Answers, BatchSearch, CanonicalKey, Column, ColumnKind, Job, Result, Schema, Searchable, Status,
    TakePart, Worker,
};
use crate::hunt::{Exchange, Neighbor, NeighborFinder};
use crate::minlex::Minlex;
use crate::solver::{Clues, Engine};

/// Lists the neighbors of puzzles, one of each class of isomorphs, with their minlex forms and the clues that
/// were exchanged. Only proper puzzles have neighbors. Puzzles of shapes that have no minlex form are given up.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Neighbors, Value};
///
/// let puzzle: Puzzle = "98.7..6..75..4......3..8.7.5....7.3...94.........2.1..3.......1.9...5.8...52....6".parse()?;
/// let answers = Neighbors::default().answer(&[puzzle])?;
/// let Value::Grids(neighbors) = answers.value(0, 0) else { panic!("it has neighbors") };
/// assert_eq!(neighbors.len() / 81, 54);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// Which clues are exchanged, and which puzzles are wanted.
    pub exchange: Exchange,
}

/// The indices of the columns of grids.
const COLUMNS: [usize; 4] = [0, 1, 2, 3];

/// How many forms of the neighbors of a puzzle are remembered, to leave out isomorphs. It bounds the memory of a
/// puzzle with millions of neighbors.
const MOST_FORMS: usize = 1 << 16;

/// How many clues that are exchanged make a puzzle one that is searched alone, because it fills the lanes of the
/// engine.
const SEARCHED_ALONE: usize = 3;

/// How many other puzzles are searched together.
const TOGETHER: usize = 32;

impl Job for Neighbors {
    fn schema(&self) -> Schema {
        let grids = |name, meaning| Column::new(name, ColumnKind::Grids, meaning);
        let columns = vec![
            grids("puzzle", "the neighbors, one after the other"),
            grids("canonical", "the least of all isomorphs of each neighbor"),
            grids("removed", "the clues that were taken away"),
            grids("added", "the clues that were put in"),
            Column::STATUS,
        ];
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let Exchange { remove, add, .. } = self.exchange;
        Box::new(NeighborsWorker {
            finder: NeighborFinder::new(self.exchange.clone()),
            together: if remove + add < SEARCHED_ALONE { TOGETHER } else { 1 },
            search: None,
            minlex: Minlex::new(),
        })
    }
}

/// Finds neighbors, in parts if the caller wants that.
struct NeighborsWorker<P: Searchable> {
    finder: NeighborFinder,
    /// How many puzzles are searched together.
    together: usize,
    /// The search that proves puzzles proper.
    search: Option<BatchSearch<P>>,
    minlex: Minlex,
}

impl<P: Searchable> Worker<P> for NeighborsWorker<P> {
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        self.answer_in_parts(puzzles, first, stop, answers, &mut |_, _| ControlFlow::Continue(()))
    }

    fn answer_in_parts(
        &mut self,
        puzzles: &[P],
        _: u64,
        stop: &AtomicBool,
        answers: &mut Answers,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        for same_shape in puzzles.chunk_by(|one, other| one.shape() == other.shape()) {
            for together in same_shape.chunks(self.together) {
                let before = answers.len();
                self.answer_together(together, stop, answers, take)?;
                if answers.len() < before + together.len() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl<P: Searchable> NeighborsWorker<P> {
    /// Answers puzzles of one shape.
    fn answer_together(
        &mut self,
        puzzles: &[P],
        stop: &AtomicBool,
        answers: &mut Answers,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let (before, shape) = (answers.len(), puzzles[0].shape());
        let engine = || BatchSearch::proof(Engine::fastest(Some(shape)));
        let search = self.search.get_or_insert_with(engine);
        let statuses: Vec<Status> = match NeighborFinder::serves(shape) {
            true => search.prove(puzzles, stop)?.map(|(_, status, _)| status).collect(),
            false => vec![Status::Budget; puzzles.len()],
        };
        let proper =
            puzzles.iter().enumerate().zip(&statuses).filter(|(_, status)| **status == Status::Unique);
        let (places, clues): (Vec<usize>, Vec<Clues<'_>>) =
            proper.map(|((place, puzzle), _)| (place, puzzle.clues())).unzip();
        let (mut begun, mut forms, mut cells) = (0, HashSet::new(), 0);
        let is_whole = self.finder.find(&clues, stop, &mut |puzzle, neighbor| {
            let form = self.minlex.canonical_cells(Clues { shape, cells: neighbor.cells });
            let form = form.expect("the shape has minlex forms");
            if begin(answers, &mut begun, places[puzzle] + 1) || forms.len() == MOST_FORMS {
                forms.clear();
            }
            if forms.insert(CanonicalKey::from_cells(shape, form.cells())) {
                push(answers, neighbor, form.cells());
                cells += COLUMNS.len() * neighbor.cells.len();
            }
            if cells < PART_CELLS {
                return ControlFlow::Continue(());
            }
            cells = 0;
            take(answers, before + begun)
        });
        if !is_whole || statuses.len() < puzzles.len() {
            // The puzzle gets no status, because its list is incomplete, but the caller gets what was found.
            begin(answers, &mut begun, 1);
            let _ = take(answers, before + begun);
            return Ok(());
        }
        begin(answers, &mut begun, puzzles.len());
        statuses.iter().for_each(|&status| answers.push_status(status as u8));
        Ok(())
    }
}

/// Begins the lists of the first `puzzles` puzzles. Returns whether one of them had not begun.
fn begin(answers: &mut Answers, begun: &mut usize, puzzles: usize) -> bool {
    let is_new = *begun < puzzles;
    for _ in *begun..puzzles {
        COLUMNS.iter().for_each(|&column| answers.cells(column).push(&[]));
    }
    *begun = puzzles.max(*begun);
    is_new
}

/// Adds a neighbor to the list of the last puzzle.
fn push(answers: &mut Answers, Neighbor { cells, removed, added }: Neighbor<'_>, form: &[u8]) {
    for (column, grid) in COLUMNS.into_iter().zip([cells, form, removed, added]) {
        answers.cells(column).lengthen(grid.iter().copied());
    }
}
