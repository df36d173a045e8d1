//! A file read as a stream that ends when the run is stopped.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use super::input::PATIENCE;
use super::ready;

/// Reads a file, and comes to its end when `stop` becomes true, however long a pipe is silent.
#[derive(Debug)]
pub(crate) struct Patient<'a> {
    pub(crate) file: &'a File,
    pub(crate) stop: &'a AtomicBool,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file;
        while !self.stop.load(Ordering::Relaxed) {
            if ready::wait(file, PATIENCE) {
                return file.read(buffer);
            }
        }
        Ok(0)
    }
}
