//! Out of a compressed stream.
//!
//! A reader may answer [`WouldBlock`](io::ErrorKind::WouldBlock) in the middle: decoders keep their place,
//! and go on when they are asked again.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::Compression;

/// Compressed bytes that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// The most memory that an xz decoder may take: four times what `xz -9` asks for. The one of zstd has the
/// limit of its own program, 128 MiB for the window.
const XZ_MEMORY: u64 = 256 << 20;

/// What a compressed stream holds.
///
/// # Panics
///
/// For a zip archive, which is no stream: see [`super::open_zip`].
pub(crate) fn unpack(
    packing: Compression,
    from: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let from = BufReader::with_capacity(READ_BYTES, from);
    Ok(match packing {
        Compression::Gzip => Box::new(MultiGzDecoder::new(from)),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(from)?),
        Compression::Xz => {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
            Box::new(XzDecoder::new_stream(from, stream))
        }
        Compression::Zip => unreachable!("the directory of a zip archive is at its end"),
    })
}

/// The error of a decoder, as people understand it. What the system said stays as it is.
pub(crate) fn explain(packing: Compression, error: io::Error) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => error,
        _ if error.raw_os_error().is_some() => error,
        io::ErrorKind::UnexpectedEof => {
            io::Error::new(kind, format!("the {packing} data is cut short: its end is missing"))
        }
        _ => io::Error::new(kind, format!("the {packing} data can't be unpacked: {error}")),
    }
}
