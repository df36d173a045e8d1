//! Downloads of the rows of a view: as a table, or as the records are in their files.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_data::output::free_name;
use gridmill_data::packing::Packing;
use gridmill_data::text::{Layout, end_of_upper_record, is_rule, lines_of};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Collection;
use super::files::{Numbering, OwnValues};
use super::index::{Entry, Field, Pass};
use super::records::{File, KnownRecord, ReadSpan};
use super::view::{Filter, Sort, View};
use crate::reply::{Answer, Refusal, Reply};
use crate::routes::in_words;

/// The number of rows that are looked up together.
const ROWS: u64 = 1024;

/// The number of bytes that are sent together.
const PIECE: usize = 1 << 16;

/// The limit for the text that is kept between two records. It is enough for titles and frames.
const BETWEEN: u64 = 1 << 16;

/// A request for a download.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) token: String,
    filter: Filter,
    sort: Sort,
    /// The contents of a table; `None` if the records are wanted as they are in their files.
    table: Option<Parts>,
}

/// The contents of a table besides the place of a record and its puzzle.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// Whether the files' own columns are written.
    own: bool,
    /// Whether the columns of [`Field::KNOWN`] are written: clues, status, guesses, time and rating.
    fields: bool,
    solution: bool,
}

impl Export {
    /// Reads the fields of the form.
    pub(crate) fn parse(body: &[u8]) -> Answer<Export> {
        let names = ["token", "filter", "sort", "form", "own", "known", "solution"];
        let mut values = [const { None }; 7];
        for (name, value) in form_urlencoded::parse(body) {
            let Some(place) = names.iter().position(|known| *known == name) else {
                return Err(bad!("the form has an unknown field {name:?}"));
            };
            if values[place].replace(value.into_owned()).is_some() {
                return Err(bad!("the form has the field {name:?} twice"));
            }
        }
        let [token, filter, sort, form, own, known, solution] = values.map(Option::unwrap_or_default);
        let [own, known, solution] = [own, known, solution].map(|value: String| !value.is_empty());
        if !["records", "csv"].contains(&&form[..]) {
            return Err(Refusal::bad("form: must be records or csv"));
        }
        let (filter, sort) = (json("filter", &filter)?, json("sort", &sort)?);
        let table = (form == "csv").then_some(Parts { own, fields: known, solution });
        Ok(Export { token, filter, sort, table })
    }
}

/// The plan of a download. It is made once, because the files may change during the download.
pub(crate) struct Plan {
    view: Arc<View>,
    table: Option<Parts>,
    /// A file of the download, if there is one. Unless the download is a table, all others have the same layout.
    file: Option<u16>,
    pub(crate) name: String,
    pub(crate) media_type: &'static str,
}

impl Collection {
    /// Plans a download. Refuses it if it is not possible.
    pub(crate) fn plan_export(&self, question: &Export, stop: &AtomicBool) -> Answer<Plan> {
        let view = self.view(&question.filter, question.sort, stop)?;
        let numbers =
            if view.files.is_empty() { self.files_of(&question.filter)? } else { view.files.clone() };
        let shelf = self.files();
        let files: Vec<&File> = numbers.iter().map(|&number| &**shelf.get(number)).collect();
        let (stem, extension) = match files[..] {
            [file] => parts_of_name(file),
            _ => ("collection".to_owned(), "txt".to_owned()),
        };
        let (name, media_type) = if question.table.is_some() {
            (format!("{stem}-table.csv"), "text/csv; charset=utf-8")
        } else {
            // If there are no records, the layouts need not be equal.
            let few = if view.total == 0 { 1 } else { files.len() };
            let layout = common_layout(&files[..few.min(files.len())])?;
            (format!("{stem}-records.{extension}"), layout.map_or(PLAIN, media_type))
        };
        Ok(Plan { view, table: question.table, file: numbers.first().copied(), name, media_type })
    }

    /// Sends the rows of a view.
    pub(crate) fn export(&self, plan: &Plan, reply: &Reply) -> Answer {
        let view = &plan.view;
        let columns = if plan.table.is_some_and(|parts| parts.own) { self.own_columns() } else { Vec::new() };
        let mut download = Download::new(self, plan, &columns, reply);
        let mut own = OwnValues::new(&columns);
        for from in (0..view.total).step_by(ROWS as usize) {
            // One row more than needed, so that each row knows the next one.
            let rows = view.slice(from, ROWS + 1);
            let mut known = self.known(rows.iter().copied().take(ROWS as usize));
            let mut done = 0;
            self.with_spans(&mut known, |span, read| {
                done += span.len();
                match plan.table {
                    Some(parts) => download.add_table_rows(parts, &mut own, span, read),
                    None => download.add_records(span, read, rows.get(done).copied()),
                }
            })?;
        }
        download.pass(1)
    }

    /// The files whose rows can pass a filter.
    fn files_of(&self, filter: &Filter) -> Answer<Vec<u16>> {
        let files = self.files();
        let only = self.conditions(filter)?.file;
        let has_rows = |file: &File| !file.is_broken() && file.records() > 0;
        let files = files.shown().filter(|(_, file)| has_rows(file)).map(|(number, _)| number);
        Ok(files.filter(|number| only.is_none_or(|file| file == *number)).collect())
    }
}

/// A download in progress: its client, and the bytes that have not been sent yet.
struct Download<'a> {
    collection: &'a Collection,
    numbering: Numbering,
    reply: &'a Reply,
    out: Vec<u8>,
    /// Whether the text between records is kept, because they are grids in rows.
    keeps_text_between: bool,
    /// The record that was added last.
    last: Option<u32>,
}

impl<'a> Download<'a> {
    /// Starts a download with the names of the columns, or with the header that all files share.
    fn new(collection: &'a Collection, plan: &Plan, own: &[String], reply: &'a Reply) -> Download<'a> {
        let files = collection.files();
        let layout = plan.file.and_then(|file| files.get(file).layout());
        let header = layout.and_then(|layout| layout.header.as_ref()).filter(|header| header.is_in_file);
        let out = match (plan.table, header) {
            (Some(parts), _) => table_header(parts, own),
            (None, Some(header)) => [&header.text[..], b"\n"].concat(),
            (None, None) => Vec::new(),
        };
        let keeps_text_between = layout.is_some_and(|layout| layout.format_name() == "grid");
        let numbering = Numbering::new(Arc::clone(&files));
        Download { collection, numbering, reply, out, keeps_text_between, last: None }
    }

    /// Sends the waiting bytes if there are enough. Refuses if the client has left.
    fn pass(&mut self, enough: usize) -> Answer {
        if self.out.len() >= enough && !self.reply.send_bytes(std::mem::take(&mut self.out)) {
            return Err(super::given_up());
        }
        Ok(())
    }

    /// Adds rows of CSV: the place of a record, its puzzle, and the chosen columns. Unknown values are empty.
    fn add_table_rows(
        &mut self,
        parts: Parts,
        own: &mut OwnValues<'_>,
        span: &mut [KnownRecord],
        read: &mut ReadSpan<'_>,
    ) -> Answer {
        self.collection.ask(Pass::Solve, span, read, self.reply.stop())?;
        let solutions = if parts.solution { read.records.solutions(self.reply.stop()) } else { Vec::new() };
        let file = self.collection.file_of(&span[0].1);
        let lines: Vec<_> = lines_of(read.text, read.records.records()).collect();
        let mut rows = csv::Writer::from_writer(&mut self.out);
        for (place, ((id, entry), lines)) in span.iter().zip(lines).enumerate() {
            let mut row = vec![
                // Counted from 1, as in the page.
                self.numbering.row(*id, entry.file).map_or(String::new(), |row| (row + 1).to_string()),
                file.name.clone(),
                self.collection.number_of(*id, entry).to_string(),
                read.records.line(place).unwrap_or_default(),
            ];
            row.extend(own.of(&file, entry, &read.text[lines]));
            let known = Field::KNOWN.into_iter().filter(|_| parts.fields).map(|field| entry.json(field));
            row.extend(known.map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => text,
                number => number.to_string(),
            }));
            if parts.solution {
                row.push(solutions.get(place).cloned().flatten().unwrap_or_default());
            }
            rows.write_record(&row).expect("memory takes all");
        }
        rows.flush().expect("memory takes all");
        drop(rows);
        self.pass(PIECE)
    }

    /// Adds the lines of records. Grids in rows keep their frames, their titles and the blank lines between them. The text between
    /// two records is split at the first blank line: the upper part belongs to the record above, and the lower part to the record
    /// below. `next` is the id of the record after the span.
    fn add_records(&mut self, span: &[KnownRecord], read: &ReadSpan<'_>, next: Option<u32>) -> Answer {
        let file = &*self.collection.file_of(&span[0].1);
        if !read.is_whole {
            return self.put_long(file, &span[0].1);
        }
        let lines: Vec<_> = lines_of(read.text, read.records.records()).collect();
        for (place, ((id, entry), lines)) in span.iter().zip(lines).enumerate() {
            if self.keeps_text_between {
                self.put_front(file, *id, entry)?;
            }
            self.out.extend_from_slice(&read.text[lines]);
            self.end_line();
            if self.keeps_text_between {
                let following = span.get(place + 1).map(|(id, _)| *id).or(next);
                let below = file.place(*id).and_then(|place| file.id(u64::from(place) + 1));
                let is_apart = following.is_some() && following != below;
                let is_valid = read.records.records()[place].fault.is_none();
                self.put_behind(file, *id, entry, is_apart, is_valid)?;
            }
            self.last = Some(*id);
        }
        self.pass(PIECE)
    }

    /// Appends the part of the text before a record that belongs to it.
    fn put_front(&mut self, file: &File, id: u32, entry: &Entry) -> Answer {
        let body = file.layout().map_or(0, |layout| layout.body_start as u64);
        let place = file.place(id);
        let above = place.and_then(|place| file.id(u64::from(place.checked_sub(1)?)));
        let start =
            above.and_then(|above| self.collection.index.get(above)).map_or(body, |above| above.end());
        let front = text(file, start.max(entry.position.saturating_sub(BETWEEN)), entry.position)?;
        let (upper, lower) = front.split_at(end_of_upper_record(&front));
        // A single rule between two frames is the edge of both.
        let follows_its_neighbour = above.is_some() && self.last == above;
        let is_edge_of_both = lower.is_empty() && !follows_its_neighbour && is_rule(upper);
        self.out.extend_from_slice(if is_edge_of_both { upper } else { lower });
        Ok(())
    }

    /// Appends the part of the text after a record that belongs to it. Adds a blank line if the next record is not its neighbour in
    /// the file, because the two could otherwise be read as one.
    fn put_behind(&mut self, file: &File, id: u32, entry: &Entry, is_apart: bool, is_valid: bool) -> Answer {
        // This is read first, so that records that are found meanwhile are seen below.
        let is_indexed = file.is_indexed.load(Ordering::Acquire);
        let next = file.place(id).and_then(|place| file.id(u64::from(place) + 1));
        let below = next.and_then(|next| self.collection.index.get(next));
        let start = entry.end();
        let end = match &below {
            Some(below) => below.position,
            None if is_indexed => file.bytes.load(Ordering::Relaxed),
            // The next record may not have been found yet.
            None => start,
        };
        let mut behind = text(file, start, end.min(start + BETWEEN))?;
        if below.is_some() {
            behind.truncate(end_of_upper_record(&behind));
        }
        self.out.extend_from_slice(&behind);
        self.end_line();
        let has_blank = behind.split(|&byte| byte == b'\n').any(|line| line.trim_ascii().is_empty());
        if is_apart && (below.is_none() || !is_valid) && (behind.is_empty() || !has_blank) {
            self.out.push(b'\n');
        }
        Ok(())
    }

    /// Sends a record that is too long to be kept in memory.
    fn put_long(&mut self, file: &File, entry: &Entry) -> Answer {
        for from in (entry.position..entry.end()).step_by(PIECE) {
            self.out.extend(text(file, from, entry.end().min(from + PIECE as u64))?);
            self.pass(PIECE)?;
        }
        self.end_line();
        Ok(())
    }

    /// Ends the last line, if it has no end yet.
    fn end_line(&mut self) {
        if self.out.last().is_some_and(|&last| last != b'\n') {
            self.out.push(b'\n');
        }
    }
}

fn text(file: &File, from: u64, to: u64) -> Answer<Vec<u8>> {
    let mut text = vec![0; to.saturating_sub(from) as usize];
    file.read(from, &mut text)?;
    Ok(text)
}

/// The names of the columns of a table. Columns of the files keep their names; ours get another one if theirs is taken.
fn table_header(parts: Parts, own: &[String]) -> Vec<u8> {
    let free = |name: &&str| free_name(name, own);
    let mut names: Vec<String> = ["row", "file", "record", "puzzle"].iter().map(free).collect();
    names.extend_from_slice(own);
    names.extend(Field::KNOWN.map(Field::name).iter().filter(|_| parts.fields).map(free));
    names.extend(parts.solution.then(|| free(&"solution")));
    let mut row = csv::Writer::from_writer(Vec::new());
    row.write_record(&names).expect("memory takes all");
    row.into_inner().expect("memory takes all")
}

/// Reads a JSON field, which may be empty.
fn json<T: DeserializeOwned + Default>(name: &str, text: &str) -> Answer<T> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text).map_err(|error| bad!("{name}: {}", in_words(&error)))
}

const PLAIN: &str = "text/plain; charset=utf-8";

fn media_type(layout: &Layout) -> &'static str {
    match layout.format_name() {
        "csv" => "text/csv; charset=utf-8",
        "jsonl" => "application/x-ndjson",
        _ => PLAIN,
    }
}

/// The layout that all files share, if there are any files.
fn common_layout<'a>(files: &[&'a File]) -> Answer<Option<&'a Layout>> {
    let layouts: Vec<&Layout> = files.iter().filter_map(|file| file.layout()).collect();
    let Some((first, others)) = layouts.split_first() else { return Ok(None) };
    for (place, other) in others.iter().enumerate() {
        if let Some(what) = first.difference(other) {
            let (one, two) = (&files[0].name, &files[place + 1].name);
            return Err(bad!(
                "{one} and {two} differ in {what}, so their records can't be in one file; choose one of them, or CSV"
            ));
        }
    }
    Ok(Some(first))
}

/// The name of a file without its folder and extensions, and the extension for the format of its records.
fn parts_of_name(file: &File) -> (String, String) {
    let name = &file.name;
    let path = Path::new(name);
    let unpacked =
        if Packing::from_name(path).is_some() { path.file_stem().map(Path::new) } else { Some(path) };
    let part = |part: Option<&OsStr>, default: &str| match part {
        Some(part) if !name.starts_with('<') => part.to_string_lossy().into_owned(),
        _ => default.to_owned(),
    };
    let path = unpacked.unwrap_or(path);
    // A file of columns, e.g. Parquet, is read as CSV.
    let extension = if file.container.is_some() { "csv".to_owned() } else { part(path.extension(), "txt") };
    (part(path.file_stem(), "puzzles"), extension)
}
