//! Compressed inputs: damaged, truncated and concatenated ones.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gridmill_data::Error;
use gridmill_data::output::Destination;
use gridmill_data::pipeline::Input;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::choices::Choices;

/// The text length at which reading ends, because a small file may expand to gigabytes.
const MOST_BYTES: usize = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
    Xz,
    Zip,
}

/// Unpacks a file. The input consists of a byte for the kind of test, and then either packed bytes, or five
/// bytes for the damage and a text. The check fails unless:
///
/// - Reading ends for any bytes, and needs no more memory than a decoder.
/// - The encoder's file gives the original text, and so do several concatenated files.
/// - A damaged file gives the original text, an error, or something that is not a compressed file any more.
/// - A truncated file gives an error, unless it ends between two files or is empty.
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
        // Archives are not repeated, because two concatenated archives are not an archive.
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
        // The only file of an archive is read only if it is text and not empty.
        Err(_) if packed.starts_with(b"PK") && (text.is_empty() || text.contains(&0)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// A change to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Some bits of a byte change.
    Bits(usize, u8),
    /// The end is cut off.
    Cut(usize),
    /// A byte is removed.
    Lost(usize),
    /// A byte is inserted.
    Added(usize, u8),
}

impl Damage {
    /// Chooses a damage by four bytes.
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

    /// Damages a file, and checks that no other text comes out. `border` is the place where a second file
    /// begins.
    fn check(self, whole: &[u8], text: &[u8], border: Option<usize>) {
        let mut damaged = whole.to_vec();
        match self {
            Damage::Bits(place, bits) => damaged[place % whole.len()] ^= bits,
            Damage::Cut(place) => damaged.truncate(place % whole.len()),
            Damage::Lost(place) => drop(damaged.remove(place % whole.len())),
            Damage::Added(place, byte) => damaged.insert(place % whole.len(), byte),
        }
        if gridmill_data::packing::Packing::detect(&damaged) != gridmill_data::packing::Packing::detect(whole)
            || Some(damaged.len()) == border
        {
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

/// Unpacks bytes; `None` if the text becomes too long.
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

/// Packs a text as the output with the matching name does, e.g. `text.gz`, or as a file in an archive.
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
    let mut output = Destination::create_apart_from(Some(path), &[])?;
    output.write_all(text).map_err(Error::other)?;
    output.commit()
}

fn archive(text: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("puzzles.txt", SimpleFileOptions::default()).expect("a file of an archive");
    archive.write_all(text).expect("memory takes it");
    archive.finish().expect("memory takes it").into_inner()
}
