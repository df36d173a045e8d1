//! Streams files of millions of Sudoku puzzles through all cores, into rows.
//!
//! A memory-mapped reader gives chunks of records to workers. Each worker has an engine of `gridmill-core`
//! that allocates nothing. One writer puts the results into a file, in the order of the input.
//!
//! ```text
//!  file / pipe            rayon workers, one engine each                      one writer thread
//! ┌──────────┐  chunks  ┌───────────────────────────────────┐ formatted ┌────────────────────────┐
//! │  Source  │ ───────► │ text → puzzles → Job → Answers     │ ────────► │ reorder → io::Write     │
//! │ mmap|read│          │       → Sink → row bytes           │           │ → Observer (bar, stats) │
//! └──────────┘          └───────────────────────────────────┘           └────────────────────────┘
//!        ▲                    permits = recycled buffers                          │
//!        └────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Modules, from the ground up:
//!
//! - [`packing`]: compressed files, in and out;
//! - [`text`]: bytes to puzzles and back: formats, detection, reading and writing;
//! - [`record`]: answers and counts, and the traits that write records and watch runs;
//! - [`bench`](mod@bench): fair measurement of engines, side by side;
//! - [`collection`]: duplicates, splits, samples and sorting;
//! - [`error`]: the errors of a whole job;
//! - [`output`]: rows, and the file that takes them;
//! - [`pipeline`]: from text to rows on all cores, as drawn above.

pub mod bench;
pub mod collection;
pub mod error;
pub mod instances;
pub mod output;
pub mod packing;
pub mod pipeline;
pub mod record;
pub mod text;

pub use error::{Error, ErrorKind};
pub use pipeline::{Input, InputRecord, Records};
pub use text::{FormatOptions, GridPuzzle};

/// Runs the Rust examples of these documents as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/library.md")]
    mod library {}
}
