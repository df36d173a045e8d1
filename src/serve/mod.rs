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

pub(crate) use collection::{Collection, CollectionFile, Wording};
pub(crate) use listener::Server;
