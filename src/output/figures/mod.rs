//! What a collection holds, counted field by field: as a table, as JSON and as pictures.

mod collection_figures;
mod counts;
mod log_counts;
mod pictures;

#[allow(unused_imports)]
pub(crate) use collection_figures::{CollectionCounts, Figures};
pub(crate) use counts::{Counts, RecordFigures};
#[allow(unused_imports)]
pub(crate) use pictures::{Picture, pictures};
