//! What comes out: rows, a progress bar, complaints, a summary, and the file that takes the rows.

mod console;
mod csv;
mod destination;
mod summary;

pub use console::Console;
pub use csv::CsvRows;
pub use destination::Destination;
pub use summary::{Summary, Times};
