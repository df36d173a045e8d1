//! Output: rows, listings, the progress bar, diagnostics, summaries, tables and plots of measurements, and
//! the file that takes the rows.

mod console;
mod csv;
mod destination;
mod detail;
mod duration;
mod histogram;
mod listing;
mod log_scale;
mod measurement_table;
mod plot;
mod summary;
mod table;
mod verdict_table;

pub use console::Console;
pub(crate) use console::eprint_message;
pub use csv::CsvRows;
pub(crate) use csv::fields;
pub use destination::Destination;
pub(crate) use destination::remove_staged;
pub use detail::Detail;
pub use histogram::TextHistogram;
pub use listing::{Listed, Listing};
pub use measurement_table::{Export, MeasurementTable};
pub use plot::{Panel, Plot};
pub use summary::{Summary, Times};
pub use verdict_table::VerdictTable;
