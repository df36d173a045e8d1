//! Downloads of the rows of a view.

mod as_they_are;
mod form;
mod table;

use std::path::Path;
use std::sync::atomic::Ordering;

pub(in crate::serve) use form::Export;
use form::Form;

use super::Collection;
use super::file::File;
use super::span::{KnownRow, ReadSpan};
use crate::packing::Compression;
use crate::serve::refusal::Refusal;
use crate::serve::reply::Reply;
use crate::text::Layout;

/// Rows that are looked up together.
const ROWS: u64 = 1024;

/// Bytes that are sent together.
const PIECE: usize = 1 << 16;

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
    /// Returns the name and the type of a download. Refuses what can't be had.
    pub(in crate::serve) fn export_name(&self, question: &Export) -> Result<(String, &'static str), Refusal> {
        question.filter.check(self.files.len())?;
        let files = self.exported_files(question);
        let (stem, extension) = match files[..] {
            [file] => parts_of_name(&file.name),
            _ => ("collection".to_owned(), "txt".to_owned()),
        };
        match question.form {
            Form::Csv => Ok((format!("{stem}-table.csv"), "text/csv; charset=utf-8")),
            Form::Records => {
                let layout = common_layout(&files)?;
                Ok((format!("{stem}-records.{extension}"), layout.map_or(PLAIN, media_type)))
            }
        }
    }

    /// Sends the rows of a view.
    pub(in crate::serve) fn export(&self, question: &Export, reply: &Reply) -> Result<(), Refusal> {
        let view = self.view(&question.filter, question.sort, reply.stop())?;
        let mut writer: Box<dyn RowWriter> = match question.form {
            Form::Csv => Box::new(table::TableWriter),
            Form::Records => {
                let layout = common_layout(&self.exported_files(question))?;
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

    /// Returns the files whose rows may be in a download.
    fn exported_files(&self, question: &Export) -> Vec<&File> {
        let wanted = |number: usize| question.filter.file().is_none_or(|file| file == number as u64);
        let has_rows = |file: &File| !file.is_broken() && file.records.load(Ordering::Acquire) > 0;
        let files = self.files.iter().enumerate();
        files.filter(|(number, file)| wanted(*number) && has_rows(file)).map(|(_, file)| file).collect()
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
