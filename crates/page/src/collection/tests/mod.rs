//! Tests of the collection, without a server.

mod answers;
mod changes;
mod finding;
mod helpers;
mod opening;
mod reading;
mod views;
