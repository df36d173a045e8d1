//! Tests of the collection, without a server.

mod answers;
mod changes;
mod helpers;
mod reading;
mod views;
