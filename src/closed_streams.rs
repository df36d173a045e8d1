//! Finds out whether standard input or output was closed before the program began: the runtime of Rust opens /dev/null in its
//! place before `main`, so that rows would vanish without an error, and puzzles seem to be none.
#![allow(unsafe_code)]

use gridmill_data::output::note_closed_standard_output;
use gridmill_data::pipeline::note_closed_standard_input;
use rustix::io::fcntl_getfd;
use rustix::stdio::{stdin, stdout};

ctor::declarative::ctor! {
    // SAFETY: it makes two system calls and two stores, and none of them needs the runtime.
    #[ctor(unsafe)]
    fn look() {
        if fcntl_getfd(stdin()).is_err() {
            note_closed_standard_input();
        }
        if fcntl_getfd(stdout()).is_err() {
            note_closed_standard_output();
        }
    }
}
