//! Questions of those who hunt puzzles: the neighbors of a puzzle, its backdoors, and the unavoidable sets of its
//! solution.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::solve::PART_CELLS;
use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, JobPuzzle, PORTION, PuzzleKey, Result, Schema, Status,
    StatusInfo, TakePart, Worker, WrongAnswer, worker_from,
};
use crate::grid::{Cell, Shape};
use crate::hunt::{
    BackdoorFinder, BackdoorSets, Exchange, Neighbor, NeighborFinder, UnavoidableFinder, UnavoidableSets,
    disjoint_sets,
};
use crate::logic::Rating;
use crate::minlex::Minlex;
use crate::solver::{Bounds, Budget, Clues, Engine};

/// Lists the neighbors of puzzles, one of each class of isomorphs, with their minlex forms and the clues that
/// were exchanged. Only proper puzzles have neighbors. Puzzles of shapes that have no minlex
/// form get the status `budget` without a search.
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

/// From this many exchanged clues on (removed and added together), each puzzle is searched alone, because it fills
/// the lanes of the engine.
const SEARCHED_ALONE: usize = 3;

/// How many puzzles are searched together if fewer clues are exchanged.
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
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
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
struct NeighborsWorker<P: JobPuzzle> {
    finder: NeighborFinder,
    /// How many puzzles are searched together.
    together: usize,
    /// The search that proves puzzles proper.
    search: Option<BatchSearch<P>>,
    minlex: Minlex,
}

impl<P: JobPuzzle> Worker<P> for NeighborsWorker<P> {
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

impl<P: JobPuzzle> NeighborsWorker<P> {
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
            if forms.insert(PuzzleKey::from_cells(shape, form.cells())) {
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

/// Finds the fewest cells of each puzzle whose digits leave only naked and hidden singles to do.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Backdoors, Job, Value};
///
/// let puzzle: Puzzle = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..".parse()?;
/// let answers = Backdoors::default().answer(&[puzzle])?;
/// assert_eq!(answers.value(0, 0), Value::Number(2));
/// assert_eq!(answers.value(1, 0), Value::Text("r1c2 r6c2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backdoors {
    /// The engine that solves the puzzles; the default is the fastest for 9x9.
    pub engine: Engine,
    /// The rating up to which all techniques count as easy, for 9x9; `None` for singles alone.
    pub up_to: Option<Rating>,
    /// Whether there are columns with all sets of the least size.
    pub all: bool,
    /// The budget of solving a puzzle. The search for its sets gets the same budget once more; each set counts as a
    /// guess.
    pub budget: Budget,
}

impl Backdoors {
    /// The column with all sets of the least size. There may be thousands, so its texts are of very different lengths.
    pub const SETS: Column =
        Column::new("backdoors", ColumnKind::Text, "all of them, such as r1c2 r3c4; r1c2 r5c5");
}

/// A puzzle with one solution whose sets have more cells than the search tries. (This job never gives
/// `Status::Solved`, so it uses that variant; [`Status::infos_with`] renames it.)
const MORE: Status = Status::Solved;

impl Job for Backdoors {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &Status::infos_with([(MORE, StatusInfo::right("more"))]);
        let size = "the least number of cells whose digits leave only easy steps";
        let backdoor = "the first set of that size, such as r1c2 r3c4; empty for 0 cells";
        let mut columns = vec![
            Column::new("size", ColumnKind::SmallNumber, size),
            Column::new("backdoor", ColumnKind::Text, backdoor),
        ];
        if self.all {
            let sets = "how many sets of that size there are";
            columns.push(Column::new("sets", ColumnKind::SmallNumber, sets));
            columns.push(Backdoors::SETS);
        }
        columns.push(Column::STATUS);
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let Backdoors { engine, up_to, all, budget } = *self;
        let mut search = BatchSearch::<P>::new(P::solver(engine), Bounds::solutions(2).and_budget(budget));
        let mut finder = BackdoorFinder::new(up_to, budget);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (start, portion) in (0..).step_by(PORTION).zip(puzzles.chunks(PORTION)) {
                let of_all = |wrong: WrongAnswer| WrongAnswer { puzzle: start + wrong.puzzle, ..wrong };
                for (puzzle, status, only) in search.prove(portion, stop).map_err(of_all)? {
                    let found = match only {
                        Some(solution) => finder.find(puzzle, solution, all, stop),
                        None => Some(BackdoorSets::default()),
                    };
                    let Some(found) = found else { return Ok(()) };
                    let status = match (status, found.size) {
                        (Status::Unique, _) if found.is_given_up => Status::Budget,
                        (Status::Unique, None) => MORE,
                        _ => status,
                    };
                    answers.push_status(status as u8);
                    answers.push_numbers(0, [found.size.map(|size| size as u64)].into_iter());
                    let names = |set: &Vec<Cell>| cell_names(set, puzzle.shape());
                    answers.push_text(1, found.sets.first().map(names).unwrap_or_default());
                    if all {
                        let sets = found.size.map(|_| found.sets.len() as u64);
                        answers.push_numbers(2, [sets].into_iter());
                        answers.push_text(3, found.sets.iter().map(names).collect::<Vec<_>>().join("; "));
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// The names of cells, separated by a space, e.g. `r1c2 r3c4`.
fn cell_names(cells: &[Cell], shape: Shape) -> String {
    cells.iter().map(|cell| cell.name(shape)).collect::<Vec<_>>().join(" ")
}

/// Finds the minimal unavoidable sets of the solution of each puzzle: all sets up to a number of cells, and all
/// within a few digits.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Unavoidable, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Unavoidable { cells: 4, ..Unavoidable::default() }.answer(&[puzzle])?;
/// let Value::Grids(sets) = answers.value(0, 0) else { panic!("it has sets") };
/// assert_eq!(sets[..81].iter().filter(|&&digit| digit != 0).count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavoidable {
    /// The engine that solves the puzzles; the default is the fastest for 9x9.
    pub engine: Engine,
    /// All sets of up to this many cells are found.
    pub cells: usize,
    /// All sets within this many digits are found, however many cells they have.
    pub digits: usize,
    /// How many clues of the puzzle the sets must have; `None` for any number.
    pub hits: Option<usize>,
    /// Whether there are columns with the numbers of sets instead of the sets.
    pub totals: bool,
    /// The budget of solving a puzzle. The search for its sets gets the same budget once more; see
    /// [`UnavoidableFinder::budget`].
    pub budget: Budget,
}

impl Default for Unavoidable {
    fn default() -> Unavoidable {
        Unavoidable {
            engine: Engine::default(),
            cells: UnavoidableFinder::CELLS,
            digits: UnavoidableFinder::DIGITS,
            hits: None,
            totals: false,
            budget: Budget::NONE,
        }
    }
}

impl Job for Unavoidable {
    fn schema(&self) -> Schema {
        let mut columns = if self.totals {
            let sets = "how many minimal unavoidable sets were found";
            let sizes = "how many of them have each number of cells, such as 4:3 6:26";
            let least_clues = "every puzzle with this solution has at least this many clues, because this many of the sets are disjoint";
            vec![
                Column::new("sets", ColumnKind::SmallNumber, sets),
                Column::new("sizes", ColumnKind::Text, sizes),
                Column::new("least_clues", ColumnKind::SmallNumber, least_clues),
            ]
        } else {
            let sets = "the minimal unavoidable sets, each as its digits, 0 in the other cells";
            vec![Column::new("unavoidable", ColumnKind::Grids, sets)]
        };
        columns.push(Column::STATUS);
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let job = *self;
        let bounds = Bounds::solutions(2).and_budget(self.budget);
        let mut search = BatchSearch::<P>::new(P::solver(self.engine), bounds);
        let mut finder = UnavoidableFinder::new(self.cells, self.digits, self.budget);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (start, portion) in (0..).step_by(PORTION).zip(puzzles.chunks(PORTION)) {
                let of_all = |wrong: WrongAnswer| WrongAnswer { puzzle: start + wrong.puzzle, ..wrong };
                for (puzzle, status, only) in search.prove(portion, stop).map_err(of_all)? {
                    let Some(solution) = only else {
                        job.push(status, &[], None, answers);
                        continue;
                    };
                    let Some(found) = finder.find(puzzle.shape(), solution, stop) else { return Ok(()) };
                    let UnavoidableSets { mut sets, is_given_up } = found;
                    if let Some(hits) = job.hits {
                        sets.retain(|set| clues_in(puzzle.cells(), set) == hits);
                    }
                    match is_given_up {
                        true => job.push(Status::Budget, &[], None, answers),
                        false => job.push(status, solution, Some(&sets), answers),
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Unavoidable {
    /// Adds an answer; `sets` are those of the solution, if they are known.
    fn push(&self, status: Status, solution: &[u8], sets: Option<&[Vec<Cell>]>, answers: &mut Answers) {
        answers.push_status(status as u8);
        if self.totals {
            let number = |number: usize| Some(number as u64);
            answers.push_numbers(0, [sets.and_then(|sets| number(sets.len()))].into_iter());
            answers.push_text(1, sets.map(sizes).unwrap_or_default());
            answers.push_numbers(2, [sets.and_then(|sets| number(disjoint_sets(sets)))].into_iter());
            return;
        }
        let grids = answers.cells(0);
        grids.push(&[]);
        for set in sets.unwrap_or_default() {
            let digit = |cell| if set.contains(&Cell::new(cell)) { solution[cell] } else { 0 };
            grids.lengthen((0..solution.len()).map(digit));
        }
    }
}

/// How many clues of a puzzle are in a set.
fn clues_in(puzzle: &[u8], set: &[Cell]) -> usize {
    set.iter().filter(|cell| puzzle[cell.index()] != 0).count()
}

/// How many sets have each number of cells, e.g. `4:3 6:26`. Smaller sets come first.
fn sizes(sets: &[Vec<Cell>]) -> String {
    let runs = sets.chunk_by(|one, next| one.len() == next.len());
    runs.map(|run| format!("{}:{}", run[0].len(), run.len())).collect::<Vec<_>>().join(" ")
}
