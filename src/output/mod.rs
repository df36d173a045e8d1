//! What comes out: rows, a progress bar, complaints, a summary, tables of measurements, and the file that takes
//! the rows.

mod console;
mod csv;
mod destination;
mod duration;
mod standings;
mod summary;
mod table;

pub use console::Console;
pub(crate) use console::tell;
pub use csv::CsvRows;
pub(crate) use csv::printable;
pub use destination::Destination;
pub(crate) use destination::remove_staged;
pub use standings::{Export, Standings};
pub use summary::{Summary, Times};
