//! `gridmill completions` and `gridmill man`: made from the definitions of the commands.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::StandardOutput;

use crate::cli::{End, program};

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  gridmill completions bash > ~/.local/share/bash-completion/completions/gridmill"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program(), "gridmill", &mut script);
        print(&script)
    }
}

/// Print the manual page, of gridmill or of one command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  gridmill man | man -l -\n  gridmill man solve > gridmill-solve.1")]
pub(crate) struct Man {
    /// The command
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut root = program();
        root.build();
        let page = match &self.command {
            None => root,
            Some(name) => {
                let unknown = || Error::other(format!("there is no command '{name}' (gridmill --help)"));
                let command = root.find_subcommand(name).ok_or_else(unknown)?;
                let full_name = format!("gridmill-{name}");
                command.clone().name(full_name)
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text).map_err(|error| ErrorKind::Write { error })?;
        print(&text)
    }
}

fn print(bytes: &[u8]) -> Result<End, Error> {
    StandardOutput.write_all(bytes).map_err(|error| ErrorKind::Write { error })?;
    Ok(End::Good)
}
