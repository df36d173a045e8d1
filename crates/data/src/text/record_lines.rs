//! The lines of a record, and the text between records.

use super::Record;

/// Returns the start and end of a record's lines, behind `done` and before the next record.
#[inline]
pub fn lines_of(chunk: &[u8], record: &Record, next: Option<&Record>, done: usize) -> (usize, usize) {
    let (start, end) = (record.start as usize, (record.start + record.len) as usize);
    let line = memchr::memrchr(b'\n', &chunk[done..start]).map_or(done, |feed| done + feed + 1);
    let feed = memchr::memchr(b'\n', &chunk[end..]).map_or(chunk.len(), |feed| end + feed + 1);
    (line, next.map_or(feed, |next| feed.min(next.start as usize)))
}

/// Returns where the text between two records ceases to belong to the upper one: behind the first blank lines, or
/// behind a rule.
pub fn end_of_upper(text: &[u8]) -> usize {
    let (mut end, mut has_blank) = (0, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let is_blank = line.trim_ascii().is_empty();
        if has_blank && !is_blank {
            return end;
        }
        has_blank |= is_blank;
        end += line.len();
    }
    if has_blank {
        return end;
    }
    let first = text.split_inclusive(|&byte| byte == b'\n').next();
    first.filter(|line| is_rule(line)).map_or(0, <[u8]>::len)
}

/// Returns whether a line is a part of a frame.
pub fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(|byte| b"-+*=_:|. \t".contains(byte))
}
