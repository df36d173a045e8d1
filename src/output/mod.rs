//! Output: rows, listings, the progress bar, diagnostics, summaries, tables and plots of measurements, the
//! figures of a collection, and the file that takes the rows.

#[cfg(feature = "cli")]
mod baseline;
mod candidate_rows;
#[cfg(feature = "cli")]
mod chosen;
#[cfg(feature = "cli")]
mod console;
#[cfg(feature = "cli")]
mod converted;
mod counted_before;
mod csv;
mod destination;
#[cfg(feature = "cli")]
mod detail;
mod duration;
#[cfg(feature = "cli")]
mod explanation;
#[cfg(feature = "cli")]
mod figures;
mod grid_rows;
#[cfg(feature = "cli")]
mod histogram;
#[cfg(feature = "cli")]
mod journal;
mod json;
mod leftovers;
mod listing;
mod log_scale;
mod markup;
#[cfg(feature = "cli")]
mod measurement_table;
mod partial;
mod plot;
#[cfg(feature = "cli")]
mod rating_counts;
#[cfg(feature = "cli")]
mod report;
mod reserve;
#[cfg(feature = "cli")]
mod row_output;
mod staged_file;
mod standard_output;
#[cfg(feature = "cli")]
mod summary;
#[cfg(feature = "cli")]
mod table;
#[cfg(feature = "cli")]
mod verdict_table;

#[cfg(feature = "cli")]
pub use baseline::Baseline;
pub use candidate_rows::{CandidateRecord, CandidateRows, candidate_text};
#[cfg(feature = "cli")]
pub(crate) use chosen::{ChosenColumns, ChosenRows, KnownColumns, SearchColumn};
#[cfg(feature = "cli")]
pub use console::Console;
#[cfg(feature = "cli")]
pub(crate) use console::eprint_message;
#[cfg(feature = "cli")]
pub(crate) use converted::{ConvertedRows, Spelling};
pub(crate) use counted_before::CountedBefore;
pub use csv::CsvRows;
pub(crate) use csv::fields;
pub use destination::Destination;
pub(crate) use destination::remove_staged;
#[cfg(feature = "cli")]
pub use detail::Detail;
#[cfg(feature = "serve")]
pub(crate) use explanation::StepObject;
#[cfg(feature = "cli")]
pub(crate) use explanation::{
    ExplanationText, GridChoice, TraceRecord, explanation_json, hint_json, trace_json, trace_text,
};
#[cfg(feature = "cli")]
pub(crate) use figures::{CollectionCounts, RecordFigures};
#[cfg(feature = "serve")]
pub(crate) use figures::{Counts, Picture, pictures};
pub use grid_rows::GridRows;
#[cfg(feature = "cli")]
pub use histogram::TextHistogram;
#[cfg(feature = "cli")]
pub(crate) use histogram::bar;
#[cfg(feature = "cli")]
pub(crate) use journal::{InputMark, InputVerdicts, Progress, Task};
pub use json::JsonRows;
#[cfg(feature = "cli")]
pub(crate) use json::{JsonLead, put_text};
pub use listing::{Listed, ListedColumn, Listing};
#[cfg(feature = "cli")]
pub use measurement_table::{Circumstances, Export, MeasurementTable};
#[cfg(feature = "cli")]
pub(crate) use partial::PartialPaths;
pub use plot::{Panel, Plot};
#[cfg(feature = "cli")]
pub(crate) use rating_counts::RatingCounts;
#[cfg(feature = "cli")]
pub(crate) use report::Report;
#[cfg(feature = "cli")]
pub(crate) use row_output::{RowOutput, Watched};
#[cfg(feature = "cli")]
pub(crate) use standard_output::StandardOutput;
#[cfg(feature = "cli")]
pub use summary::{Summary, Times};
#[cfg(feature = "cli")]
pub use verdict_table::VerdictTable;
