//! Compresses output, and defines encoders, which transform the bytes of an output.
//!
//! The bytes are cut into frames of [`FRAME_BYTES`], and each frame is compressed by itself. So a
//! compressed file is a sequence of complete compressed files. Where a frame ends depends only on the
//! bytes, not on the sizes of the writes, so that the same rows always give the same file.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use rusty_zstd::CompressOptions;

use super::Packing;

/// Size of a frame before compression. Frames of 4 MiB would save only 0.03 % of a zstd file.
const FRAME_BYTES: usize = 1 << 20;

/// The level of gzip and zstd. It is a fast one, because one writer has to keep up with all solvers.
const LEVEL: u32 = 1;

/// An upper bound of the memory that xz needs to compress a frame.
const XZ_MEMORY: usize = 12 << 20;

/// Extensions of compressed formats that are not written.
const NOT_WRITTEN: [&str; 6] = ["zip", "bz2", "7z", "lz4", "lzma", "rar"];

/// Transforms the bytes of an output: compresses them, or turns rows of CSV into a Parquet or Arrow table.
pub(crate) trait Encoder: fmt::Debug + Send {
    /// Takes bytes, and writes to `to` as much as it can. Returns how many bytes it took.
    fn write(&mut self, bytes: &[u8], to: &mut dyn Write) -> io::Result<usize>;

    /// The bytes that were taken but not written yet. The journal keeps them for a later run.
    fn rest(&self) -> &[u8] {
        &[]
    }

    /// Writes the end of the file. Without it, readers report that the file is cut short.
    fn finish(self: Box<Self>, to: &mut dyn Write) -> io::Result<()>;
}

/// Compresses an output frame by frame.
#[derive(Debug)]
pub(crate) struct FrameEncoder {
    compress: fn(&[u8]) -> io::Result<Vec<u8>>,
    /// The frame that is being filled.
    frame: Vec<u8>,
    /// Whether a frame has been written. An empty file gets one empty frame, because otherwise it would not
    /// be a valid file of its format.
    has_begun: bool,
}

/// Rejects names with the extension of a compression that is not written.
pub(crate) fn check_name(path: &Path) -> io::Result<()> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if NOT_WRITTEN.iter().any(|refused| extension == *refused) {
        let reason = "the only compressed files that gridmill writes are .gz, .zst and .xz";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    Ok(())
}

impl FrameEncoder {
    /// Makes the encoder for a compression; `None` if nothing is compressed here.
    pub(crate) fn new(compression: Option<Packing>) -> Option<FrameEncoder> {
        let compress = match compression? {
            Packing::Gzip => gzip,
            Packing::Zstd => zstd,
            Packing::Xz => xz,
            Packing::Zip | Packing::Container(_) => return None,
        };
        Some(FrameEncoder { compress, frame: Vec::new(), has_begun: false })
    }

    /// Continues after complete frames (if `has_begun`), with `rest` as the beginning of the next frame.
    pub(crate) fn resumed(self, rest: Vec<u8>, has_begun: bool) -> FrameEncoder {
        FrameEncoder { frame: rest, has_begun, ..self }
    }

    fn end_frame(&mut self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&(self.compress)(&self.frame)?)?;
        self.frame.clear();
        self.has_begun = true;
        Ok(())
    }
}

impl Encoder for FrameEncoder {
    /// Takes bytes, and writes a frame when it is complete.
    fn write(&mut self, bytes: &[u8], to: &mut dyn Write) -> io::Result<usize> {
        if self.frame.len() == FRAME_BYTES {
            self.end_frame(to)?;
        }
        let taken = bytes.len().min(FRAME_BYTES - self.frame.len());
        self.frame.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// The beginning of the frame that is not complete yet.
    fn rest(&self) -> &[u8] {
        &self.frame
    }

    fn finish(mut self: Box<Self>, to: &mut dyn Write) -> io::Result<()> {
        if self.frame.is_empty() && self.has_begun { Ok(()) } else { self.end_frame(to) }
    }
}

fn gzip(frame: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(LEVEL));
    encoder.write_all(frame)?;
    encoder.finish()
}

/// Compresses a frame in pure Rust, because the C library took half of the time to build the program.
/// (`ruzstd` wrote files of rows that were 24 % larger, at a quarter of the speed.)
fn zstd(frame: &[u8]) -> io::Result<Vec<u8>> {
    let options = CompressOptions { level: LEVEL as i32, checksum: true };
    rusty_zstd::compress_with(frame, options).map_err(io::Error::other)
}

/// Compresses a frame with the lowest preset and short searches for matches. This is three times as fast as
/// level 1 of the C library, and 2 % larger.
fn xz(frame: &[u8]) -> io::Result<Vec<u8>> {
    // Check for memory first, because the crate aborts the process if it can't allocate.
    Vec::<u8>::new().try_reserve_exact(XZ_MEMORY).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut options = XzOptions::with_preset(0);
    options.lzma_options.dict_size = FRAME_BYTES as u32;
    options.lzma_options.nice_len = 64;
    let mut encoder = XzWriter::new(Vec::new(), options)?;
    encoder.write_all(frame)?;
    encoder.finish()
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::{Cursor, Read};

    use super::super::decode;
    use super::*;

    const KINDS: [Packing; 3] = [Packing::Gzip, Packing::Zstd, Packing::Xz];

    const LINES: &[u8] =
        b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";

    /// An encoder with its output.
    struct Packer<W>(FrameEncoder, W);

    impl<W: Write> Write for Packer<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes, &mut self.1)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.1.flush()
        }
    }

    impl<W: Write> Packer<W> {
        fn new(compression: Packing, to: W) -> Packer<W> {
            Packer(FrameEncoder::new(Some(compression)).unwrap(), to)
        }

        fn finish(mut self) -> W {
            Box::new(self.0).finish(&mut self.1).unwrap();
            self.1
        }
    }

    /// Compresses a text in writes of `size` bytes.
    pub(in crate::packing) fn packed(compression: Packing, text: &[u8], size: usize) -> Vec<u8> {
        let mut packer = Packer::new(compression, Vec::new());
        for part in text.chunks(size) {
            packer.write_all(part).unwrap();
            packer.flush().unwrap();
        }
        packer.finish()
    }

    fn unpacked(compression: Packing, packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decode(compression, Cursor::new(packed.to_vec()))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn packed_text_is_unpacked_unchanged() {
        let text = b"53..7....6..195....98....6.".repeat(10_000);
        for compression in KINDS {
            let packed = packed(compression, &text, text.len());
            assert_eq!(Packing::detect(&packed), Some(compression));
            assert_eq!(unpacked(compression, &packed.repeat(2)).unwrap(), text.repeat(2), "{compression}");
            let error = unpacked(compression, &packed[..packed.len() - 1]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{compression}");
        }
    }

    #[test]
    fn frames_depend_on_the_bytes_alone() {
        let text: Vec<u8> = (0..2 * FRAME_BYTES + 77).map(|at| b'0' + (at * at % 11) as u8).collect();
        for compression in KINDS {
            let whole = packed(compression, &text, text.len());
            assert!(whole == packed(compression, &text, 10_007), "{compression}");
            let mut frames = packed(compression, &text[..FRAME_BYTES], FRAME_BYTES);
            frames.extend(packed(compression, &text[FRAME_BYTES..2 * FRAME_BYTES], FRAME_BYTES));
            frames.extend(packed(compression, &text[2 * FRAME_BYTES..], FRAME_BYTES));
            assert!(whole == frames, "{compression}");
            assert!(unpacked(compression, &whole).unwrap() == text, "{compression}");
        }
    }

    /// If you know the offsets of the frames, you can read each one without the others.
    #[test]
    fn a_frame_is_unpacked_without_earlier_ones() {
        let text: Vec<u8> = LINES.iter().copied().cycle().take(2 * FRAME_BYTES + 77).collect();
        for compression in KINDS {
            let whole = packed(compression, &text, text.len());
            let mut at = 0;
            for plain in text.chunks(FRAME_BYTES) {
                let end = at + packed(compression, plain, plain.len()).len();
                assert_eq!(Packing::detect(&whole[at..end]), Some(compression));
                assert!(unpacked(compression, &whole[at..end]).unwrap() == plain, "{compression} from {at}");
                at = end;
            }
            assert_eq!(at, whole.len(), "{compression}");
        }
    }

    #[test]
    fn an_encoder_continues_where_another_one_stopped() {
        let text: Vec<u8> = LINES.iter().copied().cycle().take(2 * FRAME_BYTES + 77).collect();
        for compression in KINDS {
            let whole = packed(compression, &text, text.len());
            for at in [0, 1, 500, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, text.len()]
            {
                let mut first = Packer::new(compression, Vec::new());
                first.write_all(&text[..at]).unwrap();
                let Packer(first, to) = first;
                let second = FrameEncoder::new(Some(compression)).unwrap();
                let mut second = Packer(second.resumed(first.rest().to_vec(), !to.is_empty()), to);
                second.write_all(&text[at..]).unwrap();
                assert!(second.finish() == whole, "{compression} from {at}");
            }
        }
    }

    #[test]
    fn an_encoder_holds_no_more_than_a_frame() {
        let text = LINES.repeat(3 * FRAME_BYTES / LINES.len());
        for compression in KINDS {
            let mut packer = Packer::new(compression, io::sink());
            packer.write_all(&text[..10_007]).unwrap();
            packer.write_all(&text[10_007..]).unwrap();
            let frame = &packer.0.frame;
            // A growing vector has at most twice the capacity that it needs.
            assert!(frame.len() <= FRAME_BYTES && frame.capacity() <= 2 * FRAME_BYTES, "{compression}");
        }
    }

    #[test]
    fn a_file_that_is_cut_anywhere_but_between_frames_is_refused() {
        for compression in KINDS {
            let frames = [LINES, b"", &LINES[..9]].map(|text| packed(compression, text, 100));
            let whole = frames.concat();
            let ends = [frames[0].len(), frames[0].len() + frames[1].len(), whole.len()];
            for cut in Packing::SIGNATURE_BYTES..=whole.len() {
                let read = unpacked(compression, &whole[..cut]);
                match ends.iter().position(|end| *end == cut) {
                    Some(0 | 1) => assert!(read.unwrap() == LINES, "{compression} cut at {cut}"),
                    Some(_) => assert!(read.unwrap() == [LINES, &LINES[..9]].concat(), "{compression}"),
                    None => {
                        let error = read.expect_err(&format!("{compression} cut at {cut}"));
                        // A part of a header might be mistaken for something else.
                        let in_header = ends.iter().any(|end| (1..12).contains(&cut.wrapping_sub(*end)));
                        let expected = error.kind() == io::ErrorKind::UnexpectedEof;
                        assert!(expected || in_header, "{compression} cut at {cut}: {error}");
                    }
                }
            }
        }
    }

    /// A checksum finds a changed bit, except in bytes that no decoder looks at, e.g. the time in a gzip
    /// header.
    #[test]
    fn a_changed_bit_never_gives_another_text() {
        for compression in KINDS {
            let whole = packed(compression, LINES, 100);
            let mut refused = 0;
            for bit in 0..8 * whole.len() {
                let mut changed = whole.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                match unpacked(compression, &changed) {
                    Ok(text) => assert!(text == LINES, "{compression}, bit {bit}"),
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > 6 * whole.len(), "{compression}: {refused} of {} bits", 8 * whole.len());
        }
    }

    #[test]
    fn skippable_zstd_frames_may_be_anywhere_but_not_alone() {
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let frame = packed(Packing::Zstd, LINES, 100);
        let whole = [skipped, skipped, &frame[..], skipped, &frame[..], skipped].concat();
        assert_eq!(unpacked(Packing::Zstd, &whole).unwrap(), LINES.repeat(2));
        for cut in [&whole[..whole.len() - 1], &whole[..whole.len() - 5], skipped, &skipped[..9]] {
            let error = unpacked(Packing::Zstd, cut).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{} bytes", cut.len());
        }
    }

    #[test]
    fn an_empty_text_is_a_frame_too() {
        for compression in KINDS {
            let packed = packed(compression, b"", 1);
            assert_eq!(Packing::detect(&packed), Some(compression));
            assert_eq!(unpacked(compression, &packed).unwrap(), b"", "{compression}");
        }
    }

    #[test]
    fn archives_are_not_written() {
        assert!(check_name(Path::new("a.ZIP")).is_err() && check_name(Path::new("a.csv.bz2")).is_err());
        assert!(check_name(Path::new("a.csv.gz")).is_ok() && check_name(Path::new("zip")).is_ok());
    }
}
