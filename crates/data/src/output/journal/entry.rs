//! The content of a journal, and how it is written.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::output::partial::{MAGIC, Saved};
use crate::record::{Span, StatusCounts, Tally, Totals};

/// The version of its form, behind that.
const FORM: &str = "1";

/// The state of a run, as of the last rows that are on the disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) task: Task,
    #[serde(flatten)]
    pub(crate) saved: Saved,
    pub(crate) progress: Progress,
}

/// The work of a run: what must be the same for another run to go on with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The version of the program.
    pub version: String,
    /// The command, and the options that its rows depend on, with their values.
    pub options: Vec<(String, Vec<String>)>,
    /// The inputs, in order.
    pub inputs: Vec<InputMark>,
}

/// The mark by which an input is recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMark {
    /// The name, as the user wrote it.
    pub name: String,
    /// The length in bytes, and the time of the last change since 1970, in nanoseconds; `None` for what is no regular file.
    pub file: Option<(u64, u64)>,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The index of the input that is being read: those before it are done.
    pub input: usize,
    /// Records of those before it.
    pub earlier_records: u64,
    /// The amount of that input whose rows are written; `None` before its first chunk.
    pub place: Option<Totals>,
    /// The text of that amount; that in front of the records, where no chunk is done.
    pub span: Span,
    /// The counts of all inputs.
    pub tally: Tally,
    /// The counts of each input that has been begun, where the run counts them by input.
    pub inputs: Vec<InputCounts>,
    /// The time that the run took, in seconds.
    pub seconds: f64,
    /// Whether all inputs are done.
    pub(crate) is_complete: bool,
}

/// The counts of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputCounts {
    /// How many records have each status.
    pub statuses: StatusCounts,
    /// Why the rest of it, or all of it, could not be read.
    pub failure: Option<String>,
    /// Whether none of it could be read.
    pub is_refused: bool,
}

impl Progress {
    /// Returns whether an input has been begun.
    pub fn has_begun(&self) -> bool {
        self.input > 0 || self.place.is_some()
    }

    /// Notes that an input is done, and how many records there are up to its end.
    pub fn end_input(&mut self, records: u64) {
        self.input += 1;
        self.earlier_records = records;
        (self.place, self.span) = (None, Span::default());
    }
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
        let (then, now) = pairs.find(|(then, now)| then != now)?;
        let how = match (then.file, now.file) {
            (Some((then, _)), Some((now, _))) if then != now => format!("from {then} bytes to {now}"),
            (Some(_), Some(_)) => "it was written at another time".to_owned(),
            _ => "it was a file then or is one now".to_owned(),
        };
        Some(format!("{} has changed since ({how})", then.name))
    }
}

impl Entry {
    /// Returns the text of a journal: a line with lengths and a checksum, the state, and the beginning of a frame.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("a state is numbers and texts");
        text.push(b'\n');
        let (length, rest) = (text.len(), &self.saved.rest);
        text.extend_from_slice(rest);
        [head(length, rest.len(), crc32fast::hash(&text)).into_bytes(), text].concat()
    }

    /// Reads the text of a journal.
    ///
    /// # Errors
    ///
    /// Where it is not whole and unchanged, or of another form.
    pub(super) fn of_bytes(bytes: &[u8]) -> io::Result<Entry> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let (length, text) =
            whole(bytes).ok_or_else(|| invalid("it is damaged, or of another version of gridmill"))?;
        let (state, rest) = text.split_at(length);
        let other = |_| invalid("it is of another version of gridmill");
        let mut entry: Entry = serde_json::from_slice(state).map_err(other)?;
        entry.saved.rest = rest.to_vec();
        entry.holds_together().then_some(entry).ok_or_else(|| invalid("its numbers do not agree"))
    }

    /// Returns whether the numbers agree with each other, as those of a journal that was written by a run.
    fn holds_together(&self) -> bool {
        let Progress { input, place, span, seconds, .. } = &self.progress;
        // A run over a part has not read what is in front of it.
        let is_read = place.is_none_or(|place| span.bytes <= place.bytes);
        *input <= self.task.inputs.len() && is_read && Duration::try_from_secs_f64(*seconds).is_ok()
    }
}

/// Returns the first line of a journal: lengths of what follows, and its checksum.
fn head(length: usize, rest: usize, checksum: u32) -> String {
    format!("{MAGIC} {FORM} {length} {rest} {checksum:08x}\n")
}

/// Returns the length of the state, and the text that follows the first line, if both are as they were written.
fn whole(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, text) = bytes.split_at(memchr::memchr(b'\n', bytes)? + 1);
    let mut words = str::from_utf8(first).ok()?.split_ascii_whitespace().skip(2);
    let length: usize = words.next()?.parse().ok()?;
    let rest = text.len().checked_sub(length)?;
    let is_whole = head(length, rest, crc32fast::hash(text)).as_bytes() == first;
    is_whole.then_some((length, text))
}

#[cfg(test)]
mod tests {
    use gridmill_core::logic::Rating;

    use super::*;

    fn entry() -> Entry {
        let task = Task {
            version: "1.2.3".to_owned(),
            options: vec![("--limit".to_owned(), vec!["0".to_owned()])],
            inputs: vec![InputMark { name: "p.txt".to_owned(), file: Some((99, u64::MAX)) }],
        };
        let mut tally = Tally::default();
        (0..50).for_each(|tenths| tally.add_rating(Rating::tenths(tenths)));
        let place = Totals { records: 3, puzzles: 2, lines: 5, bytes: 77 };
        let progress = Progress {
            place: Some(place),
            span: Span { bytes: 77, checksum: 5 },
            tally,
            inputs: vec![InputCounts { failure: Some("no".to_owned()), ..InputCounts::default() }],
            seconds: 1.25,
            ..Progress::default()
        };
        let saved = Saved { bytes: u64::MAX, tail: 7, rest: b"a,b\n\0\xff".to_vec() };
        Entry { task, progress, saved }
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let bytes = entry().to_bytes();
        let read = Entry::of_bytes(&bytes).unwrap();
        assert_eq!((read.task, read.saved), (entry().task, entry().saved));
        assert_eq!(read.progress.place, entry().progress.place);
        assert_eq!(read.progress.inputs, entry().progress.inputs);
        assert!(read.progress.tally.ratings().eq(entry().progress.tally.ratings()));
        assert_eq!(
            Entry { task: entry().task, progress: read.progress, saved: entry().saved }.to_bytes(),
            bytes
        );
    }

    #[test]
    fn a_journal_with_any_byte_changed_is_refused() {
        let bytes = entry().to_bytes();
        for at in 0..bytes.len() {
            for change in [1, 0x20, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(Entry::of_bytes(&changed).is_err(), "byte {at} changed by {change:#x}");
            }
        }
    }

    #[test]
    fn a_journal_that_is_cut_or_longer_is_refused() {
        let bytes = entry().to_bytes();
        for length in 0..bytes.len() {
            assert!(Entry::of_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(Entry::of_bytes(&[&bytes[..], b"\n"].concat()).is_err());
    }

    #[test]
    fn a_journal_whose_numbers_do_not_agree_is_refused() {
        let changes: [fn(&mut Progress); 4] = [
            |progress| progress.input = 2,
            |progress| progress.span.bytes = 78,
            |progress| progress.seconds = 1e300,
            |progress| progress.seconds = -1.0,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut entry = entry();
            change(&mut entry.progress);
            assert!(Entry::of_bytes(&entry.to_bytes()).is_err(), "change {index}");
        }
    }

    #[test]
    fn what_differs_is_named() {
        let then = entry().task;
        let differs = |change: fn(&mut Task)| {
            let mut now = then.clone();
            change(&mut now);
            then.difference(&now).unwrap()
        };
        assert_eq!(then.difference(&then), None);
        assert_eq!(differs(|now| now.version = "2".to_owned()), "of gridmill 1.2.3, and this is 2");
        assert_eq!(differs(|now| now.options[0].1[0] = "9".to_owned()), "--limit was '0', and now it is '9'");
        assert_eq!(differs(|now| now.options.clear()), "--limit was '0', and now it is not given");
        assert_eq!(differs(|now| now.inputs[0].name = "q".to_owned()), "it read p.txt, and this reads q");
        let length = differs(|now| now.inputs[0].file = Some((100, u64::MAX)));
        assert_eq!(length, "p.txt has changed since (from 99 bytes to 100)");
        let time = differs(|now| now.inputs[0].file = Some((99, 1)));
        assert_eq!(time, "p.txt has changed since (it was written at another time)");
    }
}
