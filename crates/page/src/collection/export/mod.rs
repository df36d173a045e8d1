//! Downloads of the rows of a view.

mod as_they_are;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::jobs::Value;
use gridmill_data::packing::Compression;
use gridmill_data::text::Layout;
use serde::de::DeserializeOwned;

use super::Collection;
use super::entry::{Field, Pass};
use super::file::File;
use super::filter::Filter;
use super::span::{KnownRow, ReadSpan};
use super::view::{Sort, View};
use crate::reply::{Refusal, Reply};

/// Rows that are looked up together.
const ROWS: u64 = 1024;

/// Bytes that are sent together.
const PIECE: usize = 1 << 16;

/// A request for a download.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) token: String,
    filter: Filter,
    sort: Sort,
    form: Form,
}

/// How the rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As they stand in their files.
    Records,
    /// As a table of what is known of them.
    Csv,
}

impl Export {
    /// Reads the fields of the form.
    pub(crate) fn parse(body: &[u8]) -> Result<Export, Refusal> {
        let names = ["token", "filter", "sort", "form"];
        let mut values = [const { None }; 4];
        for (name, value) in form_urlencoded::parse(body) {
            let Some(place) = names.iter().position(|known| *known == name) else {
                return Err(Refusal::bad(format!("the form has an unknown field {name:?}")));
            };
            if values[place].replace(value.into_owned()).is_some() {
                return Err(Refusal::bad(format!("the form has the field {name:?} twice")));
            }
        }
        let [token, filter, sort, form] = values.map(Option::unwrap_or_default);
        let form = match &form[..] {
            "records" => Form::Records,
            "csv" => Form::Csv,
            _ => return Err(Refusal::bad("form: records or csv is needed")),
        };
        Ok(Export { token, filter: json("filter", &filter)?, sort: json("sort", &sort)?, form })
    }
}

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
            if view.files.is_empty() { self.files_of(&question.filter)? } else { view.files.clone() };
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
            Form::Csv => Box::new(TableWriter),
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
            self.with_spans(&mut known, |span, read| {
                done += span.len();
                let next = rows.get(done).copied();
                writer.add(self, span, read, next, &mut download)
            })?;
        }
        download.pass(1)
    }

    /// Returns the files whose rows may pass a filter.
    fn files_of(&self, filter: &Filter) -> Result<Vec<u16>, Refusal> {
        let only = filter.check(self.files.len())?.file;
        let wanted = |number: u16| only.is_none_or(|file| file == number);
        let has_rows = |file: &File| !file.is_broken() && file.records.load(Ordering::Acquire) > 0;
        let files = (0..).zip(&self.files);
        let files = files.filter(|(number, file)| wanted(*number) && has_rows(file));
        Ok(files.map(|(number, _)| number).collect())
    }
}

/// Writes CSV: the place of a record, its puzzle, and the columns of jobs. What is not known is empty.
struct TableWriter;

impl RowWriter for TableWriter {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let names = ["row", "file", "record", "puzzle"].into_iter().chain(Field::KNOWN.map(Field::name));
        out.extend_from_slice(names.collect::<Vec<_>>().join(",").as_bytes());
        out.push(b'\n');
    }

    fn add(
        &mut self,
        collection: &Collection,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        _: Option<u32>,
        download: &mut Download<'_>,
    ) -> Result<(), Refusal> {
        collection.ask(Pass::Search, span, read, download.reply.stop())?;
        let mut rows = csv::Writer::from_writer(&mut download.out);
        for (place, (row, entry)) in span.iter().enumerate() {
            let place = [
                // As the page numbers them.
                (u64::from(*row) + 1).to_string(),
                collection.file_of(entry).name.clone(),
                collection.number_of(*row, entry).to_string(),
                read.records.line(place).unwrap_or_default(),
            ];
            let known = Field::KNOWN.map(|field| field_text(entry.value(field)));
            rows.write_record(place.iter().chain(&known)).expect("memory takes all");
        }
        rows.flush().expect("memory takes all");
        drop(rows);
        download.pass(PIECE)
    }
}

/// Returns a value of a job as a field of CSV.
fn field_text(value: Value<'_>) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Rating(rating) => rating.to_string(),
        Value::Text(text) => text.to_owned(),
        Value::Missing
        | Value::Cells(_)
        | Value::Grids(_)
        | Value::Candidates(_)
        | Value::Key(_)
        | Value::Steps(_) => String::new(),
    }
}

/// Reads a field of JSON, which may be empty.
fn json<T: DeserializeOwned + Default>(name: &str, text: &str) -> Result<T, Refusal> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text).map_err(|error| Refusal::bad(format!("{name}: {error}")))
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
