//! Tests the engines, techniques and generators, each against a slow oracle or its definition.

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod backends;
mod engines;
mod jobs;
mod logic;
mod shapes;
