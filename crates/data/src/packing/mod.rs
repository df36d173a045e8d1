//! Compressed files: detected by their first bytes, read and written.
//!
//! Reading and writing are streams of bounded memory. Several compressed files, one behind the other, are
//! read as one.

mod decode;
mod encode;
mod zip;

use std::fmt;
use std::path::Path;

pub(crate) use decode::{archive_error, decode, explain};
pub(crate) use encode::{Encoder, check_name};
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
}

impl Compression {
    /// How many first bytes tell how a file is compressed.
    pub const SIGNATURE_BYTES: usize = 6;

    /// Returns how a file that begins with these bytes is compressed: [`Compression::SIGNATURE_BYTES`], or
    /// all there are. `None` if it is not, or in an unknown way.
    ///
    /// ```
    /// use gridmill_data::packing::Compression;
    ///
    /// assert_eq!(Compression::of(b"\x1f\x8b\x08\0\0\0"), Some(Compression::Gzip));
    /// assert_eq!(Compression::of(b"53..7."), None);
    /// ```
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Compression> {
        match head {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            // The second is a frame to be skipped, with which some programs begin a file.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            // The second is an archive without files.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Compression::Zip),
            _ => None,
        }
    }

    /// Returns how a file of that name should be compressed: by its last extension, in either case.
    pub fn of_name(path: &Path) -> Option<Compression> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match &extension[..] {
            "gz" => Some(Compression::Gzip),
            "zst" => Some(Compression::Zstd),
            "xz" => Some(Compression::Xz),
            "zip" => Some(Compression::Zip),
            _ => None,
        }
    }
}

/// `gzip`.
impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Zip => "zip",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell_the_compression() {
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
            assert_eq!(Compression::of(head), compression, "{head:?}");
        }
    }

    #[test]
    fn names_tell_the_compression() {
        for (name, compression) in [
            ("a.csv.gz", Some(Compression::Gzip)),
            ("A.ZST", Some(Compression::Zstd)),
            ("a.xz", Some(Compression::Xz)),
            ("a.csv", None),
            ("gz", None),
            (".gz", None),
        ] {
            assert_eq!(Compression::of_name(Path::new(name)), compression, "{name}");
        }
    }
}
