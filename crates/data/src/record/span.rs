//! Parts of a text by length and checksum.

use crc32fast::Hasher;

/// A part of a text that is known by its length and its checksum alone.
///
/// ```
/// use gridmill_data::record::Span;
///
/// let mut span = Span::of(b"1...\n");
/// span.append(Span::of(b"...2\n"));
/// assert_eq!(span, Span::of(b"1...\n...2\n"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// Bytes.
    pub bytes: u64,
    /// The CRC-32 of the bytes.
    pub checksum: u32,
}

impl Span {
    /// Returns the span of some bytes. Reads them once, at tens of gigabytes a second where the processor has
    /// carry-less multiplication.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Span {
        Span { bytes: bytes.len() as u64, checksum: crc32fast::hash(bytes) }
    }

    /// Adds the bytes of the span behind this one, in constant time.
    pub fn append(&mut self, next: Span) {
        let mut all = Hasher::new_with_initial_len(self.checksum, self.bytes);
        all.combine(&Hasher::new_with_initial_len(next.checksum, next.bytes));
        *self = Span { bytes: self.bytes + next.bytes, checksum: all.finalize() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_span_of_the_whole_wherever_it_is_cut() {
        let text: Vec<u8> = (0..200u32).map(|at| (at * at % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in [first, (first + 7).min(text.len()), text.len()] {
                let mut span = Span::default();
                for part in [&text[..first], &text[first..second], &text[second..]] {
                    span.append(Span::of(part));
                }
                assert_eq!(span, Span::of(&text), "cut at {first} and {second}");
            }
        }
    }
}
