//! The form that asks for a download.

use serde::de::DeserializeOwned;

use crate::collection::filter::Filter;
use crate::collection::view::Sort;
use crate::refusal::Refusal;

/// A request for a download.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) token: String,
    pub(super) filter: Filter,
    pub(super) sort: Sort,
    pub(super) form: Form,
}

/// How the rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they stand in their files.
    Records,
    /// As a table of what is known of them.
    Csv,
}

impl Export {
    /// Reads the fields of the form.
    pub(crate) fn parse(body: &[u8]) -> Result<Export, Refusal> {
        let names = ["token", "filter", "sort", "form"];
        let mut values = [const { None }; 4];
        for (name, value) in form_urlencoded::parse(body) {
            let Some(place) = names.iter().position(|known| *known == name) else {
                return Err(Refusal::bad(format!("the form has an unknown field {name:?}")));
            };
            if values[place].replace(value.into_owned()).is_some() {
                return Err(Refusal::bad(format!("the form has the field {name:?} twice")));
            }
        }
        let [token, filter, sort, form] = values.map(Option::unwrap_or_default);
        let form = match &form[..] {
            "records" => Form::Records,
            "csv" => Form::Csv,
            _ => return Err(Refusal::bad("form: records or csv is needed")),
        };
        Ok(Export { token, filter: json("filter", &filter)?, sort: json("sort", &sort)?, form })
    }
}

/// Reads a field of JSON, which may be empty.
fn json<T: DeserializeOwned + Default>(name: &str, text: &str) -> Result<T, Refusal> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text).map_err(|error| Refusal::bad(format!("{name}: {error}")))
}
