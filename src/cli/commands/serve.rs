//! `gridmill serve`: the page, for a browser on this machine.

use std::path::PathBuf;

use clap::Args;

use crate::cli::End;
use crate::cli::support::command_error::CommandError;
use crate::cli::support::interrupt::stop_on_interrupt;
use crate::error::Error;
use crate::output::eprint_message;
use crate::pipeline::Input;
use crate::serve::{Collection, Server};
use crate::text::FormatOptions;

const EXAMPLES: &str = "\
Examples:
  gridmill serve --open
      a grid that counts its solutions as you type
  gridmill serve puzzles.txt
      a collection of any size, as a table and as pictures

The address is printed. Only programs on this machine reach it, and Ctrl-C ends it.

Exit codes: 130 ended by Ctrl-C, 2 the job could not be done.";

/// Show puzzles and collections in a browser
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Files of puzzles
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8181)]
    port: u16,
}

impl Serve {
    pub(crate) fn run(self) -> Result<End, Error> {
        let stop = stop_on_interrupt();
        let inputs = self.files.iter().map(|path| Input::open(Some(path), false));
        let collection =
            Collection::open(inputs.collect::<Result<_, _>>()?, &FormatOptions::default(), &stop)?;
        let failed = |error| Error::from(CommandError::Listen { port: self.port, error });
        let server = Server::bind(self.port, collection).map_err(failed)?;
        let address = server.address().map_err(failed)?;
        eprint_message(format_args!("gridmill: the page is at http://{address}/ (Ctrl-C ends it)\n"));
        if self.open
            && let Err(error) = open::that_detached(format!("http://{address}/"))
        {
            eprint_message(format_args!("gridmill: no browser could be opened: {error}\n"));
        }
        server.run(&stop).map_err(failed)?;
        Ok(End::Interrupted)
    }
}
