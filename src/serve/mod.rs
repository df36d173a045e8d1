#![doc = include_str!("README.md")]

mod assets;
mod body;
mod collection;
mod gate;
mod listener;
mod questions;
mod refusal;
mod reply;
mod routes;
mod task;

pub(crate) use collection::Collection;
pub(crate) use listener::Server;
