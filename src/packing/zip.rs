//! Zip archives: opening the first text file in one.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};

use ::zip::{CompressionMethod, ZipArchive};
use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

/// Bytes of a file that are read to see whether it is text.
const SAMPLE_BYTES: u64 = 512;

/// The file of an archive that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Files in the archive.
    pub(crate) files: usize,
}

/// Opens the first text file of an archive, in the order of its directory.
pub(crate) fn open_zip<F: Read + Seek + Send + 'static>(
    file: F,
) -> io::Result<(Member, Box<dyn Read + Send>)> {
    let mut archive = ZipArchive::new(BufReader::new(file))?;
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        entries.extend(Entry::of(&mut archive, index)?);
    }
    let mut file = archive.into_inner();
    let files = entries.len();
    for entry in entries.into_iter().filter(|entry| entry.is_readable) {
        let mut sample = Vec::new();
        entry.read(&mut file)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
        if !sample.is_empty() && !sample.contains(&0) {
            let reader = Box::new(entry.read(file)?);
            return Ok((Member { name: entry.name, files }, reader));
        }
    }
    let reason = "there is no text file in it (encrypted ones, and other methods than deflate, are not read)";
    Err(io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// A file of an archive, with the position of its bytes.
#[derive(Debug)]
struct Entry {
    name: String,
    start: u64,
    packed_size: u64,
    size: u64,
    crc: u32,
    is_deflated: bool,
    is_readable: bool,
}

impl Entry {
    /// Returns the file of that number; `None` for a directory, a link, or a file that systems add to
    /// archives.
    fn of(archive: &mut ZipArchive<impl Read + Seek>, index: usize) -> io::Result<Option<Entry>> {
        let file = archive.by_index_raw(index)?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let is_hidden = name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
        if !file.is_file() || is_hidden {
            return Ok(None);
        }
        let is_deflated = file.compression() == CompressionMethod::Deflated;
        let is_readable = is_deflated || file.compression() == CompressionMethod::Stored;
        Ok(Some(Entry {
            start: file.data_start().unwrap_or(0),
            packed_size: file.compressed_size(),
            size: file.size(),
            crc: file.crc32(),
            is_deflated,
            is_readable: is_readable && !file.encrypted(),
            name,
        }))
    }

    fn read<R: BufRead + Seek>(&self, mut file: R) -> io::Result<Checked<Body<R>>> {
        file.seek(SeekFrom::Start(self.start))?;
        let packed = file.take(self.packed_size);
        let body =
            if self.is_deflated { Body::Deflated(DeflateDecoder::new(packed)) } else { Body::Stored(packed) };
        Ok(Checked { from: CrcReader::new(body), crc: self.crc, size: self.size })
    }
}

enum Body<R> {
    Stored(Take<R>),
    Deflated(DeflateDecoder<Take<R>>),
}

impl<R: BufRead> Read for Body<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Body::Stored(from) => from.read(buffer),
            Body::Deflated(from) => from.read(buffer),
        }
    }
}

/// Checks what is read against the checksum and the length in the directory.
struct Checked<R> {
    from: CrcReader<R>,
    crc: u32,
    size: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            let crc = self.from.crc();
            // The CRC counts bytes modulo 2^32.
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

    /// Returns an archive of files, given by name and content.
    fn archive(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(archive: Vec<u8>) -> io::Result<(Member, Vec<u8>)> {
        let (member, mut reader) = open_zip(Cursor::new(archive))?;
        let mut content = Vec::new();
        reader.read_to_end(&mut content)?;
        Ok((member, content))
    }

    #[test]
    fn the_first_text_file_is_read() {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let files: [(&str, &[u8]); 5] = [
                ("__MACOSX/._a.txt", b"text"),
                ("a/.hidden", b"text"),
                ("a/image", b"\x89PNG\0\0"),
                ("a/b.txt", b"first"),
                ("c.txt", b"second"),
            ];
            let (member, content) = read(archive(&files, method)).unwrap();
            assert_eq!((member.name.as_str(), member.files, &content[..]), ("a/b.txt", 3, &b"first"[..]));
            let refused = read(archive(&files[..3], method)).unwrap_err();
            assert!(refused.to_string().contains("no text file"), "{refused}");
        }
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
