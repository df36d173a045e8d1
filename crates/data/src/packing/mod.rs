//! Files that are not plain text: compressed files, Zip archives, and Parquet and Arrow tables. They are detected by
//! their first bytes, read and written.
//!
//! Reading and writing are streams in bounded memory. Several compressed files, one after another, are read
//! as one, like `zcat` does. One of the files in an archive is chosen and opened.

mod columnar;
mod encode;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::CrcReader;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use lzma_rust2::{Action, Status, XzStream};
use rusty_zstd::Decompressor;
use zip::{CompressionMethod, ZipArchive};

pub use columnar::{ColumnType, Container, TableColumns};
#[cfg(feature = "columnar")]
pub(crate) use columnar::{ContainerEncoder, open_columns};
pub(crate) use encode::{Encoder, FrameEncoder, check_name};

/// How a file is packed: compressed, or as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// `.gz`: RFC 1952.
    Gzip,
    /// `.zst`: RFC 8878.
    Zstd,
    /// `.xz`.
    Xz,
    /// `.zip`: an archive of files, one of which is read.
    Zip,
    /// A Parquet or Arrow file, which is read as CSV.
    Container(Container),
}

/// The compression formats, with their names and file extensions.
const KNOWN: [(Packing, &str, &str); 4] = [
    (Packing::Gzip, "gzip", "gz"),
    (Packing::Zstd, "zstd", "zst"),
    (Packing::Xz, "xz", "xz"),
    (Packing::Zip, "zip", "zip"),
];

impl Packing {
    /// How many first bytes of a file you need to detect its compression.
    pub const SIGNATURE_BYTES: usize = 6;

    /// Detects the compression of a file from its first [`Packing::SIGNATURE_BYTES`] (or all bytes of a
    /// shorter file). `None` if it is not compressed, or in an unknown format.
    ///
    /// ```
    /// use gridmill_data::packing::Packing;
    ///
    /// assert_eq!(Packing::detect(b"\x1f\x8b\x08\0\0\0"), Some(Packing::Gzip));
    /// assert_eq!(Packing::detect(b"53..7."), None);
    /// ```
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Packing> {
        match head {
            [0x1f, 0x8b, ..] => Some(Packing::Gzip),
            // The second pattern is a skippable frame; some programs begin a file with one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Packing::Xz),
            // The second pattern is an empty archive.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Packing::Zip),
            // Without the feature, such files reach the text readers, which name their format in the error.
            _ if Container::IS_BUILT => Container::detect(head).map(Packing::Container),
            _ => None,
        }
    }

    /// Chooses the compression for an output by its last extension, in either case.
    pub fn from_name(path: &Path) -> Option<Packing> {
        let extension = path.extension()?;
        let known = KNOWN.iter().find(|(.., known)| extension.eq_ignore_ascii_case(known));
        known.map(|&(compression, ..)| compression)
    }

    /// Returns whether such a file has to be on disk, because its directory is at its end.
    pub(crate) fn needs_file(self) -> bool {
        matches!(self, Packing::Zip | Packing::Container(_))
    }
}

/// E.g. `gzip`.
impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Packing::Container(container) = self {
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
/// For a zip archive and a Parquet or Arrow table, because these are not streams: see [`open_zip`].
pub(crate) fn decode(
    compression: Packing,
    from: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let from = BufReader::with_capacity(READ_BYTES, from);
    Ok(match compression {
        Packing::Gzip => Box::new(MultiGzDecoder::new(from)),
        Packing::Zstd => Box::new(Decoder { from, decoder: Decompressor::new(), step: zstd }),
        Packing::Xz => {
            Box::new(Decoder { from, decoder: XzStream::new_mem_limit(true, XZ_MEMORY), step: xz })
        }
        Packing::Zip | Packing::Container(_) => {
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
pub(crate) fn clarify_error(compression: Packing, error: io::Error) -> io::Error {
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

/// How many bytes of a file are read to see whether it is text and looks like puzzles.
const SAMPLE_BYTES: u64 = 16 << 10;

/// How many names of files a message lists.
const MOST_NAMES: usize = 5;

/// Why no file of an archive can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The archive has no text file.
    #[error(
        "the archive has no text file that can be read (encrypted files, and files packed by methods other than deflate, can't be)"
    )]
    NoText,
    /// Several files look like puzzles, or there are several text files and none of them does.
    #[error("{}: {}", if *are_puzzles { "the archive has several files of puzzles" } else {
        "the archive has several text files, and none looks like puzzles"
    }, listed(names))]
    Ambiguous {
        /// Whether the files look like puzzles.
        are_puzzles: bool,
        /// The files that the user can choose from.
        names: Vec<String>,
    },
    /// The archive has no file with the requested name.
    #[error("the archive has no file {name}; its files are: {}", listed(names))]
    Missing {
        /// The requested name.
        name: String,
        /// The files that it has.
        names: Vec<String>,
    },
    /// The requested file can't be read.
    #[error(
        "the file {_0} of the archive is encrypted, or packed by a method other than deflate; unpack it first"
    )]
    Unreadable(String),
}

/// Lists names, e.g. `a.txt, b.txt, …`.
fn listed(names: &[String]) -> String {
    let shown = names.len().min(MOST_NAMES);
    names[..shown].join(", ") + if shown < names.len() { ", …" } else { "" }
}

impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// The name of the chosen file in an archive, and the number of files in the archive.
pub type Member = (String, usize);

/// Splits a path such as `archive.zip:member.csv`, if the archive exists and no file has the whole path as
/// its name.
pub fn split_member(path: &Path) -> Option<(&Path, &str)> {
    let text = path.to_str()?;
    if !text.contains(':') || path.symlink_metadata().is_ok() {
        return None;
    }
    let splits = text.match_indices(':').map(|(colon, _)| (Path::new(&text[..colon]), &text[colon + 1..]));
    splits.into_iter().find(|(archive, member)| !member.is_empty() && is_archive(archive))
}

fn is_archive(path: &Path) -> bool {
    let mut head = [0; Packing::SIGNATURE_BYTES];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && Packing::detect(&head) == Some(Packing::Zip)
}

/// Opens the wanted file of an archive. Without a wanted name, opens the only file that looks like puzzles,
/// or else the only text file. `is_puzzles` decides by the beginning of a text.
pub fn open_zip<F: Read + Seek + Send + 'static>(
    file: F,
    wanted: Option<&str>,
    is_puzzles: fn(&[u8]) -> bool,
) -> io::Result<(Member, Box<dyn Read + Send>)> {
    let mut archive = ZipArchive::new(BufReader::new(file))?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        entries.extend(ZipEntry::new(&mut archive, index)?);
    }
    let mut file = archive.into_inner();
    let entry = match wanted {
        Some(name) => find_wanted(&entries, name)?,
        None => find_puzzles(&entries, &mut file, is_puzzles)?,
    };
    Ok(((entry.name.clone(), entries.len()), Box::new(entry.read(file)?)))
}

fn find_wanted<'e>(entries: &'e [ZipEntry], name: &str) -> Result<&'e ZipEntry, ArchiveError> {
    match entries.iter().find(|entry| entry.name == name) {
        Some(entry) if entry.is_readable => Ok(entry),
        Some(_) => Err(ArchiveError::Unreadable(name.to_owned())),
        None => Err(ArchiveError::Missing { name: name.to_owned(), names: names(entries) }),
    }
}

/// Finds the only file that looks like puzzles, or the only text file if no file does.
fn find_puzzles<'e>(
    entries: &'e [ZipEntry],
    file: &mut (impl BufRead + Seek + Send),
    is_puzzles: fn(&[u8]) -> bool,
) -> io::Result<&'e ZipEntry> {
    let (mut texts, mut puzzles) = (Vec::new(), Vec::new());
    for entry in entries.iter().filter(|entry| entry.is_readable) {
        let mut sample = Vec::new();
        entry.read(&mut *file)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
        if sample.is_empty() || sample.contains(&0) {
            continue;
        }
        texts.push(entry);
        if is_puzzles(&sample) {
            puzzles.push(entry);
        }
        if puzzles.len() > MOST_NAMES {
            break;
        }
    }
    let are_puzzles = !puzzles.is_empty();
    match if are_puzzles { &puzzles[..] } else { &texts } {
        [] => Err(ArchiveError::NoText.into()),
        [only] => Ok(*only),
        several => Err(ArchiveError::Ambiguous { are_puzzles, names: names(several.iter().copied()) }.into()),
    }
}

fn names<'e>(entries: impl IntoIterator<Item = &'e ZipEntry>) -> Vec<String> {
    entries.into_iter().map(|entry| entry.name.clone()).collect()
}

/// A file in an archive, and where its bytes are.
#[derive(Debug)]
struct ZipEntry {
    name: String,
    start: u64,
    packed_size: u64,
    size: u64,
    crc: u32,
    is_deflated: bool,
    is_readable: bool,
}

impl ZipEntry {
    /// Finds the file with this index; `None` for a directory, a link, or a hidden file that systems add to
    /// archives (e.g. `__MACOSX`).
    fn new(archive: &mut ZipArchive<impl Read + Seek>, index: usize) -> io::Result<Option<ZipEntry>> {
        let file = archive.by_index_raw(index)?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let is_hidden = name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
        if !file.is_file() || is_hidden {
            return Ok(None);
        }
        let is_deflated = file.compression() == CompressionMethod::Deflated;
        let is_readable = is_deflated || file.compression() == CompressionMethod::Stored;
        Ok(Some(ZipEntry {
            start: file.data_start().unwrap_or(0),
            packed_size: file.compressed_size(),
            size: file.size(),
            crc: file.crc32(),
            is_deflated,
            is_readable: is_readable && !file.encrypted(),
            name,
        }))
    }

    fn read<'f>(&self, mut file: impl BufRead + Seek + Send + 'f) -> io::Result<CheckedReader<'f>> {
        file.seek(SeekFrom::Start(self.start))?;
        let packed = file.take(self.packed_size);
        let text: Box<dyn Read + Send + 'f> =
            if self.is_deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
        Ok(CheckedReader { from: CrcReader::new(text), crc: self.crc, size: self.size })
    }
}

/// Checks the text against the checksum and the length in the archive's directory.
struct CheckedReader<'f> {
    from: CrcReader<Box<dyn Read + Send + 'f>>,
    crc: u32,
    size: u64,
}

impl Read for CheckedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            let crc = self.from.crc();
            // The reader counts bytes modulo 2^32.
            if crc.amount() != self.size as u32 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if crc.sum() != self.crc {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum is wrong"));
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::encode::tests::packed;
    use super::*;

    #[test]
    fn first_bytes_decide_the_compression() {
        for (head, compression) in [
            (&b"\x1f\x8b\x08\0\0\0"[..], Some(Packing::Gzip)),
            (b"\x28\xb5\x2f\xfd\x04", Some(Packing::Zstd)),
            (b"\x50\x2a\x4d\x18\x04\0", Some(Packing::Zstd)),
            (b"\xfd7zXZ\0", Some(Packing::Xz)),
            (b"PK\x03\x04\x14\0", Some(Packing::Zip)),
            (b"PK\x05\x06\0\0", Some(Packing::Zip)),
            (b"BZh91A", None),
            (b"PK", None),
            (b"\x1f", None),
            (b"", None),
        ] {
            assert_eq!(Packing::detect(head), compression, "{head:?}");
        }
    }

    #[test]
    fn names_decide_the_compression() {
        for (name, compression) in [
            ("a.csv.gz", Some(Packing::Gzip)),
            ("A.ZST", Some(Packing::Zstd)),
            ("a.xz", Some(Packing::Xz)),
            ("a.csv", None),
            ("gz", None),
            (".gz", None),
        ] {
            assert_eq!(Packing::from_name(Path::new(name)), compression, "{name}");
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
        for compression in [Packing::Gzip, Packing::Zstd, Packing::Xz] {
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

    /// Makes an archive from names and contents.
    fn archive(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(archive: Vec<u8>) -> io::Result<(Member, Vec<u8>)> {
        read_wanted(archive, None)
    }

    fn read_wanted(archive: Vec<u8>, wanted: Option<&str>) -> io::Result<(Member, Vec<u8>)> {
        let is_puzzles = |text: &[u8]| text.starts_with(b"puzzle");
        let (member, mut reader) = open_zip(Cursor::new(archive), wanted, is_puzzles)?;
        let mut content = Vec::new();
        reader.read_to_end(&mut content)?;
        Ok((member, content))
    }

    #[test]
    fn the_one_file_of_puzzles_is_read() {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let files: [(&str, &[u8]); 7] = [
                ("__MACOSX/._a.txt", b"puzzle"),
                ("a/.hidden", b"puzzle"),
                ("a/image", b"\x89PNG\0\0"),
                ("LICENSE", b"text"),
                ("a/b.txt", b"puzzles"),
                ("README", b"more text"),
                ("c.txt", b"puzzles too"),
            ];
            let name = |files: &[(&str, &[u8])]| read(archive(files, method)).map(|((name, _), _)| name);
            let (member, content) = read(archive(&files[..6], method)).unwrap();
            assert_eq!((member.0.as_str(), member.1, &content[..]), ("a/b.txt", 4, &b"puzzles"[..]));
            assert_eq!(name(&files[2..4]).unwrap(), "LICENSE");
            let refused = |files: &[(&str, &[u8])]| name(files).unwrap_err().to_string();
            assert!(refused(&files[..3]).contains("no text file"));
            assert!(refused(&files).ends_with("several files of puzzles: a/b.txt, c.txt"));
            let texts = [files[3], files[5]];
            assert!(refused(&texts).ends_with("none looks like puzzles: LICENSE, README"));
        }
    }

    #[test]
    fn the_file_that_is_named_is_read() {
        let files: [(&str, &[u8]); 2] = [("a", b"puzzle 1"), ("b:c", b"puzzle 2")];
        let archive = archive(&files, CompressionMethod::Deflated);
        let content = |wanted| read_wanted(archive.clone(), Some(wanted)).map(|(_, content)| content);
        assert_eq!(content("b:c").unwrap(), b"puzzle 2");
        assert!(
            content("c")
                .unwrap_err()
                .to_string()
                .ends_with("the archive has no file c; its files are: a, b:c")
        );
    }

    #[test]
    fn content_that_was_changed_is_refused() {
        let whole = archive(&[("a", b"some text")], CompressionMethod::Stored);
        let at = whole.windows(9).position(|window| window == b"some text").unwrap();
        let mut changed = whole.clone();
        changed[at] = b'S';
        assert!(read(changed).unwrap_err().to_string().contains("checksum"));
        assert!(read(whole[..whole.len() - 30].to_vec()).is_err());
    }
}
