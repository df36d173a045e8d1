//! One file a technique, or a few that share their work: its drawing, its rating, its source.

pub(crate) mod aligned;
pub(crate) mod bug;
mod deadly;
pub(crate) mod fish;
pub(crate) mod locked;
pub(crate) mod singles;
pub(crate) mod strong_links;
pub(crate) mod subsets;
#[cfg(test)]
pub(crate) mod trial;
pub(crate) mod unique;
pub(crate) mod wings;
