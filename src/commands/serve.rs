//! `gridmill serve`: shows a page in a browser on this machine.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_data::error::{Error, print_panics_at_once};
use gridmill_page::{Collection, CollectionFile, Server, Wording};

use crate::cli::End;
use crate::support::command_error::{fault_advice, message, report};
use crate::support::inputs::{check_names, open_input};
use crate::support::options::file_name;
use crate::support::outputs::stop_on_interrupt;
use crate::support::reading::{ReadingArgs, options_for_argument};

const EXAMPLES: &str = "\
Examples:
  gridmill serve --open
      a grid to type in: counts its solutions at every key, and shows candidates, ratings and steps
  gridmill serve puzzles.txt.gz train.csv --open
      collections of any size, as pictures and as a table that you can sort and filter
  gridmill serve --port 0
      on any free port

The server prints its address on standard error and runs until you press Ctrl-C. It never writes to
the files.

The server listens on 127.0.0.1 only, so that only programs on this machine can reach the page,
including those of its other users. It does not answer pages of other sites, loads nothing from
elsewhere, and reads only the files that you name or open in the page. For the files of a machine
that you reach by ssh, run gridmill there, and here ssh -L 8181:127.0.0.1:8181 HOST, with the same
port on both sides.

Exit codes: 2 the job could not be done, 130 ended by Ctrl-C (the second one ends it at once).";

/// Show puzzles and collections in a browser
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Files of puzzles; more can be opened in the page
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Port to listen on; 0 for any free one
    #[arg(long, value_name = "PORT", default_value_t = 8181)]
    port: u16,
}

impl Serve {
    pub(crate) fn run(self) -> Result<End, Error> {
        let stop = stop_on_interrupt();
        check_names(&self.files)?;
        let failed = |error: io::Error| {
            let port = self.port;
            Error::other(format!(
                "can't listen on port {port} of 127.0.0.1: {error}; choose another one with --port, or --port 0 for any free one"
            ))
        };
        // The port is taken first, because opening the files may take a while.
        let listener = Server::listen(self.port).map_err(failed)?;
        if !self.files.is_empty() {
            allow_many_files();
        }
        let wording = Wording { explain: message, advice: fault_advice };
        let collection = Collection::open(self.collection_files(), wording, &stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(End::Interrupted);
        }
        let server = Server::new(listener, collection).map_err(failed)?;
        let address = server.address().map_err(failed)?;
        report(format_args!("the page is at http://{address}/ (Ctrl-C ends it)"));
        if self.open {
            open_browser(format!("http://{address}/"));
        }
        print_panics_at_once();
        server.run(&stop).map_err(failed)?;
        Ok(End::Interrupted)
    }

    /// The files of the collection. The iterator opens each when it reaches it. All have the same options. No
    /// file is mapped, because files may change while they are shown.
    fn collection_files(&self) -> impl ExactSizeIterator<Item = CollectionFile> {
        let file = |path: &PathBuf| {
            let options = options_for_argument(&self.files, self.reading.options());
            let path = file_name(Some(path)).map(Path::to_owned);
            CollectionFile {
                input: open_input(path.as_deref().unwrap_or(Path::new("-")), false),
                path,
                options,
            }
        };
        self.files.iter().map(file)
    }
}

/// Raises the limit of open files as far as the system allows, because the files of a collection stay open.
#[cfg(unix)]
fn allow_many_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// The limit to try if the maximum is refused. macOS reports no maximum, but grants no
    /// more than this.
    const MANY: u64 = 10_240;
    let limit = getrlimit(Resource::Nofile);
    let allow = |current| setrlimit(Resource::Nofile, Rlimit { current, maximum: limit.maximum });
    let is_more = limit.current.is_some_and(|current| current < MANY);
    if allow(limit.maximum).is_err() && is_more {
        // If the limit stays too low, the page shows which files could not be opened.
        let _ = allow(Some(MANY));
    }
}

/// Does nothing, because this system has no such limit.
#[cfg(not(unix))]
fn allow_many_files() {}

/// Opens the page in a browser. This uses a thread of its own, because starting a browser takes a while.
fn open_browser(address: String) {
    let start = move || {
        if let Err(error) = open::that_detached(&address) {
            report(format_args!("no browser could be opened ({error}): go to {address}"));
        }
    };
    if let Err(error) = std::thread::Builder::new().spawn(start) {
        report(format_args!("no browser could be opened: {error}"));
    }
}
