//! `gridmill book`: puzzles to print, in sections by level, with their solutions at the end.

use std::io::BufWriter;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::jobs::{Answers, Job, Rate, Solve, Status, Value, Worker, WrongAnswer};
use gridmill_core::logic::{Rating, Scale};
use gridmill_data::error::{Error, ErrorKind, Position};
use gridmill_data::output::Destination;
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, MapStage, ReadChunk, Stage};
use gridmill_data::record::{Places, Problem};
use gridmill_data::text::{Layout, PuzzleText, Record};
use gridmill_data::with_kind;
use gridmill_report::{
    self as report, BookFormat, BookPuzzle, BookSection, Paper, eprint_message, missing_letter,
};
use indicatif::HumanCount;
use serde_json::json;

use crate::cli::End;
use crate::support::command_error::{refuse, with_advice};
use crate::support::inputs::{InputArgs, InputSet};
use crate::support::options::{BudgetArgs, check_ratable, one_of, rating_span, scale_parser, up_to};
use crate::support::outputs::unbuffered;
use crate::support::rows::extension;
use crate::support::summary::{open_summary, plural, write_summary};

const EXAMPLES: &str = "\
Examples:
  gridmill book puzzles.txt -o book.pdf
      prints every puzzle of the file, four on an A4 page, with the solutions at the end
  gridmill book puzzles.csv --levels easy:40,medium:30,hard:20 --title Sudoku --cover -o book.pdf
      makes a section for each level, of its first 40, 30 and 20 puzzles, after a title page with
      the contents
  gridmill book puzzles.txt --levels 'First steps:..1.2:20,No notes needed:1.3..2.5:20' -o book.pdf
      uses your own levels: a name, a range of ratings, and a number of puzzles
  gridmill book puzzles.txt --per-page 6 --solutions-per-page 0 --title 'Class 5b' -o sheets.html
      makes sheets without solutions, which you can print from a browser
  gridmill select puzzles.txt --take 2 -q | gridmill book - --paper a5 --per-page 2 -o page.svg
      makes a picture of two puzzles on one page
  gridmill generate --shape 4x4 --count 10 -q | gridmill book - --title '16 x 16' -o large.pdf
      prints large puzzles in the symbols of the file, one on each page

The name of the book selects its format: .pdf, .svg (one picture with the pages below each other) or
.html (a page for browsers, which prints one page of the book on each sheet). The font is embedded,
so the book looks the same everywhere.

A level is NAME, NAME:COUNT, NAME:RATINGS or NAME:RATINGS:COUNT. RATINGS is a range of the ratings
of gridmill rate, for 9x9 puzzles only, and contains a point, unlike COUNT: ..2.5, 2.6..4.4 or
4.5.. for example. Three names have a range: easy is ..2.5 (singles, which need no notes), medium is
2.6..4.4 (up to wings), and hard is 4.5.. (chains and more). Each puzzle is added to the first level
that its rating fits and that has room; without COUNT there is always room. Reading stops when all
levels are full. Puzzles that no level takes are left out.

Puzzles are numbered in the order of the input, section by section. Every puzzle is solved first:
records that are malformed, in conflict or without exactly one solution are reported and left out.
All puzzles of the book are kept in memory.

For puzzles of every size; with --levels for 9x9 puzzles.

Exit codes: 0 the book has every puzzle, 1 some records were left out because something is wrong
with them, or a level has fewer puzzles than it should, 2 there is no book, 130 interrupted.";

/// Make a book to print: puzzles, by level if you like, and their solutions
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("output", for_book))]
pub(crate) struct Book {
    #[command(flatten)]
    input: InputArgs,

    /// Make a section for each of these levels, in this order, e.g. easy:40,medium:30,hard:20; see
    /// below
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',', value_parser = level)]
    levels: Vec<Level>,

    /// Scale of the ratings: which program's techniques and ratings are used [default: sukaku]
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), requires = "levels")]
    scale: Option<Scale>,

    /// Title at the top of every page
    #[arg(long, value_name = "TEXT", value_parser = printable, default_value = "", hide_default_value = true)]
    title: String,

    /// Add a first page with the title and the contents
    #[arg(long)]
    cover: bool,

    /// Size of the pages
    #[arg(long, value_parser = paper_parser(), default_value = "a4")]
    paper: Paper,

    /// Puzzles on a page, e.g. 1, 2, 4, 6 or 9 [default: as many as leave cells of 8.5 mm]
    #[arg(long, value_name = "N", value_parser = up_to(MOST_ON_PAGE))]
    per_page: Option<u64>,

    /// Solutions on a page; 0 leaves the solutions out [default: as many as leave cells of 4 mm]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MOST_ON_PAGE as u64))]
    solutions_per_page: Option<u64>,

    /// Heading of the solutions, e.g. in another language
    #[arg(long, value_name = "TEXT", value_parser = printable, default_value = "Solutions")]
    solutions: String,

    #[command(flatten)]
    budget: BudgetArgs,
}

/// The largest number of puzzles on a page. More of them would be too small to read.
const MOST_ON_PAGE: usize = 100;

fn for_book(output: clap::Arg) -> clap::Arg {
    output.required(true).help(
        "Write the book to this file, whose name ends in .pdf, .svg or .html, and which gets that name when it is complete",
    )
}

fn paper_parser() -> impl TypedValueParser<Value = Paper> {
    one_of([
        ("a4", "210 x 297 mm", Paper::A4),
        ("a5", "148 x 210 mm", Paper::A5),
        ("letter", "8.5 x 11 inches", Paper::Letter),
    ])
}

/// Parses a text that the font of books can print.
fn printable(text: &str) -> Result<String, String> {
    match missing_letter(text) {
        None => Ok(text.trim().to_owned()),
        Some(letter) => {
            Err(format!("the font of books has no {letter:?}: it has the letters of Latin script"))
        }
    }
}

/// A section of the book: which puzzles belong to it, and how many.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    name: String,
    /// The range of ratings; `None` to accept all puzzles.
    ratings: Option<RangeInclusive<Rating>>,
    /// The number of puzzles; `None` for no limit.
    count: Option<usize>,
}

/// Known levels: the name as an argument, the name in print, and the range of ratings.
const KNOWN: [(&str, &str, &str); 3] =
    [("easy", "Easy", "..2.5"), ("medium", "Medium", "2.6..4.4"), ("hard", "Hard", "4.5..")];

/// Parses a level, e.g. `easy:..2.5:40`: a name, optionally a range of ratings, and optionally a number of
/// puzzles.
fn level(text: &str) -> Result<Level, String> {
    let wrong =
        || format!("'{text}' is not a level: give NAME:RATINGS:COUNT, as in easy:..2.5:40, or easy:40");
    let mut words = text.split(':').map(str::trim);
    let name = words.next().filter(|name| !name.is_empty()).ok_or_else(wrong)?;
    let (mut ratings, mut count) = (None, None);
    for word in words {
        if count.is_some() || (ratings.is_some() && word.contains('.')) {
            return Err(wrong());
        }
        match word.contains('.') {
            true => ratings = Some(rating_span(word)?),
            false => count = Some(word.parse().ok().filter(|&count| count > 0).ok_or_else(wrong)?),
        }
    }
    let known = KNOWN.iter().find(|(known, ..)| *known == name);
    let name = printable(known.map_or(name, |(_, printed, _)| printed))?;
    let ratings = match (ratings, known) {
        (Some(ratings), _) => ratings,
        (None, Some((.., range))) => rating_span(range)?,
        (None, None) => {
            return Err(format!(
                "'{name}' needs ratings, because only easy, medium and hard have their own: give {name}:3.0..4.2"
            ));
        }
    };
    Ok(Level { name, ratings: Some(ratings), count })
}

impl Book {
    pub(crate) fn run(self) -> Result<End, Error> {
        let format = format_of(self.input.output.as_deref())?;
        let mut files = self.input.open(None)?;
        let output = files.open_output(self.input.output.as_deref())?;
        let summary = open_summary(&files, |file| file.is_same(&output))?;
        if !files.detect(false)? {
            return Ok(End::Interrupted);
        }
        if !self.levels.is_empty() {
            check_ratable(files.layout())?;
        }
        let Some(filling) = self.fill(&mut files)? else { return Ok(interrupted()) };
        let is_bad = filling.report(self.input.common.quiet);
        let records = filling.records;
        let book = self.book(filling.sections);
        let puzzles: usize = book.sections.iter().map(|section| section.puzzles.len()).sum();
        if puzzles == 0 {
            return refuse("no puzzle is left for the book");
        }
        let pages =
            write(&book, format, output, &files.stop).map_err(|error| error.noting_failures(is_bad))?;
        let Some(pages) = pages else { return Ok(interrupted()) };
        write_summary(summary, &json!({ "records": records, "puzzles": puzzles, "pages": pages }))?;
        if !self.input.common.quiet {
            let is = if puzzles == 1 { "is" } else { "are" };
            let [of, on] = [plural(records, "record"), plural(pages as u64, "page")];
            let [puzzles, records, pages] = [puzzles as u64, records, pages as u64].map(HumanCount);
            eprint_message(format_args!(
                "{puzzles} of {records} {of} {is} in the book, which has {pages} {on}\n"
            ));
        }
        Ok(End::from_findings(files.lacks_files, is_bad))
    }

    /// Reads puzzles into the sections of the book until all are full; `None` if the run is stopped.
    fn fill(&self, files: &mut InputSet<'_>) -> Result<Option<Filling>, Error> {
        let mut filling = Filling::new(self.levels.clone(), files.max_messages.unwrap_or(0));
        let mut take = |records: &Vec<BookRecord>| Ok(filling.take(records));
        let totals = files.run(&mut take, None, &|layout, _| Ok(self.stage(layout)));
        if filling.is_full() {
            // The full book has set the stop flag to end the workers, but it must not stop the writer. Errors
            // of workers that read further don't matter, because the book needs none of those records.
            files.stop.store(false, Ordering::Relaxed);
        } else if totals?.stopped {
            return Ok(None);
        }
        Ok(Some(filling))
    }

    /// The book with these sections.
    fn book(&self, sections: Vec<BookSection>) -> report::Book {
        let number = |count: Option<u64>| count.map(|count| count as usize);
        report::Book {
            title: self.title.clone(),
            has_cover: self.cover,
            paper: self.paper,
            per_page: number(self.per_page),
            solutions_per_page: number(self.solutions_per_page),
            solutions_heading: self.solutions.clone(),
            sections,
        }
    }

    /// The stage that solves the puzzles of a file. It also rates them if there are levels.
    fn stage(&self, layout: &Layout) -> Box<dyn Stage<Vec<BookRecord>> + '_> {
        let solve =
            Solve { engine: layout.fastest_engine(), budget: self.budget.per_puzzle(), ..Solve::default() };
        let rate = (!self.levels.is_empty()).then(|| self.rate());
        let sizing = match rate {
            Some(_) => ChunkSizing::UNEVEN,
            None => ChunkSizing::for_puzzles(layout.kind(), solve.engine),
        };
        with_kind!(layout.kind(), P => {
            let mapper = move || BookMapper::<P> {
                solve: AnsweringWorker::new(solve),
                rate: rate.map(AnsweringWorker::new),
            };
            MapStage::stage(layout, false, sizing, mapper)
        })
    }

    /// The job that rates puzzles. It stops at the highest rating of a level, because harder puzzles are left
    /// out anyway.
    fn rate(&self) -> Rate {
        let ends =
            self.levels.iter().filter_map(|level| level.ratings.as_ref()).map(|ratings| *ratings.end());
        let up_to = ends.max().filter(|highest| *highest < Rating::BEYOND);
        Rate { scale: self.scale.unwrap_or(Scale::Sukaku), up_to, ..Rate::default() }
    }
}

/// Writes a book to its file, and returns the number of its pages; `None` if the run is stopped.
fn write(
    book: &report::Book,
    format: BookFormat,
    output: Destination,
    stop: &AtomicBool,
) -> Result<Option<usize>, Error> {
    let mut output = BufWriter::with_capacity(1 << 18, output);
    let pages = book.write(format, &mut output, stop).map_err(|error| ErrorKind::Write { error })?;
    if pages.is_some() {
        unbuffered(output)?.commit()?;
    }
    Ok(pages)
}

/// The format of a book, which its name chooses, e.g. `book.pdf`.
fn format_of(output: Option<&Path>) -> Result<BookFormat, Error> {
    match output.and_then(extension).as_deref() {
        Some("pdf") => Ok(BookFormat::Pdf),
        Some("svg") => Ok(BookFormat::Svg),
        Some("html" | "htm") => Ok(BookFormat::Html),
        _ => {
            let path = output.unwrap_or(Path::new("-")).display();
            refuse(format!(
                "{path}: a book is PDF, SVG or HTML: give a name that ends in .pdf, .svg or .html"
            ))
        }
    }
}

fn interrupted() -> End {
    eprint_message("gridmill: interrupted; no book was written\n");
    End::Interrupted
}

/// A record for the book.
#[derive(Clone)]
enum BookRecord {
    /// A puzzle with exactly one solution, and its rating if it was rated.
    Proper(BookPuzzle, Option<Rating>),
    /// The message about a record that can't be in the book, with its position.
    Refused(String),
}

/// A job with the worker of one thread, and the answers for its last batch.
struct AnsweringWorker<P> {
    worker: Box<dyn Worker<P>>,
    answers: Answers,
}

impl<P: PuzzleText> AnsweringWorker<P> {
    fn new(job: impl Job) -> AnsweringWorker<P> {
        AnsweringWorker { worker: job.worker(), answers: Answers::new(job.schema()) }
    }

    /// Answers the puzzles of a chunk. Returns false if the run is stopped.
    fn answer(&mut self, chunk: &ReadChunk<'_, P>) -> Result<bool, WrongAnswer> {
        self.answers.clear();
        self.worker.answer(&chunk.batch.puzzles, 0, chunk.stop, &mut self.answers)?;
        Ok(self.answers.len() == chunk.batch.puzzles.len())
    }
}

/// Solves the puzzles of chunks, and rates them if there are levels.
struct BookMapper<P> {
    solve: AnsweringWorker<P>,
    rate: Option<AnsweringWorker<P>>,
}

impl<P: PuzzleText> BatchMapper<P, Vec<BookRecord>> for BookMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        records: &mut Vec<BookRecord>,
    ) -> Result<ControlFlow<()>, WrongAnswer> {
        if !self.solve.answer(chunk)? || !self.rate.as_mut().map_or(Ok(true), |rate| rate.answer(chunk))? {
            return Ok(ControlFlow::Break(()));
        }
        let mut places = Places::new(chunk.text, chunk.lines_before);
        for (number, (record, read)) in (chunk.records_before + 1..).zip(chunk.batch.iter()) {
            let proper = read.and_then(|(index, puzzle)| self.proper(index, puzzle));
            records.push(proper.unwrap_or_else(|| {
                let status = read.map(|(index, puzzle)| (self.status(index), puzzle));
                BookRecord::Refused(refusal(chunk.file, number, record, status, &mut places))
            }));
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl<P: PuzzleText> BookMapper<P> {
    fn status(&self, index: usize) -> Status {
        Status::ALL[usize::from(self.solve.answers.statuses()[index])]
    }

    /// The puzzle with this index in the batch, if it has exactly one solution.
    fn proper(&self, index: usize, puzzle: &P) -> Option<BookRecord> {
        let (Status::Unique, Value::Cells(solution)) =
            (self.status(index), self.solve.answers.value(0, index))
        else {
            return None;
        };
        let rating = self.rate.as_ref().and_then(|rate| match rate.answers.value(0, index) {
            Value::Rating(rating) => Some(rating),
            _ => None,
        });
        Some(BookRecord::Proper(BookPuzzle::new(puzzle, solution), rating))
    }
}

/// The message about a record that is left out, with its position. `read` is `None` if the record is
/// malformed.
fn refusal<P: PuzzleText>(
    file: &Path,
    number: u64,
    record: &Record,
    read: Option<(Status, &P)>,
    places: &mut Places<'_>,
) -> String {
    let in_conflict = read.filter(|(status, _)| *status == Status::Conflict).map(|(_, puzzle)| puzzle);
    let (offset, problem) = match Problem::find(record, in_conflict) {
        Some((problem, offset)) => (offset, with_advice(problem)),
        None => {
            let status = read.map_or(Status::Malformed, |(status, _)| status);
            let why = match status {
                Status::Multiple => "two solutions or more",
                Status::None => "no solution",
                _ => "the search ended at the budget",
            };
            (record.first_cell(), format!("{}: {why}", status.name()))
        }
    };
    let (line, column) = places.at(offset);
    let position = Position { path: file.to_owned(), record: number, line, column };
    format!("{position}: record {number}: {problem}")
}

/// The sections of a book while they are being filled.
struct Filling {
    levels: Vec<Level>,
    sections: Vec<BookSection>,
    /// The number of records read so far, and of those that can't be in a book.
    records: u64,
    refused: u64,
    /// The first messages about such records, up to the largest number of messages.
    messages: Vec<String>,
    max_messages: usize,
}

impl Filling {
    /// Begins a book with these levels. If there are none, it has one section without a name.
    fn new(mut levels: Vec<Level>, max_messages: usize) -> Filling {
        if levels.is_empty() {
            levels.push(Level { name: String::new(), ratings: None, count: None });
        }
        let section = |level: &Level| BookSection { name: level.name.clone(), puzzles: Vec::new() };
        let sections = levels.iter().map(section).collect();
        Filling { levels, sections, records: 0, refused: 0, messages: Vec::new(), max_messages }
    }

    /// Adds the records of a chunk, up to the puzzle that completes the book.
    fn take(&mut self, records: &[BookRecord]) -> ControlFlow<()> {
        for record in records {
            if self.is_full() {
                break;
            }
            self.records += 1;
            match record {
                BookRecord::Proper(puzzle, rating) => self.put(puzzle, *rating),
                BookRecord::Refused(message) => {
                    self.refused += 1;
                    if self.messages.len() < self.max_messages {
                        self.messages.push(message.clone());
                    }
                }
            }
        }
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds a puzzle to the first level that accepts it and has room.
    fn put(&mut self, puzzle: &BookPuzzle, rating: Option<Rating>) {
        let mut sections = self.levels.iter().zip(&mut self.sections);
        let fits = |level: &Level| {
            level
                .ratings
                .as_ref()
                .is_none_or(|ratings| rating.is_some_and(|rating| ratings.contains(&rating)))
        };
        if let Some((_, section)) = sections.find(|(level, section)| fits(level) && has_room(level, section))
        {
            section.puzzles.push(puzzle.clone());
        }
    }

    fn is_full(&self) -> bool {
        !self.levels.iter().zip(&self.sections).any(|(level, section)| has_room(level, section))
    }

    /// Reports problems of records, and levels with too few puzzles. Returns whether there were any.
    fn report(&self, quiet: bool) -> bool {
        self.messages.iter().for_each(|message| eprint_message(format_args!("{message}\n")));
        let unprinted = self.refused - self.messages.len() as u64;
        if unprinted > 0 && !quiet {
            let unprinted = HumanCount(unprinted);
            eprint_message(format_args!("… and {unprinted} more: gridmill verify lists them all\n"));
        }
        let mut is_bad = self.refused > 0;
        for (level, section) in self.levels.iter().zip(&self.sections) {
            let Some(count) = level.count.filter(|&count| section.puzzles.len() < count) else { continue };
            is_bad = true;
            if !quiet {
                let (name, found) = (&level.name, section.puzzles.len());
                eprint_message(format_args!(
                    "{name}: {found} of {count} puzzles: there are no more of that level\n"
                ));
            }
        }
        is_bad
    }
}

/// Whether a section has room for another puzzle.
fn has_room(level: &Level, section: &BookSection) -> bool {
    level.count.is_none_or(|count| section.puzzles.len() < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        let read = |text| level(text).map(|level| (level.name, level.ratings.unwrap(), level.count));
        let tenths = |least, most| Rating::tenths(least)..=Rating::tenths(most);
        let easy = || "Easy".to_owned();
        assert_eq!(read("easy"), Ok((easy(), tenths(10, 25), None)));
        assert_eq!(read("easy:40"), Ok((easy(), tenths(10, 25), Some(40))));
        assert_eq!(read("easy:..1.5"), Ok((easy(), tenths(10, 15), None)));
        assert_eq!(read("hard : 4.5.. : 9"), Ok(("Hard".to_owned(), tenths(45, 130), Some(9))));
        assert_eq!(read("Très dur:3.0:1"), Ok(("Très dur".to_owned(), tenths(30, 30), Some(1))));
        for (text, refusal) in [
            ("", "is not a level"),
            (":40", "is not a level"),
            ("easy:0", "is not a level"),
            ("easy:many", "is not a level"),
            ("easy:40:..2.5", "is not a level"),
            ("easy:1.2:..2.5:40", "is not a level"),
            ("easy:4.0..3.0", "give the smaller one first"),
            ("mine:40", "'mine' needs ratings"),
            ("数:..2.5", "has no '数'"),
        ] {
            let message = level(text).unwrap_err();
            assert!(message.contains(refusal), "{text}: {message}");
        }
    }

    #[test]
    fn known_levels_are_consecutive() {
        let ranges: Vec<_> = KNOWN.iter().map(|(name, ..)| level(name).unwrap().ratings.unwrap()).collect();
        assert_eq!((*ranges[0].start(), *ranges[2].end()), (Rating::LEAST, Rating::BEYOND));
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].end().in_tenths() + 1, pair[1].start().in_tenths());
        }
    }
}
