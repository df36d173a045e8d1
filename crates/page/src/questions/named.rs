//! Values that requests give by their names.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de::Error};

/// A value that is given by its name, as options of the command line have it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Named<T>(pub(super) T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        String::deserialize(deserializer)?.parse().map(Named).map_err(D::Error::custom)
    }
}
