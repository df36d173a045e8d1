//! The searches of the two engines: one for classic puzzles, and one for grids of any shape that fits into
//! the lanes.

use super::any_sweep::AnyGrids;
use super::search::LaneSearch;
use super::sweep::ClassicGrids;
use super::{Batch, BatchState, LockstepEngine};
use crate::grid::{Puzzle, Shape};
use crate::simd::{Backend, InLanes, Simd, WithLanes};
use crate::solver::GridLike;

/// The search of an engine.
pub trait LaneSearches: Send + Sized {
    /// Whether the engine always solves the whole batch if no search takes long. It does not stop between
    /// smaller batches then, because lanes are idle at the end of each, which costs time.
    const SOLVES_WHOLE_BATCHES: bool;

    /// Makes a search on that backend; `None` if the processor can't run it.
    fn on(backend: Backend) -> Option<Self>;

    /// The bytes of memory, including the heap.
    fn memory(&self) -> usize;
}

/// The search of an engine for puzzles of one kind.
pub(super) trait SearchesInLanes<P: GridLike>: LaneSearches {
    /// Searches puzzles of one shape, on the backend for which the search was made.
    fn run(&mut self, backend: Backend, batch: &mut Batch<'_, P>);
}

/// The search of classic puzzles.
pub struct ClassicSearch(Box<dyn for<'a> InLanes<Batch<'a, Puzzle>>>);

impl LaneSearches for ClassicSearch {
    const SOLVES_WHOLE_BATCHES: bool = true;

    fn on(backend: Backend) -> Option<ClassicSearch> {
        backend.with_lanes(Shape::CLASSIC)
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }
}

impl WithLanes for ClassicSearch {
    fn new<S: Simd>(simd: S, shape: Shape) -> Option<ClassicSearch> {
        Some(ClassicSearch(Box::new(LaneSearch::<S, ClassicGrids<S>>::new(simd, shape)?)))
    }
}

impl SearchesInLanes<Puzzle> for ClassicSearch {
    fn run(&mut self, _: Backend, batch: &mut Batch<'_, Puzzle>) {
        self.0.run(batch);
    }
}

/// The search of grids of any shape. It keeps the lanes of the last shape, so that batches of one shape reuse
/// them.
pub struct AnySearch(Option<(Shape, GridSearch)>);

/// The search of grids of one shape.
struct GridSearch(Box<dyn for<'a> InLanes<dyn BatchState + 'a>>);

impl WithLanes for GridSearch {
    fn new<S: Simd>(simd: S, shape: Shape) -> Option<GridSearch> {
        Some(GridSearch(Box::new(LaneSearch::<S, AnyGrids<S>>::new(simd, shape)?)))
    }
}

impl LaneSearches for AnySearch {
    const SOLVES_WHOLE_BATCHES: bool = false;

    fn on(backend: Backend) -> Option<AnySearch> {
        backend.is_available().then_some(AnySearch(None))
    }

    fn memory(&self) -> usize {
        size_of::<LockstepEngine<AnySearch>>() + self.0.as_ref().map_or(0, |(_, search)| search.0.memory())
    }
}

impl<P: GridLike> SearchesInLanes<P> for AnySearch {
    fn run(&mut self, backend: Backend, batch: &mut Batch<'_, P>) {
        let shape = batch.puzzles[0].shape();
        self.0.take_if(|(known, _)| *known != shape);
        let (_, search) = self.0.get_or_insert_with(|| {
            let search = backend.with_lanes(shape);
            (shape, search.expect("sixteen digits fit a lane, no more"))
        });
        search.0.run(batch);
    }
}
