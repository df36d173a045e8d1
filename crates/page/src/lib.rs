#![doc = include_str!("../README.md")]
#![doc = include_str!("README.md")]

mod collection;
mod questions;
mod reply;
mod routes;
mod server;

pub use collection::{Collection, CollectionFile, Wording};
pub use server::Server;
