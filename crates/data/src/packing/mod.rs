//! Files that are not plain text: compressed files, and files of columns. They are detected by their first
//! bytes, read and written.
//!
//! Reading and writing are streams in bounded memory. Several compressed files, one after another, are read
//! as one, like `zcat` does.

mod columnar;
mod encode;
mod zip;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::{Action, Status, XzStream};
use rusty_zstd::Decompressor;

pub use columnar::{ColumnType, Container, RowColumns};
#[cfg(feature = "columnar")]
pub(crate) use columnar::{TableEncoder, open_columns};
pub(crate) use encode::{Encoder, FrameEncoder, check_name};
pub use zip::{ArchiveError, Member, open_zip, split_member};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// `.gz`: RFC 1952.
    Gzip,
    /// `.zst`: RFC 8878.
    Zstd,
    /// `.xz`.
    Xz,
    /// `.zip`: an archive of files, one of which is read.
    Zip,
    /// A file of columns, which is read as CSV.
    Columns(Container),
}

/// The compression formats, with their names and file extensions.
const KNOWN: [(Compression, &str, &str); 4] = [
    (Compression::Gzip, "gzip", "gz"),
    (Compression::Zstd, "zstd", "zst"),
    (Compression::Xz, "xz", "xz"),
    (Compression::Zip, "zip", "zip"),
];

impl Compression {
    /// How many first bytes of a file you need to detect its compression.
    pub const SIGNATURE_BYTES: usize = 6;

    /// Detects the compression of a file from its first [`Compression::SIGNATURE_BYTES`] (or all bytes of a
    /// shorter file). `None` if it is not compressed, or in an unknown format.
    ///
    /// ```
    /// use gridmill_data::packing::Compression;
    ///
    /// assert_eq!(Compression::detect(b"\x1f\x8b\x08\0\0\0"), Some(Compression::Gzip));
    /// assert_eq!(Compression::detect(b"53..7."), None);
    /// ```
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Compression> {
        match head {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            // The second pattern is a skippable frame; some programs begin a file with one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            // The second pattern is an empty archive.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Compression::Zip),
            // Without the feature, such files reach the text readers, which name their format in the error.
            _ if Container::IS_BUILT => Container::detect(head).map(Compression::Columns),
            _ => None,
        }
    }

    /// Chooses the compression for an output by its last extension, in either case.
    pub fn from_name(path: &Path) -> Option<Compression> {
        let extension = path.extension()?;
        let known = KNOWN.iter().find(|(.., known)| extension.eq_ignore_ascii_case(known));
        known.map(|&(compression, ..)| compression)
    }

    /// Returns whether such a file has to be on disk, because its directory is at its end.
    pub(crate) fn needs_file(self) -> bool {
        matches!(self, Compression::Zip | Compression::Columns(_))
    }
}

/// E.g. `gzip`.
impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Compression::Columns(container) = self {
            return container.fmt(f);
        }
        let known = KNOWN.iter().find(|(known, ..)| known == self);
        known.map_or(Ok(()), |(_, name, _)| f.write_str(name))
    }
}

/// How many compressed bytes are read at once.
const READ_BYTES: usize = 64 * 1024;

/// The maximal memory of an xz decoder in KiB: four times what `xz -9` needs. The zstd decoder has the same
/// limit as the zstd program, a window of 128 MiB.
const XZ_MEMORY: u32 = 256 << 10;

/// Makes a reader of the text in a compressed stream.
///
/// # Panics
///
/// For a zip archive and a file of columns, because these are not streams: see [`super::open_zip`].
pub(crate) fn decode(
    compression: Compression,
    from: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let from = BufReader::with_capacity(READ_BYTES, from);
    Ok(match compression {
        Compression::Gzip => Box::new(MultiGzDecoder::new(from)),
        Compression::Zstd => Box::new(Decoder { from, decoder: Decompressor::new(), step: zstd }),
        Compression::Xz => {
            Box::new(Decoder { from, decoder: XzStream::new_mem_limit(true, XZ_MEMORY), step: xz })
        }
        Compression::Zip | Compression::Columns(_) => {
            unreachable!("the directory of such a file is at its end")
        }
    })
}

/// Reads through a decoder that works on slices.
struct Decoder<R, D> {
    from: R,
    decoder: D,
    /// Decodes as much of a slice into another as input and space allow. The flag says that no more input
    /// follows.
    step: fn(&mut D, &[u8], &mut [u8], bool) -> io::Result<Step>,
}

/// The number of bytes that a step consumed and produced, and whether the stream may end here, with all
/// frames complete.
type Step = (usize, usize, bool);

impl<R: BufRead, D> Read for Decoder<R, D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // First take the output that the decoder still holds, because it would grow without bounds
        // otherwise.
        let (_, mut produced, _) = (self.step)(&mut self.decoder, &[], buffer, false)?;
        while produced == 0 && !buffer.is_empty() {
            let input = self.from.fill_buf()?;
            let is_end = input.is_empty();
            let (consumed, more, is_whole) = (self.step)(&mut self.decoder, input, buffer, is_end)?;
            self.from.consume(consumed);
            if is_end && more == 0 {
                return if is_whole { Ok(0) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            produced = more;
        }
        Ok(produced)
    }
}

/// Decodes zstd in pure Rust, as fast as the C library. (`ruzstd` took 3.3 times as long.)
fn zstd(decoder: &mut Decompressor, input: &[u8], output: &mut [u8], is_end: bool) -> io::Result<Step> {
    let status = decoder.stream(input, output, is_end).map_err(|error| match error {
        rusty_zstd::Error::UnexpectedEof => io::ErrorKind::UnexpectedEof.into(),
        _ => io::Error::new(io::ErrorKind::InvalidData, error),
    })?;
    Ok((status.input_consumed, status.output_produced, status.done))
}

/// Decodes xz in pure Rust, at half the speed of the C library: 20 MB of rows per second, not 40.
fn xz(decoder: &mut XzStream, input: &[u8], output: &mut [u8], is_end: bool) -> io::Result<Step> {
    let action = if is_end { Action::Finish } else { Action::Run };
    let result = decoder.process(input, output, action)?;
    Ok((result.bytes_consumed, result.bytes_produced, result.status == Status::StreamEnd))
}

/// The reason why no file of an archive is read, if the error has one.
pub(crate) fn archive_error(error: &io::Error) -> Option<&ArchiveError> {
    error.get_ref()?.downcast_ref()
}

/// Gives an error of a decoder a clear message. Errors of the system, and of the choice in an archive, stay
/// unchanged.
pub(crate) fn clarify_error(compression: Compression, error: io::Error) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => error,
        _ if error.raw_os_error().is_some() => error,
        _ if archive_error(&error).is_some() => error,
        // The message is clear already.
        io::ErrorKind::Unsupported => error,
        io::ErrorKind::UnexpectedEof => {
            io::Error::new(kind, format!("the {compression} data is cut short: its end is missing"))
        }
        _ => io::Error::new(kind, format!("the {compression} data can't be unpacked: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::encode::tests::packed;
    use super::*;

    #[test]
    fn first_bytes_decide_the_compression() {
        for (head, compression) in [
            (&b"\x1f\x8b\x08\0\0\0"[..], Some(Compression::Gzip)),
            (b"\x28\xb5\x2f\xfd\x04", Some(Compression::Zstd)),
            (b"\x50\x2a\x4d\x18\x04\0", Some(Compression::Zstd)),
            (b"\xfd7zXZ\0", Some(Compression::Xz)),
            (b"PK\x03\x04\x14\0", Some(Compression::Zip)),
            (b"PK\x05\x06\0\0", Some(Compression::Zip)),
            (b"BZh91A", None),
            (b"PK", None),
            (b"\x1f", None),
            (b"", None),
        ] {
            assert_eq!(Compression::detect(head), compression, "{head:?}");
        }
    }

    #[test]
    fn names_decide_the_compression() {
        for (name, compression) in [
            ("a.csv.gz", Some(Compression::Gzip)),
            ("A.ZST", Some(Compression::Zstd)),
            ("a.xz", Some(Compression::Xz)),
            ("a.csv", None),
            ("gz", None),
            (".gz", None),
        ] {
            assert_eq!(Compression::from_name(Path::new(name)), compression, "{name}");
        }
    }

    /// Gives a few bytes at a time, with `WouldBlock` in between.
    struct SlowReader {
        bytes: Vec<u8>,
        position: usize,
        is_ready: bool,
    }

    impl Read for SlowReader {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.is_ready = !self.is_ready;
            if !self.is_ready {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let count = buffer.len().min(77).min(self.bytes.len() - self.position);
            buffer[..count].copy_from_slice(&self.bytes[self.position..self.position + count]);
            self.position += count;
            Ok(count)
        }
    }

    #[test]
    fn a_slow_stream_continues_where_it_stopped() {
        let text: Vec<u8> = (0..200_000_u64).map(|at| b'0' + (at * at % 11) as u8).collect();
        for compression in [Compression::Gzip, Compression::Zstd, Compression::Xz] {
            let bytes = packed(compression, &text, text.len()).repeat(2);
            let mut reader = decode(compression, SlowReader { bytes, position: 0, is_ready: false }).unwrap();
            let (mut unpacked, mut buffer) = (Vec::new(), [0; 1000]);
            loop {
                match reader.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => unpacked.extend_from_slice(&buffer[..count]),
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{compression}"),
                }
            }
            assert!(unpacked == text.repeat(2), "{compression}");
        }
    }
}
