#![doc = include_str!("../README.md")]
#![doc = include_str!("README.md")]

/// The refusal of a request that makes no sense, with a message like that of [`format!`].
macro_rules! bad {
    ($($words:tt)*) => { $crate::reply::Refusal::bad(format!($($words)*)) };
}

mod collection;
mod questions;
mod reply;
mod routes;
mod server;

pub use collection::{Collection, CollectionFile, Wording};
pub use server::Server;
