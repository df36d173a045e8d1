//! Finds out whether standard input or output was closed before the program began. This must happen before
//! `main`, because the runtime of Rust opens /dev/null in place of closed streams: rows would vanish without
//! an error, and the input would seem empty.
#![allow(unsafe_code)]

use gridmill_data::output::mark_stdout_closed;
use gridmill_data::pipeline::mark_stdin_closed;
use rustix::io::fcntl_getfd;
use rustix::stdio::{stdin, stdout};

ctor::declarative::ctor! {
    // SAFETY: it makes two system calls and two stores, and none of them needs the runtime.
    #[ctor(unsafe)]
    fn look() {
        if fcntl_getfd(stdin()).is_err() {
            mark_stdin_closed();
        }
        if fcntl_getfd(stdout()).is_err() {
            mark_stdout_closed();
        }
    }
}
