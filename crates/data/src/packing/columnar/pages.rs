//! Reads Parquet: the pages of columns, batch by batch.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
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

use super::messages::arrow_error;
use super::read::{Batches, ColumnFile, FilePart, damaged, unsupported};
use crate::packing::{Compression, decode};

/// The maximal number of rows in a batch.
const MOST_ROWS: u64 = 8192;

/// About how many bytes a batch may have, because rows of other data may be long, e.g. images.
const BATCH_BYTES: u64 = 32 << 20;

/// The size of the shortest valid file.
const LEAST_BYTES: u64 = 12;

/// Opens a file.
pub(super) fn open(file: &ColumnFile) -> io::Result<(SchemaRef, Batches)> {
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
                Some(Err(damaged("it has another number of rows than it says")))
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
            let values = decode(Compression::Zstd, Cursor::new(packed.slice(plain..)))?;
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

/// Turns an error of the parquet crate into one of the system.
pub(super) fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) if inner.is::<io::Error>() => {
            *inner.downcast().expect("it was looked at just now")
        }
        error => damaged(error.to_string()),
    }
}
