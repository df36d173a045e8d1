//! Into a compressed file.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

use super::Compression;

/// The level of each kind: one writer must keep up with all solvers, so that they are the fast ones.
const LEVEL: u32 = 1;

/// Extensions of compressed files that are read by others, and not written here.
const NOT_WRITTEN: [&str; 6] = ["zip", "bz2", "7z", "lz4", "lzma", "rar"];

/// Writes to something, compressed or not.
pub(crate) enum Encoder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
    Xz(XzEncoder<W>),
}

/// Refuses names of files that are compressed in a way that is not written here.
pub(crate) fn check_name(path: &Path) -> io::Result<()> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if NOT_WRITTEN.iter().any(|refused| extension == *refused) {
        let reason = "of compressed files, only .gz, .zst and .xz are written";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    Ok(())
}

impl<W: Write> Encoder<W> {
    /// Compresses, or not.
    pub(crate) fn new(packing: Option<Compression>, to: W) -> io::Result<Encoder<W>> {
        Ok(match packing {
            Some(Compression::Gzip) => Encoder::Gzip(GzEncoder::new(to, flate2::Compression::new(LEVEL))),
            Some(Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(to, LEVEL as i32)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
            Some(Compression::Xz) => Encoder::Xz(XzEncoder::new(to, LEVEL)),
            None | Some(Compression::Zip) => Encoder::Plain(to),
        })
    }

    pub(crate) fn get_ref(&self) -> &W {
        match self {
            Encoder::Plain(to) => to,
            Encoder::Gzip(to) => to.get_ref(),
            Encoder::Zstd(to) => to.get_ref(),
            Encoder::Xz(to) => to.get_ref(),
        }
    }

    /// Writes the end, without which a compressed file is not whole.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Encoder::Plain(to) => Ok(to),
            Encoder::Gzip(to) => to.finish(),
            Encoder::Zstd(to) => to.finish(),
            Encoder::Xz(to) => to.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Plain(to) => to,
            Encoder::Gzip(to) => to,
            Encoder::Zstd(to) => to,
            Encoder::Xz(to) => to,
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl<W: Write + fmt::Debug> fmt::Debug for Encoder<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoder").field(self.get_ref()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::super::unpack;
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let text = b"53..7....6..195....98....6.".repeat(10_000);
        for packing in [Compression::Gzip, Compression::Zstd, Compression::Xz] {
            let mut packer = Encoder::new(Some(packing), Vec::new()).unwrap();
            packer.write_all(&text).unwrap();
            let packed = packer.finish().unwrap();
            assert_eq!(Compression::of(&packed), Some(packing));
            let (mut twice, mut once) = (Vec::new(), Vec::new());
            let both = Cursor::new(packed.repeat(2));
            unpack(packing, both).unwrap().read_to_end(&mut twice).unwrap();
            assert_eq!(twice, text.repeat(2), "{packing}");
            let cut = Cursor::new(packed[..packed.len() - 1].to_vec());
            let error = unpack(packing, cut).unwrap().read_to_end(&mut once).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{packing}");
        }
    }

    #[test]
    fn archives_are_not_written() {
        assert!(check_name(Path::new("a.ZIP")).is_err() && check_name(Path::new("a.csv.bz2")).is_err());
        assert!(check_name(Path::new("a.csv.gz")).is_ok() && check_name(Path::new("zip")).is_ok());
    }
}
