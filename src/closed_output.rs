//! Finds out whether standard output was closed before the program began: the runtime of Rust opens /dev/null in its place
//! before `main`, and rows would vanish without an error.
#![allow(unsafe_code)]

use gridmill_data::output::note_closed_standard_output;

ctor::declarative::ctor! {
    // SAFETY: it makes a system call and a store, and neither needs the runtime.
    #[ctor(unsafe)]
    fn look() {
        if rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err() {
            note_closed_standard_output();
        }
    }
}
