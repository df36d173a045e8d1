//! Zip archives: chooses one of the files in an archive, and opens it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use ::zip::{CompressionMethod, ZipArchive};
use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use super::Compression;

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
        "there is no text file in the archive (encrypted ones, and other methods than deflate, are not read)"
    )]
    NoText,
    /// Several files look like puzzles, or there are several text files and none of them does.
    #[error("{}: {}", if *are_puzzles { "the archive has several files of puzzles" } else {
        "the archive has several text files, and none looks like puzzles"
    }, listed(names))]
    Open {
        /// Whether the files look like puzzles.
        are_puzzles: bool,
        /// The files that the user can choose from.
        names: Vec<String>,
    },
    /// The archive has no file with the requested name.
    #[error("there is no file {name} in the archive; it has {}", listed(names))]
    Missing {
        /// The requested name.
        name: String,
        /// The files that it has.
        names: Vec<String>,
    },
    /// The requested file can't be read.
    #[error("{_0} in the archive is encrypted, or packed by another method than deflate")]
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
    let mut head = [0; Compression::SIGNATURE_BYTES];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && Compression::detect(&head) == Some(Compression::Zip)
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
        several => Err(ArchiveError::Open { are_puzzles, names: names(several.iter().copied()) }.into()),
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
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum is another"));
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use ::zip::ZipWriter;
    use ::zip::write::SimpleFileOptions;

    use super::*;

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
        assert!(content("c").unwrap_err().to_string().ends_with("no file c in the archive; it has a, b:c"));
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
