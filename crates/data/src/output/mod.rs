//! Output: rows in their formats, the file that takes them, and the journal of runs that may be resumed.

mod candidate_sinks;
mod converted;
mod csv;
mod destination;
mod duration;
mod grid_sink;
mod journal;
mod json;
mod leftovers;
mod listing;
mod partial;
mod row_output;
mod rows;
mod solution_rows;
mod staged_file;

pub use candidate_sinks::{CandidateCounts, CandidateGrids, candidate_text};
pub use converted::{ConvertedRows, RowsForm, Spelling};
pub use csv::put_csv_row;
pub use destination::{Destination, StandardOutput, note_closed_standard_output, remove_staged};
pub use duration::{duration, exact_duration, short_duration};
pub use grid_sink::Grids;
pub use journal::{InputCounts, InputMark, Progress, Task};
pub use json::{JsonLead, put_text};
pub use leftovers::report_leftovers;
pub use listing::Listing;
pub use partial::PartialPaths;
pub use row_output::RowOutput;
pub use rows::Rows;
pub use solution_rows::SolutionRows;
