//! Values that requests give by their names.

use std::fmt::Display;
use std::str::FromStr;

use gridmill_core::grid::Symmetry;
use serde::{Deserialize, Deserializer, de::Error};

/// A value that is given by its name, as options of the command line have it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Named<T>(pub(super) T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        String::deserialize(deserializer)?.parse().map(Named).map_err(D::Error::custom)
    }
}

/// A symmetry that is wished for: by its name, or `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SymmetryWish(pub(super) Option<Symmetry>);

impl FromStr for SymmetryWish {
    type Err = String;

    fn from_str(text: &str) -> Result<SymmetryWish, String> {
        let found = Symmetry::ALL.into_iter().find(|symmetry| symmetry.name() == text);
        if found.is_none() && text != "none" {
            let names = Symmetry::ALL.map(Symmetry::name).join(", ");
            return Err(format!("there is no symmetry {text:?}; the symmetries are none, {names}"));
        }
        Ok(SymmetryWish(found))
    }
}
