#![doc = include_str!("../README.md")]
#![doc = include_str!("README.md")]

mod assets;
mod collection;
mod connection;
mod gate;
mod linger;
mod listener;
mod questions;
mod reply;
mod routes;
mod task;

pub use collection::{Collection, CollectionFile, Wording};
pub use listener::Server;
