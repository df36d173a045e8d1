//! The program that shows the page.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// `gridmill serve` on a port of its own. Ends when it is dropped.
pub struct Server {
    process: Child,
    pub address: String,
    // Open for as long as the program may write to it.
    _messages: BufReader<ChildStderr>,
}

impl Server {
    /// Starts it with these files.
    pub fn start(files: &[&Path]) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gridmill"))
            .args(["serve", "--port", "0"])
            .args(files)
            .env_remove("GRIDMILL_THREADS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(process.stderr.take().unwrap());
        let mut said = String::new();
        while messages.read_line(&mut said).unwrap() > 0 {
            let line = said.lines().last().unwrap_or_default();
            if let Some(address) = line.split_whitespace().find(|word| word.starts_with("http://")) {
                let address = address.to_owned();
                return Server { process, address, _messages: messages };
            }
        }
        panic!("gridmill serve did not begin:\n{said}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
