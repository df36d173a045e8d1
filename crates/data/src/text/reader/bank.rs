//! Reading lines of puzzle banks: a hash, the puzzle, its rating.

use crate::text::{Fault, FaultKind, FoundPuzzle, PuzzleReader, is_skipped};

/// Hexadecimal digits of a hash.
const HASH: usize = 12;

/// Reads lines such as `0000183b305c 05070306...  1.2`: a hash of 12 hexadecimal digits, white space, and a
/// line for another reader, with the rating as a remark. The hash is no part of the puzzle.
#[derive(Clone, Copy, Debug, Default)]
pub struct BankReader<R>(pub R);

impl<R: PuzzleReader> PuzzleReader for BankReader<R> {
    type Puzzle = R::Puzzle;

    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<R::Puzzle>, Fault> {
        let rest = behind_hash(text).filter(|rest| !is_skipped(rest));
        let rest = rest.ok_or(Fault::new(FaultKind::NotOfBank, 0))?;
        let lead = text.len() - rest.len();
        // Of CR CR LF, only one CR has been removed so far.
        match self.0.read(rest.strip_suffix(b"\r").unwrap_or(rest)) {
            Ok(found) => Ok(found.behind(lead)),
            Err(fault) => Err(fault.behind(lead)),
        }
    }
}

/// Returns the text behind a hash, if the line begins with one.
pub(in crate::text) fn behind_hash(line: &[u8]) -> Option<&[u8]> {
    let (hash, rest) = line.trim_ascii_start().split_at_checked(HASH)?;
    let is_apart = matches!(rest.first(), Some(b' ' | b'\t'));
    (hash.iter().all(u8::is_ascii_hexdigit) && is_apart).then_some(rest.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{AnyShapeReader, Batch, ClassicReader, Format, LineFormat, MAX_RECORD, SourceEcho};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn read(text: &str) -> Batch {
        let mut batch = Batch::default();
        LineFormat(BankReader(ClassicReader)).read(text.as_bytes(), &mut batch);
        batch
    }

    #[test]
    fn the_hash_is_no_puzzle_and_the_rating_a_remark() {
        let zeros = LINE.replace('.', "0");
        for line in [
            format!("0000183b305c {LINE}  1.2"),
            format!("0000183b305c {zeros}  1.2\r"),
            format!("000018330512\t{zeros}"),
            format!("  ABCDEF012345  {LINE} 10.3"),
        ] {
            let batch = read(&line);
            assert_eq!(batch.puzzles, [LINE.parse().unwrap()], "{line}");
            let (text, record) = (line.as_bytes(), batch.records[0]);
            assert_eq!(
                (record.text(text).len(), record.echo, record.fault),
                (81, SourceEcho::Verbatim, None)
            );
            assert!(text[record.first_cell()..].starts_with(b"53"));
        }
    }

    #[test]
    fn a_bad_line_costs_itself_only() {
        let good = format!("0000183b305c {LINE}  1.2");
        let (few, few_at) = (good.replacen("53..", "3..", 1), 93);
        for (bad, kind, column) in [
            (LINE, FaultKind::NotOfBank, 0),
            ("0000183b305c", FaultKind::NotOfBank, 0),
            ("0000183b305c  ", FaultKind::NotOfBank, 0),
            ("0000183b305c # 12", FaultKind::NotOfBank, 0),
            (&few, FaultKind::CellCount { found: 80, needed: 81 }, few_at),
            (&good.replacen("53..", "53z.", 1), FaultKind::Foreign('z'), 15),
        ] {
            let text = format!("# bank\n{good}\n\n{bad}\n{good}");
            let batch = read(&text);
            assert_eq!((batch.puzzles.len(), batch.records.len()), (2, 3));
            let start = 7 + good.len() as u32 + 2;
            let fault = Some(Fault { kind, offset: start + column });
            let record = batch.records[1];
            assert_eq!((record.fault, record.text(text.as_bytes())), (fault, bad.as_bytes()));
        }
        let long = format!("0000183b305c {LINE} {}", "9".repeat(MAX_RECORD));
        assert_eq!(read(&long).records[0].fault.unwrap().kind, FaultKind::RecordTooLong);
    }

    #[test]
    fn other_sizes_are_read() {
        let format = LineFormat(BankReader(AnyShapeReader::new(None, Vec::new())));
        let mut batch = Batch::default();
        format.read(
            b"0000183b305c 1.....3..4.....2 0.1\n0000183b305d 1 0 0 0 0 0 3 0 0 4 0 0 0 0 0 2\n",
            &mut batch,
        );
        assert_eq!(batch.puzzles[0].grid, batch.puzzles[1].grid);
        assert_eq!(
            batch.records.iter().map(|record| record.echo).collect::<Vec<_>>(),
            [SourceEcho::Verbatim, SourceEcho::Puzzle]
        );
    }
}
