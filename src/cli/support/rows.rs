//! How rows are written: as CSV, or as JSON Lines.

use std::path::Path;

use clap::{Args, ValueEnum};

use crate::output::{CsvRows, JsonRows};
use crate::record::{PuzzleLike, RowFormat};
use crate::text::Layout;

/// Extensions of files of JSON Lines.
const JSON_NAMES: [&str; 2] = ["jsonl", "ndjson"];

/// Extensions of compressed files.
const PACKED: [&str; 3] = ["gz", "zst", "xz"];

#[derive(Debug, Args)]
pub(crate) struct RowsArgs {
    /// Write rows of CSV, or JSON Lines: an object a row [default: jsonl if the output's name ends in .jsonl or
    /// .ndjson, or if the input is JSON Lines and the name does not end in .csv; else csv]
    #[arg(long, value_name = "FORMAT")]
    rows: Option<RowsArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowsArg {
    Csv,
    Jsonl,
}

impl RowsArgs {
    /// Returns rows with solutions, for an output of that name.
    pub(crate) fn solutions<P: PuzzleLike>(
        &self,
        output: Option<&Path>,
        layout: &Layout,
    ) -> Box<dyn RowFormat<P>> {
        match self.choose(output, layout) {
            RowsArg::Jsonl => Box::new(JsonRows::of(layout)),
            RowsArg::Csv => {
                Box::new(layout.header.as_ref().map_or_else(CsvRows::for_lines, CsvRows::for_table))
            }
        }
    }

    /// Returns rows with numbers of solutions, for an output of that name.
    pub(crate) fn counts<P: PuzzleLike>(
        &self,
        output: Option<&Path>,
        layout: &Layout,
    ) -> Box<dyn RowFormat<P>> {
        match self.choose(output, layout) {
            RowsArg::Jsonl => Box::new(JsonRows::of_counts(layout)),
            RowsArg::Csv => Box::new(CsvRows::of_counts(layout.header.as_ref())),
        }
    }

    fn choose(&self, output: Option<&Path>, layout: &Layout) -> RowsArg {
        let name = output.and_then(extension);
        let is = |extension: &str| name.as_deref() == Some(extension);
        match self.rows {
            Some(rows) => rows,
            None if JSON_NAMES.into_iter().any(is) => RowsArg::Jsonl,
            None if layout.json_keys().is_some() && !is("csv") => RowsArg::Jsonl,
            None => RowsArg::Csv,
        }
    }
}

/// Returns the extension of a name in lower case, in front of that of a compression.
fn extension(path: &Path) -> Option<String> {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let last = extension(path)?;
    if PACKED.contains(&&last[..]) { extension(Path::new(path.file_stem()?)) } else { Some(last) }
}
