//! The buckets of records, kept in a temporary file from one reading of a collection to the next.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use gridmill_data::collection::Space;
use gridmill_data::error::Error;

/// Stands for a record without a key. No bucket has this number.
const KEYLESS: u32 = u32::MAX;

/// Writes the bucket of each record, in order. A record takes four bytes.
pub(crate) struct BucketWriter<'a> {
    space: &'a Space,
    file: BufWriter<File>,
}

/// Reads buckets in the order in which they were written.
pub(crate) struct BucketReader<'a> {
    space: &'a Space,
    file: BufReader<File>,
}

impl<'a> BucketWriter<'a> {
    /// Makes a file in the folder for temporary ones.
    pub(crate) fn new(space: &'a Space) -> Result<BucketWriter<'a>, Error> {
        let file = tempfile::tempfile_in(&space.folder).map_err(|error| space.failed(error))?;
        Ok(BucketWriter { space, file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Appends the bucket of a record; `None` if it has no key.
    pub(crate) fn push(&mut self, bucket: Option<u32>) -> Result<(), Error> {
        let written = self.file.write_all(&bucket.unwrap_or(KEYLESS).to_le_bytes());
        written.map_err(|error| self.space.failed(error).into())
    }

    /// Returns a reader of the buckets, at the first of them.
    pub(crate) fn into_reader(self) -> Result<BucketReader<'a>, Error> {
        let BucketWriter { space, file } = self;
        let mut file = file.into_inner().map_err(|error| space.failed(error.into_error()))?;
        file.rewind().map_err(|error| space.failed(error))?;
        Ok(BucketReader { space, file: BufReader::with_capacity(1 << 16, file) })
    }
}

impl BucketReader<'_> {
    /// Returns the bucket of the next record: `None` behind the last one, `Some(None)` for a record without a key.
    pub(crate) fn next(&mut self) -> Result<Option<Option<u32>>, Error> {
        let mut bucket = [0; 4];
        match self.file.read_exact(&mut bucket) {
            Ok(()) => Ok(Some(Some(u32::from_le_bytes(bucket)).filter(|&bucket| bucket != KEYLESS))),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(self.space.failed(error).into()),
        }
    }
}
