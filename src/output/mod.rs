//! What comes out: rows, a progress bar, complaints, a summary, and the file that takes the rows.

mod console;
mod csv;
mod destination;
mod summary;

pub use console::Console;
pub(crate) use console::tell;
pub use csv::CsvRows;
pub(crate) use csv::{fields, free_name, printable};
pub use destination::Destination;
pub(crate) use destination::remove_staged;
pub use summary::{Summary, Times};
