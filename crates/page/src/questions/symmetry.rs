//! Symmetries in requests.

use std::str::FromStr;

use gridmill_core::grid::Symmetry;

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
