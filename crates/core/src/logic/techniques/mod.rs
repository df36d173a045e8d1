//! The techniques up to aligned exclusions, one file per family. Each file starts with drawings, ratings and
//! sources.

pub(crate) mod singles;
pub(crate) mod strong_links;
pub(crate) mod subsets;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod unique;
pub(crate) mod wings;
