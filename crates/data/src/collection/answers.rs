//! Answers: the solutions that stand beside the puzzles of a file.

use crate::text::{Batch, Fault, FaultKind, Format, Record};

/// Where the answers of a file stand, and in which format.
pub enum AnswerFormat<P> {
    /// In another column of a table, which the format reads.
    Column(Box<dyn Format<P>>),
    /// On the line of the puzzle, behind it and a comma, semicolon, tab or space; the format reads lines.
    Behind(Box<dyn Format<P>>),
}

impl<P> AnswerFormat<P> {
    /// Reads the answers of a chunk into a batch: one record for each of `records`, in order.
    pub fn read(&self, chunk: &[u8], records: &[Record], answers: &mut Batch<P>) {
        answers.clear();
        match self {
            AnswerFormat::Column(format) => format.read(chunk, answers),
            AnswerFormat::Behind(format) => {
                records.iter().for_each(|record| read_behind(&**format, chunk, record, answers));
            }
        }
    }
}

/// Reads the answer behind the puzzle of a line.
fn read_behind<P>(format: &dyn Format<P>, chunk: &[u8], puzzle: &Record, answers: &mut Batch<P>) {
    let (start, end) = behind(chunk, puzzle);
    let known = answers.records.len();
    if puzzle.fault.is_none() {
        format.read(&chunk[start..end], answers);
    }
    let missing = Fault { kind: FaultKind::CellCount { found: 0, needed: puzzle.len }, offset: 0 };
    match answers.records.get_mut(known) {
        Some(answer) => {
            answer.start += start as u32;
            answer.fault = answer.fault.map(|fault| Fault { offset: fault.offset + start as u32, ..fault });
        }
        None => {
            let fault = puzzle.fault.unwrap_or(Fault { offset: start as u32, ..missing });
            answers.records.push(Record { fault: Some(fault), ..*puzzle });
        }
    }
}

/// Returns the start and end of the text behind the cells of a puzzle.
fn behind(chunk: &[u8], puzzle: &Record) -> (usize, usize) {
    let is_separator = |byte: &u8| matches!(byte, b' ' | b',' | b';' | b'\t');
    let first = puzzle.first_cell();
    let line = &chunk[first..];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let end = first + line.strip_suffix(b"\r").unwrap_or(line).len();
    let cells = chunk[first..end].iter().take_while(|byte| !is_separator(byte)).count();
    let separators = chunk[first + cells..end].iter().take_while(|byte| is_separator(byte)).count();
    (first + cells + separators, end)
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;
    use crate::text::{ClassicReader, LineFormat};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn an_answer_for_every_record() {
        let text = format!("{LINE},{SOLVED}\nbad\n# no\n {LINE} \t{SOLVED} easy\n{LINE}\n{LINE};{LINE}!\n");
        let mut batch = Batch::default();
        LineFormat(ClassicReader).read(text.as_bytes(), &mut batch);
        let mut answers: Batch<Puzzle> = Batch::default();
        let format = AnswerFormat::Behind(Box::new(LineFormat(ClassicReader)));
        format.read(text.as_bytes(), &batch.records, &mut answers);
        assert_eq!(answers.puzzles, [SOLVED.parse().unwrap(); 2]);
        assert_eq!(answers.records.len(), batch.records.len());
        let faults: Vec<_> =
            answers.records.iter().map(|record| record.fault.map(|fault| fault.kind)).collect();
        let missing = FaultKind::CellCount { found: 0, needed: 81 };
        let too_many = FaultKind::TooManyCells { needed: 81 };
        assert_eq!(faults[0], None);
        assert_eq!(faults[1], batch.records[1].fault.map(|fault| fault.kind));
        assert_eq!(faults[2..], [None, Some(missing), Some(too_many)]);
        let offset = answers.records[4].fault.unwrap().offset as usize;
        assert_eq!(&text[offset..], "!\n");
        assert!(text[answers.records[2].first_cell()..].starts_with(SOLVED));
    }
}
