//! Reads Arrow IPC: messages that follow each other in a stream, or that the footer of a file points to.
//!
//! The arrow crate decodes a complete message. The lengths in it are checked before that, because the crate
//! allocates any number that a damaged message contains, and a failed allocation aborts the process.

use std::io;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{
    Block, CompressionType, Message, RecordBatch as BatchHeader, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};

use super::read::{Batches, ColumnFile, damaged, unsupported};

/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";

/// The length of the footer and the magic bytes, at the end of a file.
const TRAILER_BYTES: u64 = 10;

/// The mark before each message, except in files from before 2019.
const MARK: u32 = u32::MAX;

/// A mark and the length 0, which say that no message follows.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// The largest compression ratio of lz4: a byte becomes at most this many.
const MOST_OF_LZ4: u64 = 255;

/// Opens a file with a footer, which says where the messages are.
pub(super) fn open_file(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
    let end = file.len.checked_sub(TRAILER_BYTES).ok_or(io::ErrorKind::UnexpectedEof)?;
    let trailer = file.bytes(end, TRAILER_BYTES as usize)?;
    let (len, magic) = trailer.split_at(4);
    if magic != MAGIC {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let len = le_u32(len);
    let at = end.checked_sub(u64::from(len)).ok_or_else(|| damaged("the footer is longer than the file"))?;
    let footer = file.bytes(at, len as usize)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(error.to_string()))?;
    let schema = footer.schema().filter(|schema| schema.endianness().equals_to_target_endianness());
    let schema = schema.ok_or_else(|| damaged("there is no schema, or numbers are written backwards"))?;
    let schema = SchemaRef::new(try_fb_to_schema(schema).map_err(arrow_error)?);
    let mut decoder = FileDecoder::new(SchemaRef::clone(&schema), footer.version());
    for block in footer.dictionaries().iter().flatten() {
        decoder.read_dictionary(block, &read_block(file, block)?).map_err(arrow_error)?;
    }
    let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    let file = file.clone();
    let batches = blocks.into_iter().filter_map(move |block| {
        let batch = read_block(&file, &block);
        batch.and_then(|bytes| decoder.read_record_batch(&block, &bytes).map_err(arrow_error)).transpose()
    });
    Ok((schema, Box::new(batches)))
}

/// Reads a message of a file, with its body.
fn read_block(file: &ColumnFile, block: &Block) -> io::Result<Buffer> {
    let place = || {
        let (header, body) = (usize::try_from(block.metaDataLength()).ok()?, block.bodyLength());
        Some((u64::try_from(block.offset()).ok()?, header, header.checked_add(usize::try_from(body).ok()?)?))
    };
    let (at, header, len) = place().ok_or_else(|| damaged("the footer has a negative length"))?;
    let bytes = file.bytes(at, len)?;
    let (head, body) = bytes.split_at(header);
    let unmarked = head.strip_prefix(&MARK.to_le_bytes()).unwrap_or(head);
    let message = unmarked.get(4..).ok_or_else(|| damaged("a message has no length"))?;
    check_buffers(&root_as_message(message).map_err(|error| damaged(error.to_string()))?, body)?;
    Ok(Buffer::from_vec(bytes))
}

/// Opens a stream.
pub(super) fn open_stream(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
    let (file, decoder) = (file.clone(), StreamDecoder::new());
    let mut messages = Messages { file, at: 0, decoder, next: Buffer::default(), is_ended: false };
    // The decoder knows the schema only when it gets the next message, so read the first batch now.
    let first = messages.next().transpose()?;
    let schema = messages.decoder.schema().ok_or_else(|| damaged("there is no schema"))?;
    Ok((schema, Box::new(first.map(Ok).into_iter().chain(messages))))
}

/// The batches of a stream.
struct Messages {
    file: ColumnFile,
    at: u64,
    decoder: StreamDecoder,
    /// The part of a message that the decoder has not taken yet.
    next: Buffer,
    is_ended: bool,
}

impl Iterator for Messages {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<io::Result<RecordBatch>> {
        self.next_batch().transpose()
    }
}

impl Messages {
    fn next_batch(&mut self) -> io::Result<Option<RecordBatch>> {
        loop {
            if !self.next.is_empty() {
                if let Some(batch) = self.decoder.decode(&mut self.next).map_err(arrow_error)? {
                    return Ok(Some(batch));
                }
                continue;
            }
            if self.is_ended {
                return Ok(None);
            }
            let message = self.read_message()?;
            self.is_ended = message.is_none();
            // The decoder finishes a message without a body only when more bytes come, so give it an end
            // mark.
            self.next = message.map_or_else(|| Buffer::from(END), Buffer::from_vec);
        }
    }

    /// Reads a message with its body; `None` at the end.
    fn read_message(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.at == self.file.len {
            return Ok(None);
        }
        let mut head = self.take(4)?;
        let mut len = le_u32(&head);
        if len == MARK {
            head.extend(self.take(4)?);
            len = le_u32(&head[4..]);
        }
        if len == 0 {
            return Ok(None);
        }
        let header = self.take(u64::from(len))?;
        let message = root_as_message(&header).map_err(|error| damaged(error.to_string()))?;
        let body_len = u64::try_from(message.bodyLength()).map_err(|_| damaged("a length is negative"))?;
        let body = self.take(body_len)?;
        check_buffers(&message, &body)?;
        Ok(Some([head, header, body].concat()))
    }

    fn take(&mut self, len: u64) -> io::Result<Vec<u8>> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let bytes = self.file.bytes(self.at, len)?;
        self.at += len as u64;
        Ok(bytes)
    }
}

/// Parses four bytes as a number.
fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("these are four bytes"))
}

/// Checks how the buffers of a message are compressed, and that their lengths after decompression are
/// possible.
fn check_buffers(message: &Message<'_>, body: &[u8]) -> io::Result<()> {
    let of_dictionary = || message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or_else(of_dictionary) else { return Ok(()) };
    let Some(compression) = batch.compression() else { return Ok(()) };
    if compression.codec() != CompressionType::LZ4_FRAME {
        return Err(unsupported(
            "of compressed Arrow files only those with lz4 are read, and this one has zstd: write it again with lz4 or without compression",
        ));
    }
    let is_bounded = |buffer: &[u8]| {
        let Some((len, packed)) = buffer.split_first_chunk() else { return buffer.is_empty() };
        // The length -1 marks a buffer that is not compressed.
        u64::try_from(i64::from_le_bytes(*len)).map_or(true, |len| len / MOST_OF_LZ4 <= packed.len() as u64)
    };
    match buffers(batch, body).all(|buffer| buffer.is_some_and(is_bounded)) {
        true => Ok(()),
        false => Err(damaged("a buffer says that it becomes longer than it can")),
    }
}

/// Iterates over the buffers of a batch; `None` for a buffer outside the body.
fn buffers<'b>(batch: BatchHeader<'_>, body: &'b [u8]) -> impl Iterator<Item = Option<&'b [u8]>> {
    let buffers = batch.buffers().into_iter().flatten();
    let places: Vec<(i64, i64)> = buffers.map(|buffer| (buffer.offset(), buffer.length())).collect();
    places.into_iter().map(|(from, len)| {
        let from = usize::try_from(from).ok()?;
        body.get(from..)?.get(..usize::try_from(len).ok()?)
    })
}

/// Turns an error of the arrow crate into one about damaged data.
pub(super) fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => damaged(error.to_string()),
    }
}
