//! Writes the steps of a record: as text for people, or as an object for programs. The command and the
//! Python package both use this, so that they write the same.

use gridmill_core::jobs::Steps;
use gridmill_data::output::{JsonLead, put_text};
use gridmill_data::text::{PuzzleText, Record};

use super::{ExplanationText, explanation_json, hint_json, trace_json, trace_text};

/// How the steps of a record are written.
#[derive(Clone, Copy, Debug)]
pub struct StepsForm {
    /// The look of texts. Objects only use its scale.
    pub text: ExplanationText,
    /// For a hint, which is only the first step: whether to describe every deduction with the same rating.
    /// `None` for explanations.
    pub hint: Option<bool>,
}

impl StepsForm {
    /// Describes the steps of a puzzle in words.
    #[must_use]
    pub fn words(&self, puzzle: &impl PuzzleText, steps: &Steps) -> String {
        match (steps, self.hint) {
            (Steps::Traced(traced), _) => trace_text(puzzle, traced),
            (Steps::Explained(explained), Some(all)) => self.text.hint(explained, all),
            (Steps::Explained(explained), None) => self.text.explanation(explained),
        }
    }

    fn put_json(&self, puzzle: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        match (steps, self.hint) {
            (Steps::Traced(traced), _) => trace_json(puzzle.shape(), traced, out),
            (Steps::Explained(explained), Some(all)) => hint_json(explained, self.text.scale, all, out),
            (Steps::Explained(explained), None) => explanation_json(explained, self.text.scale, out),
        }
    }
}

/// Writes a JSON object for each record: the data of the input, the status, and the steps.
#[derive(Clone, Debug)]
pub struct StepsObjects {
    form: StepsForm,
    lead: JsonLead,
    status: Vec<u8>,
    steps: Vec<u8>,
}

impl StepsObjects {
    /// Makes a writer of objects that begin with `lead` and have the steps under `key`.
    #[must_use]
    pub fn new(form: StepsForm, lead: JsonLead, key: &str) -> StepsObjects {
        let [status, steps] = ["status", key].map(|name| lead.new_key(name));
        StepsObjects { form, lead, status, steps }
    }

    /// Appends the object of a record on one line. `text` is the text of the record. A record may have no
    /// puzzle, and a puzzle may have no steps; then the steps are `null`.
    pub fn write<P: PuzzleText>(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<&P>,
        (status, steps): (&str, Option<&Steps>),
        out: &mut Vec<u8>,
    ) {
        self.lead.write(record, text, puzzle, out);
        out.extend_from_slice(&self.status);
        put_text(status.as_bytes(), out);
        out.extend_from_slice(&self.steps);
        match (puzzle, steps) {
            (Some(puzzle), Some(steps)) => self.form.put_json(puzzle, steps, out),
            _ => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b"}\n");
    }
}
