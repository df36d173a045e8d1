//! The content of a collection, counted field by field: as a table, as JSON and as pictures.

mod collection_figures;
mod counts;
mod pictures;

pub use collection_figures::CollectionCounts;
pub(crate) use collection_figures::{Figures, Table};
pub use counts::{Counts, RatingCounts, RecordFigures};
pub use pictures::{Picture, pictures};
