//! Tests of the collection, without a server.

mod changes;
mod helpers;
mod position;
mod reading;
