//! A file for each family of techniques: their drawings, their ratings, their sources.

pub(crate) mod singles;
pub(crate) mod strong_links;
pub(crate) mod subsets;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod unique;
pub(crate) mod wings;
