//! Reads Arrow and Parquet as batches of rows.
//!
//! Arrow IPC is messages that follow each other in a stream, or that the footer of a file points to. The
//! arrow crate decodes a complete message. The lengths in it are checked before that, because the crate
//! allocates any number that a damaged message contains, and a failed allocation aborts the process. Parquet
//! is pages of columns, which are read batch by batch.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{
    Block, CompressionType, Message, RecordBatch as BatchHeader, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Compression as Codec;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, Length, RowGroupReader, SerializedPageReader};
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

use super::read::{Batches, ColumnFile, FilePart, damaged, unsupported};
use crate::packing::{Packing, decode};

/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";

/// The size of the end of a file: the length of the footer (4 bytes) and the magic bytes (6).
const TRAILER_BYTES: u64 = 10;

/// The mark before each message, except in files from before 2019.
const MARK: u32 = u32::MAX;

/// A mark and the length 0, which say that no message follows.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// The largest compression ratio of lz4: a byte becomes at most this many.
const MOST_OF_LZ4: u64 = 255;

/// Opens a file with a footer, which says where the messages are.
pub(super) fn open_arrow_file(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
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
    let schema = schema.ok_or_else(|| damaged("there is no schema, or its numbers are big-endian"))?;
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
pub(super) fn open_arrow_stream(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
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
            "gridmill reads compressed Arrow files only with lz4, but this one has zstd: write it again with lz4 or without compression",
        ));
    }
    let is_bounded = |buffer: &[u8]| {
        let Some((len, packed)) = buffer.split_first_chunk() else { return buffer.is_empty() };
        // The length -1 marks a buffer that is not compressed.
        u64::try_from(i64::from_le_bytes(*len)).map_or(true, |len| len / MOST_OF_LZ4 <= packed.len() as u64)
    };
    match buffers(batch, body).all(|buffer| buffer.is_some_and(is_bounded)) {
        true => Ok(()),
        false => Err(damaged("a buffer declares an impossible length")),
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

/// The maximal number of rows in a batch.
const MOST_ROWS: u64 = 8192;

/// About how many bytes a batch may have, because rows of other data may be long, e.g. images.
const BATCH_BYTES: u64 = 32 << 20;

/// The size of the shortest valid file.
const LEAST_BYTES: u64 = 12;

/// Opens a file.
pub(super) fn open_parquet(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
    let end = file.len.checked_sub(4).filter(|_| file.len >= LEAST_BYTES);
    match &*file.bytes(end.ok_or(io::ErrorKind::UnexpectedEof)?, 4)? {
        b"PAR1" => {}
        b"PARE" => {
            return Err(unsupported("the Parquet file is encrypted: write it again without encryption"));
        }
        _ => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file).map_err(parquet_error)?;
    check_codecs(&metadata)?;
    // Only the types of Parquet are used. With the Arrow types that a writer may have added, texts would
    // come as dictionaries.
    let columns = metadata.file_metadata().schema_descr();
    let levels =
        parquet_to_arrow_field_levels(columns, ProjectionMask::all(), None).map_err(parquet_error)?;
    let (rows, left) = (rows_of_batch(&metadata), metadata.file_metadata().num_rows());
    let pages: Arc<dyn FileReader> = Arc::new(PagedFile { file: file.clone(), metadata });
    let reader = ParquetRecordBatchReader::try_new_with_row_groups(&levels, &pages, rows, None);
    let reader = reader.map_err(parquet_error)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    Ok((schema, Box::new(PageBatches { reader, left })))
}

/// Rejects columns whose compression is not supported.
fn check_codecs(metadata: &ParquetMetaData) -> io::Result<()> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    for column in columns {
        if let codec @ (Codec::BROTLI(_) | Codec::LZO) = column.compression() {
            let codec = if codec == Codec::LZO { "LZO" } else { "Brotli" };
            let name = column.column_path().string();
            return Err(unsupported(format!(
                "the column {name} is compressed by {codec}, which is not read: write the file again with Snappy or zstd"
            )));
        }
    }
    Ok(())
}

/// Chooses the number of rows in a batch by the size of the longest rows.
fn rows_of_batch(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter();
    let of_row = |group: &RowGroupMetaData| group.total_byte_size().max(0) / group.num_rows().max(1);
    let most = groups.map(of_row).max().unwrap_or(0);
    (BATCH_BYTES / (most as u64).max(1)).clamp(1, MOST_ROWS) as usize
}

/// The batches of a file. It is an error if it has not as many rows as its metadata says.
struct PageBatches {
    reader: ParquetRecordBatchReader,
    left: i64,
}

impl Iterator for PageBatches {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<io::Result<RecordBatch>> {
        match self.reader.next() {
            Some(Ok(batch)) => {
                self.left -= batch.num_rows() as i64;
                Some(Ok(batch))
            }
            Some(Err(error)) => Some(Err(arrow_error(error))),
            None if self.left != 0 => {
                self.left = 0;
                Some(Err(damaged("its number of rows differs from the number that it declares")))
            }
            None => None,
        }
    }
}

/// A file whose pages are read when they are needed, including those compressed with zstd.
struct PagedFile {
    file: ColumnFile,
    metadata: ParquetMetaData,
}

impl FileReader for PagedFile {
    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    fn num_row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    fn get_row_group(&self, index: usize) -> ParquetResult<Box<dyn RowGroupReader + '_>> {
        Ok(Box::new(PagedGroup { file: &self.file, metadata: self.metadata.row_group(index) }))
    }

    fn get_row_iter(&self, _: Option<Type>) -> ParquetResult<RowIter<'_>> {
        Err(ParquetError::NYI("rows one by one".to_owned()))
    }
}

/// A group of rows of such a file.
struct PagedGroup<'f> {
    file: &'f ColumnFile,
    metadata: &'f RowGroupMetaData,
}

impl RowGroupReader for PagedGroup<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.metadata
    }

    fn num_columns(&self) -> usize {
        self.metadata.num_columns()
    }

    fn get_column_page_reader(&self, index: usize) -> ParquetResult<Box<dyn PageReader>> {
        let (column, rows) = (self.metadata.column(index), usize::try_from(self.metadata.num_rows())?);
        let file = Arc::new(self.file.clone());
        if !matches!(column.compression(), Codec::ZSTD(_)) {
            return Ok(Box::new(SerializedPageReader::new(file, column, rows, None)?));
        }
        let packed = column.clone().into_builder().set_compression(Codec::UNCOMPRESSED).build()?;
        let pages = SerializedPageReader::new(file, &packed, rows, None)?;
        Ok(Box::new(ZstdPages { pages, most: u64::try_from(column.uncompressed_size())? }))
    }

    fn get_column_bloom_filter(&self, _: usize) -> Option<&Sbbf> {
        None
    }

    fn get_row_iter(&self, _: Option<Type>) -> ParquetResult<RowIter<'_>> {
        Err(ParquetError::NYI("rows one by one".to_owned()))
    }
}

/// Decompresses the pages of a column with zstd. The parquet crate would need the C library for that, so it
/// reads the pages as if they were not compressed, and they are decompressed here.
struct ZstdPages {
    pages: SerializedPageReader<ColumnFile>,
    /// The total size of all pages after decompression.
    most: u64,
}

impl ZstdPages {
    fn unpack(&self, packed: &Bytes, plain: usize) -> ParquetResult<Bytes> {
        let (Some(levels), Some(values)) = (packed.get(..plain), packed.get(plain..)) else {
            return Err(ParquetError::EOF("a page is shorter than its levels".to_owned()));
        };
        let mut unpacked = levels.to_vec();
        // A page without values (all are missing) has no compressed data.
        if !values.is_empty() {
            let values = decode(Packing::Zstd, Cursor::new(packed.slice(plain..)))?;
            values.take(self.most.saturating_add(1)).read_to_end(&mut unpacked)?;
        }
        match unpacked.len() as u64 <= self.most {
            true => Ok(unpacked.into()),
            false => Err(ParquetError::General("a page is longer than its column".to_owned())),
        }
    }
}

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = self.unpack(buf, 0)?,
            // The levels before the values are never compressed.
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                if *is_compressed {
                    *buf = self.unpack(buf, (*def_levels_byte_len + *rep_levels_byte_len) as usize)?;
                }
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for ZstdPages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<ParquetResult<Page>> {
        self.get_next_page().transpose()
    }
}

impl Length for ColumnFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for ColumnFile {
    type T = io::BufReader<FilePart>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(self.from(start))
    }

    fn get_bytes(&self, start: u64, len: usize) -> ParquetResult<Bytes> {
        Ok(self.bytes(start, len)?.into())
    }
}

/// Turns an error of the parquet crate into an I/O error: the one that it wraps, or else one about damaged data.
pub(super) fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) if inner.is::<io::Error>() => {
            *inner.downcast().expect("it was looked at just now")
        }
        error => damaged(error.to_string()),
    }
}
