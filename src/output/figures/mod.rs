//! The content of a collection, counted field by field: as a table, as JSON and as pictures.

mod collection_figures;
mod counts;
mod log_counts;
mod pictures;
mod tables;

pub(crate) use collection_figures::{CollectionCounts, Figures};
pub(crate) use counts::{Counts, RecordFigures};
#[cfg(feature = "serve")]
pub(crate) use pictures::Picture;
pub(crate) use pictures::pictures;
pub(crate) use tables::Table;
