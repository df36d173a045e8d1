//! The server of the page.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// `gridmill serve` on a free port. It ends when this is dropped.
pub struct Server {
    process: Child,
    pub address: String,
    // Kept open so that the program can write its messages.
    messages: BufReader<ChildStderr>,
}

impl Server {
    /// Starts the server with these files, and waits until it listens.
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
        let messages = BufReader::new(process.stderr.take().unwrap());
        let mut server = Server { process, address: String::new(), messages };
        server.address = server.read_address();
        server
    }

    /// Reads the address from the first messages of the program.
    fn read_address(&mut self) -> String {
        let mut output = String::new();
        while self.messages.read_line(&mut output).unwrap() > 0 {
            if let Some(address) = output.split_whitespace().find(|word| word.starts_with("http://")) {
                return address.to_owned();
            }
        }
        panic!("gridmill serve did not start:\n{output}");
    }

    /// Ends the program at once.
    pub fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
