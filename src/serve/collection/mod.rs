//! The collection: the files of the command line.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;

use crate::error::Error;
use crate::pipeline::Input;
use crate::serve::refusal::Refusal;
use crate::serve::reply::Reply;
use crate::text::FormatOptions;

/// The files of the command line, and what is known of their records.
#[derive(Debug)]
pub(crate) struct Collection {}

#[derive(Debug, Deserialize)]
pub(super) struct Rows {}

#[derive(Debug, Deserialize)]
pub(super) struct Pictures {}

#[derive(Debug, Deserialize)]
pub(super) struct OneRecord {}

#[derive(Debug, Deserialize)]
pub(super) struct Rate {}

#[derive(Debug)]
pub(super) struct Export {
    pub(super) token: String,
}

impl Export {
    pub(super) fn parse(_: &[u8]) -> Result<Export, Refusal> {
        Ok(Export { token: String::new() })
    }
}

impl Collection {
    /// Opens files, and begins to index and solve them in threads that end when `stop` becomes true.
    ///
    /// # Errors
    ///
    /// Where none can be read.
    pub(crate) fn open(
        _: Vec<Input>,
        _: &FormatOptions,
        _: &Arc<AtomicBool>,
    ) -> Result<Arc<Collection>, Error> {
        Ok(Arc::new(Collection {}))
    }

    pub(super) fn state(&self) {}

    pub(super) fn rows(&self, _: &Rows, _: &AtomicBool) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }

    pub(super) fn pictures(&self, _: &Pictures, _: &AtomicBool) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }

    pub(super) fn record(&self, _: &OneRecord) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }

    pub(super) fn rate(&self, _: &Rate) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }

    pub(super) fn export_name(&self, _: &Export) -> (String, &'static str) {
        ("records.txt".to_owned(), "text/plain; charset=utf-8")
    }

    pub(super) fn export(&self, _: &Export, _: &Reply) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }
}
