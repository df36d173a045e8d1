//! How the records of an input are written, from its beginning.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Input;
use crate::error::Error;
use crate::text::{FormatOptions, HEAD_BYTES, Layout};

/// How much of a stream is read to find out its alphabet.
const SURVEY_BYTES: usize = 1 << 20;

impl Input {
    /// Finds out how the records are written, by what the user says and what the beginning looks like, and notes where
    /// the first one begins. `None` if the run is stopped before that. An input is asked once, before it is run.
    ///
    /// 64 KiB are enough for most; where the digits of large puzzles stay open, up to 1 MiB of a stream is read, and
    /// all of a text in memory.
    ///
    /// # Errors
    ///
    /// Where reading fails, or as [`FormatOptions::layout`] says.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use gridmill_data::pipeline::Input;
    /// use gridmill_data::text::FormatOptions;
    ///
    /// let mut input = Input::from_bytes("made here", b"id,puzzle\n1,1.....3..4.....2\n");
    /// let layout = input.detect(&FormatOptions::default(), &AtomicBool::new(false))?.unwrap();
    /// assert_eq!((layout.format_name(), input.preamble()), ("csv", &b"id,puzzle\n"[..]));
    /// # Ok::<(), gridmill_data::Error>(())
    /// ```
    pub fn detect(&mut self, options: &FormatOptions, stop: &AtomicBool) -> Result<Option<Layout>, Error> {
        let most = if self.is_whole() { usize::MAX } else { SURVEY_BYTES };
        let mut want = HEAD_BYTES;
        loop {
            let head = self.head(want, &|head| options.is_decided(head), stop)?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let more = head.len() == want && want < most;
            if let Some(layout) = options.layout(&head, more)? {
                let preamble = head[..layout.body].to_vec();
                self.set_preamble(preamble);
                return Ok(Some(layout));
            }
            want = want.saturating_mul(16).min(most);
        }
    }
}
