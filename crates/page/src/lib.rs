#![doc = include_str!("../README.md")]
#![doc = include_str!("README.md")]

mod assets;
mod body;
mod collection;
mod connection;
mod gate;
mod limits;
mod linger;
mod listener;
mod questions;
mod refusal;
mod reply;
mod routes;
mod task;

pub use collection::{Collection, CollectionFile, Wording};
pub use listener::Server;
