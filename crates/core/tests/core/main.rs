//! Tests the engines, techniques and generators, each against a slow oracle or its definition.

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod budgets;
mod engines;
mod jobs;
mod lists;
mod lockstep;
mod logic;
mod pencilmarks;
mod shapes;
