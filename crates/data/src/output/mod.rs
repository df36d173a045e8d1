//! Output: rows in their formats, the file that takes them, and the journal of runs that can be resumed.

mod converted;
mod csv;
mod destination;
mod journal;
mod json;
mod readable;
mod rows;
mod staged_file;

pub use converted::{ConvertedForm, ConvertedRows, Isomorphs};
pub use csv::{UnavoidableRows, free_name, put_csv_row, put_field, put_row};
pub use destination::{Destination, RowOutput, StandardOutput, mark_stdout_closed, remove_staged};
pub use journal::{InputCounts, InputMark, PartialPaths, RunProgress, Task};
pub use json::{JsonInputKeys, distinct, put_json_string};
pub use readable::{
    CandidateCounts, CandidateGrids, Grids, Listing, candidate_grid, candidate_text, duration, exact_duration,
};
pub use rows::Rows;
pub use staged_file::set_leftover_report;
