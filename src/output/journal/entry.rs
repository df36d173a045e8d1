//! What a journal says, and how it is written.

use std::io;

use serde::{Deserialize, Serialize};

use crate::output::partial::Saved;
use crate::record::{Span, Tally, Totals, Verdicts};

/// The first word of a journal, and the version of its form.
const MAGIC: &str = "gridmill-journal 1";

/// The state of a run, as of the last rows that are on the disk.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) task: Task,
    pub(crate) progress: Progress,
    pub(crate) saved: Saved,
}

/// The work of a run: what must be the same for another run to go on with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The version of the program.
    pub(crate) version: String,
    /// The command, and the options that its rows depend on, with their values.
    pub(crate) options: Vec<(String, Vec<String>)>,
    pub(crate) inputs: Vec<InputMark>,
}

/// What an input is recognised by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputMark {
    /// The name, as the user wrote it.
    pub(crate) name: String,
    /// The length in bytes, and the time of the last change since 1970, in nanoseconds; `None` for what is no regular file.
    pub(crate) file: Option<(u64, u64)>,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The index of the input that is being read: those before it are done.
    pub(crate) input: usize,
    /// Records of those before it.
    pub(crate) earlier_records: u64,
    /// The amount of that input whose rows are written; `None` before its first chunk.
    pub(crate) place: Option<Totals>,
    /// The text of that amount, from where the run began in it.
    pub(crate) span: Span,
    /// The counts of all inputs.
    pub(crate) tally: Tally,
    /// The verdicts on each input, where the run gives verdicts.
    pub(crate) verdicts: Vec<Verdicts>,
    /// The time that the run took, in seconds.
    pub(crate) seconds: f64,
    /// Whether all inputs are done.
    pub(crate) is_complete: bool,
}

impl Progress {
    /// Notes that an input is done, and how many records there are up to its end.
    pub(crate) fn end_input(&mut self, records: u64) {
        self.input += 1;
        self.earlier_records = records;
        (self.place, self.span) = (None, Span::default());
    }
}

/// What stands in a journal as JSON.
#[derive(Serialize, Deserialize)]
struct Body<T, P> {
    task: T,
    output: u64,
    progress: P,
}

impl Task {
    /// Describes the first difference to what a later run is about; `None` if it is the same.
    pub(super) fn difference(&self, now: &Task) -> Option<String> {
        if self.version != now.version {
            return Some(format!("of gridmill {}, and this is {}", self.version, now.version));
        }
        self.other_option(now).or_else(|| self.other_input(now))
    }

    fn other_option(&self, now: &Task) -> Option<String> {
        let all = self.options.iter().chain(&now.options);
        let value = |task: &Task, name: &String| {
            task.options.iter().find(|(other, _)| other == name).map(|(_, values)| values.join(" "))
        };
        let other = all.map(|(name, _)| name).find(|name| value(self, name) != value(now, name))?;
        let told = |value: Option<String>| {
            value.map_or_else(|| "not given".to_owned(), |value| format!("'{value}'"))
        };
        Some(format!("{other} was {}, and now it is {}", told(value(self, other)), told(value(now, other))))
    }

    fn other_input(&self, now: &Task) -> Option<String> {
        let names =
            |task: &Task| task.inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>().join(" ");
        if names(self) != names(now) {
            return Some(format!("it read {}, and this reads {}", names(self), names(now)));
        }
        let mut pairs = self.inputs.iter().zip(&now.inputs);
        let (changed, _) = pairs.find(|(then, now)| then != now)?;
        Some(format!("{} has changed since", changed.name))
    }
}

impl Entry {
    /// Returns the state of a run that begins.
    pub(super) fn first(task: Task) -> Entry {
        Entry { task, progress: Progress::default(), saved: Saved::default() }
    }

    /// Returns the text of a journal: a line with lengths and a checksum, the state, and the beginning of a frame.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let body = Body { task: &self.task, output: self.saved.bytes, progress: &self.progress };
        let mut text = serde_json::to_vec(&body).expect("a state is numbers and texts");
        text.push(b'\n');
        let length = text.len();
        text.extend_from_slice(&self.saved.rest);
        let checksum = crc32fast::hash(&text);
        let mut bytes = format!("{MAGIC} {length} {} {checksum:08x}\n", self.saved.rest.len()).into_bytes();
        bytes.extend_from_slice(&text);
        bytes
    }

    /// Reads the text of a journal.
    ///
    /// # Errors
    ///
    /// Where it is not whole, and unchanged.
    pub(super) fn of_bytes(bytes: &[u8]) -> io::Result<Entry> {
        Entry::parse(bytes).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is damaged"))
    }

    fn parse(bytes: &[u8]) -> Option<Entry> {
        let feed = memchr::memchr(b'\n', bytes)?;
        let head = str::from_utf8(&bytes[..feed]).ok()?.strip_prefix(MAGIC)?;
        let mut numbers = head.split_ascii_whitespace();
        let length: usize = numbers.next()?.parse().ok()?;
        let rest: usize = numbers.next()?.parse().ok()?;
        let checksum = u32::from_str_radix(numbers.next()?, 16).ok()?;
        let text = &bytes[feed + 1..];
        if text.len() != length.checked_add(rest)? || crc32fast::hash(text) != checksum {
            return None;
        }
        let Body { task, output, progress } = serde_json::from_slice(&text[..length]).ok()?;
        Some(Entry { task, progress, saved: Saved { bytes: output, rest: text[length..].to_vec() } })
    }
}
