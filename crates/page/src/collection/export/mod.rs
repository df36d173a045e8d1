//! Downloads of the rows of a view.

mod as_they_are;
mod form;
mod table;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use form::Export;
use form::Form;
use gridmill_data::packing::Compression;
use gridmill_data::text::Layout;

use super::Collection;
use super::file::File;
use super::filter::Filter;
use super::span::{KnownRow, ReadSpan};
use super::view::View;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// Rows that are looked up together.
const ROWS: u64 = 1024;

/// Bytes that are sent together.
const PIECE: usize = 1 << 16;

/// The plan of a download: decided once, as the files may change on the way.
pub(crate) struct Plan {
    view: Arc<View>,
    form: Form,
    /// The file whose layout all have that are in it.
    file: Option<u16>,
    pub(crate) name: String,
    pub(crate) media_type: &'static str,
}

/// A download on its way: what is to be sent, and to whom.
struct Download<'a> {
    out: Vec<u8>,
    reply: &'a Reply,
}

/// Writes rows of a download, in the order in which they come.
trait RowWriter {
    /// Appends what stands above the rows.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Appends the rows of a span. `next` is the row behind the span.
    fn add(
        &mut self,
        collection: &Collection,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        next: Option<u32>,
        download: &mut Download<'_>,
    ) -> Result<(), Refusal>;
}

impl Download<'_> {
    /// Sends what there is, if it is enough. Refuses where the reader is gone.
    fn pass(&mut self, enough: usize) -> Result<(), Refusal> {
        if self.out.len() >= enough && !self.reply.send_bytes(std::mem::take(&mut self.out)) {
            return Err(super::given_up());
        }
        Ok(())
    }
}

impl Collection {
    /// Decides what a download is to be. Refuses what can't be had.
    pub(crate) fn plan_export(&self, question: &Export, stop: &AtomicBool) -> Result<Plan, Refusal> {
        let view = self.view(&question.filter, question.sort, stop)?;
        let numbers =
            if view.files.is_empty() { self.files_of(&question.filter) } else { view.files.clone() };
        let files: Vec<&File> = numbers.iter().map(|&number| &self.files[usize::from(number)]).collect();
        let (stem, extension) = match files[..] {
            [file] => parts_of_name(&file.name),
            _ => ("collection".to_owned(), "txt".to_owned()),
        };
        let (name, media_type) = match question.form {
            Form::Csv => (format!("{stem}-table.csv"), "text/csv; charset=utf-8"),
            Form::Records => {
                // Without a record there is nothing that could differ.
                let few = if view.total == 0 { 1 } else { files.len() };
                let layout = common_layout(&files[..few.min(files.len())])?;
                (format!("{stem}-records.{extension}"), layout.map_or(PLAIN, media_type))
            }
        };
        Ok(Plan { view, form: question.form, file: numbers.first().copied(), name, media_type })
    }

    /// Sends the rows of a view.
    pub(crate) fn export(&self, plan: &Plan, reply: &Reply) -> Result<(), Refusal> {
        let view = &plan.view;
        let mut writer: Box<dyn RowWriter> = match plan.form {
            Form::Csv => Box::new(table::TableWriter),
            Form::Records => {
                let file = plan.file.map(|file| &self.files[usize::from(file)]);
                let layout = file.and_then(|file| file.content.as_ref()).map(|content| &content.layout);
                Box::new(as_they_are::RecordWriter::new(layout))
            }
        };
        let mut download = Download { out: Vec::new(), reply };
        writer.begin(&mut download.out);
        for from in (0..view.total).step_by(ROWS as usize) {
            // One more, so that each row knows the one behind it.
            let rows = view.slice(from, ROWS + 1);
            let mut known = self.known(&rows[..rows.len().min(ROWS as usize)]);
            let mut done = 0;
            self.with_spans(&mut known, |collection, span, read| {
                done += span.len();
                let next = rows.get(done).copied();
                writer.add(collection, span, read, next, &mut download)
            })?;
        }
        download.pass(1)
    }

    /// Returns the files whose rows may pass a filter.
    fn files_of(&self, filter: &Filter) -> Vec<u16> {
        let wanted = |number: u16| filter.file().is_none_or(|file| file == u64::from(number));
        let has_rows = |file: &File| !file.is_broken() && file.records.load(Ordering::Acquire) > 0;
        let files = (0..).zip(&self.files);
        files.filter(|(number, file)| wanted(*number) && has_rows(file)).map(|(number, _)| number).collect()
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

fn media_type(layout: &Layout) -> &'static str {
    match layout.format_name() {
        "csv" => "text/csv; charset=utf-8",
        "jsonl" => "application/x-ndjson",
        _ => PLAIN,
    }
}

/// Returns the layout that all files have; that of the first, if there are any.
fn common_layout<'a>(files: &[&'a File]) -> Result<Option<&'a Layout>, Refusal> {
    let layouts: Vec<&Layout> =
        files.iter().filter_map(|file| file.content.as_ref()).map(|content| &content.layout).collect();
    let Some((first, others)) = layouts.split_first() else { return Ok(None) };
    for (place, other) in others.iter().enumerate() {
        if let Some(what) = first.difference(other) {
            let (one, two) = (&files[0].name, &files[place + 1].name);
            return Err(Refusal::bad(format!(
                "{one} and {two} differ in {what}, so their records can't stand in one file: choose one of them, or CSV"
            )));
        }
    }
    Ok(Some(first))
}

/// Returns the name of a file without its folder and extensions, and the extension that says how it is written.
fn parts_of_name(name: &str) -> (String, String) {
    let path = Path::new(name);
    let unpacked =
        if Compression::of_name(path).is_some() { path.file_stem().map(Path::new) } else { Some(path) };
    let part = |part: Option<&std::ffi::OsStr>, default: &str| match part {
        Some(part) if !name.starts_with('<') => part.to_string_lossy().into_owned(),
        _ => default.to_owned(),
    };
    let path = unpacked.unwrap_or(path);
    (part(path.file_stem(), "puzzles"), part(path.extension(), "txt"))
}
