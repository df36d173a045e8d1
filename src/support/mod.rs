//! The parts that commands share, on shelves.

pub(super) mod command_error;
pub(super) mod inputs;
pub(super) mod options;
pub(super) mod outputs;
pub(super) mod reports;
pub(super) mod runs;
