//! Questions about one puzzle.

mod analyse;
#[cfg(test)]
mod asking;
mod generate;
mod grid;
mod minimize;
mod named;
mod read;
mod solutions;
mod symmetry;
mod ticks;
mod write;

pub(super) use analyse::Analyse;
pub(super) use generate::Generate;
pub(super) use grid::PageGrid;
pub(super) use minimize::Minimize;
pub(super) use read::Read;
pub(super) use solutions::Solutions;
pub(super) use write::Write;
