//! Output: rows in their formats, the file that takes them, and the journal of runs that may be resumed.

mod candidate_rows;
mod chosen;
mod converted;
mod counted_before;
mod csv;
mod destination;
mod duration;
mod grid_rows;
mod journal;
mod json;
mod leftovers;
mod listing;
mod partial;
mod reserve;
mod row_output;
mod staged_file;
mod standard_output;

pub use candidate_rows::{CandidateRecord, CandidateRows, candidate_text};
pub use chosen::{ChosenColumns, ChosenRows, KnownColumns, SearchColumn};
pub use converted::{ConvertedRows, Spelling};
pub use counted_before::CountedBefore;
pub use csv::CsvRows;
pub use csv::fields;
pub use destination::Destination;
pub use destination::remove_staged;
pub use duration::{duration, exact_duration, short_duration};
pub use grid_rows::GridRows;
pub use journal::{InputMark, InputVerdicts, Progress, Task};
pub use json::JsonRows;
pub use json::{JsonLead, put_text};
pub use leftovers::report_leftovers;
pub use listing::{Listed, ListedColumn, Listing};
pub use partial::PartialPaths;
pub use row_output::RowOutput;
pub use standard_output::{StandardOutput, note_closed_standard_output};
