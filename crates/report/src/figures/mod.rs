//! The content of a collection, counted field by field: as a table, as JSON and as pictures.

mod collection_figures;
mod counts;
mod log_counts;
mod pictures;
mod tables;

pub use collection_figures::CollectionCounts;
pub(crate) use collection_figures::Figures;
pub use counts::{Counts, RecordFigures};
pub use pictures::Picture;
pub use pictures::pictures;
pub(crate) use tables::Table;
