//! One file a technique, or a few that share their work: its drawing, its rating, its source.

pub(crate) mod aligned_pair;
pub(crate) mod aligned_triplet;
pub(crate) mod bug;
pub(crate) mod fish;
pub(crate) mod large_wings;
pub(crate) mod locked;
mod one_of;
pub(crate) mod singles;
pub(crate) mod strong_links;
pub(crate) mod subsets;
#[cfg(test)]
pub(crate) mod trial;
pub(crate) mod unique_loops;
mod unique_types;
pub(crate) mod xy_wing;
