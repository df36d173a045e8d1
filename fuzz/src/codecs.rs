//! Compressed inputs: damaged, cut, one behind the other.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gridmill_data::Error;
use gridmill_data::output::Destination;
use gridmill_data::packing::Compression;
use gridmill_data::pipeline::Input;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::choices::Choices;

/// Where reading ends: a small file may stand for gigabytes.
const MOST_BYTES: usize = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
    Xz,
    Zip,
}

/// Unpacks: a byte for what is done, then either packed bytes as they are, or five bytes for the damage and a text.
///
/// - Whatever bytes there are, reading ends, and holds no more memory than a decoder's.
/// - A text comes out of the encoder's file as it was, as does the text of several files, one behind the other.
/// - A damaged file gives the text, an error, or something that is no compressed file any more.
/// - A file that is cut short gives an error, unless it ends between two files; nothing, if nothing is left.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let packing = match choices.below(5) {
        0 => return drop(unpacked(choices.rest().to_vec())),
        1 => Packing::Gzip,
        2 => Packing::Zstd,
        3 => Packing::Xz,
        _ => Packing::Zip,
    };
    let damage = Damage::choose(&mut choices);
    let times = 1 + choices.below(3);
    let text = choices.rest().repeat(times);
    let packed = packed(packing, &text);
    assert_unpacked(&packed, &text);
    let (whole, wanted, border) = match packing {
        // An archive behind another is no archive.
        Packing::Zip => (packed, text, None),
        _ => {
            let border = packed.len();
            let (packed, text) = (packed.repeat(2), text.repeat(2));
            assert_unpacked(&packed, &text);
            (packed, text, Some(border))
        }
    };
    damage.check(&whole, &wanted, border);
}

fn assert_unpacked(packed: &[u8], text: &[u8]) {
    let read = unpacked(packed.to_vec());
    match read {
        Ok(Some(read)) => assert!(read == text, "{} bytes, not {}", read.len(), text.len()),
        Ok(None) => panic!("{} bytes become too many", packed.len()),
        // An archive's only file is read if it is text, and not empty.
        Err(_) if packed.starts_with(b"PK") && (text.is_empty() || text.contains(&0)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The bits of a byte.
    Bits(usize, u8),
    /// Its end.
    Cut(usize),
    /// A byte that goes.
    Lost(usize),
    /// A byte that comes.
    Added(usize, u8),
}

impl Damage {
    /// Takes four bytes.
    fn choose(choices: &mut Choices<'_>) -> Damage {
        let kind = choices.below(4);
        let place = 256 * choices.below(256) + choices.below(256);
        let byte = choices.byte();
        match kind {
            0 => Damage::Bits(place, byte.max(1)),
            1 => Damage::Cut(place),
            2 => Damage::Lost(place),
            _ => Damage::Added(place, byte),
        }
    }

    /// Does it to a file, and checks that nothing else comes out. `border` is where a file begins behind another one.
    fn check(self, whole: &[u8], text: &[u8], border: Option<usize>) {
        let mut damaged = whole.to_vec();
        match self {
            Damage::Bits(place, bits) => damaged[place % whole.len()] ^= bits,
            Damage::Cut(place) => damaged.truncate(place % whole.len()),
            Damage::Lost(place) => drop(damaged.remove(place % whole.len())),
            Damage::Added(place, byte) => damaged.insert(place % whole.len(), byte),
        }
        if Compression::detect(&damaged) != Compression::detect(whole) || Some(damaged.len()) == border {
            return;
        }
        match unpacked(damaged) {
            Err(_) => {}
            Ok(Some(read)) if read == text => {}
            Ok(read) => {
                let read = read.map(|read| read.len());
                panic!("{self:?} of {} bytes makes {read:?} of {} bytes", whole.len(), text.len());
            }
        }
    }
}

/// Unpacks bytes; `None` if they become too many.
fn unpacked(packed: Vec<u8>) -> Result<Option<Vec<u8>>, Error> {
    let input = Input::from_bytes("packed", packed);
    let (mut text, mut is_too_much) = (Vec::new(), false);
    let drained = input.drain(
        &mut |part| {
            text.extend_from_slice(part);
            is_too_much = text.len() > MOST_BYTES;
            if is_too_much { Err(Error::other("too much")) } else { Ok(()) }
        },
        &AtomicBool::new(false),
    );
    match drained {
        Err(_) if is_too_much => Ok(None),
        drained => drained.map(|()| Some(text)),
    }
}

/// Packs a text as an output of that name is; as a file of an archive.
fn packed(packing: Packing, text: &[u8]) -> Vec<u8> {
    let name = match packing {
        Packing::Gzip => "text.gz",
        Packing::Zstd => "text.zst",
        Packing::Xz => "text.xz",
        Packing::Zip => return archive(text),
    };
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join(name);
    write(&path, text).expect("a file is written");
    std::fs::read(path).expect("a file that was written")
}

fn write(path: &Path, text: &[u8]) -> Result<(), Error> {
    let mut output = Destination::open_before(Some(path), &[])?;
    output.write_all(text).map_err(Error::other)?;
    output.commit()
}

fn archive(text: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("puzzles.txt", SimpleFileOptions::default()).expect("a file of an archive");
    archive.write_all(text).expect("memory takes it");
    archive.finish().expect("memory takes it").into_inner()
}
