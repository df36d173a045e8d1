//! The steps of a record: as text for people, or as an object for programs. The command and the Python package write them here.

use gridmill_core::jobs::Steps;
use gridmill_data::output::{JsonLead, put_text};
use gridmill_data::text::{PuzzleText, Record};

use super::{ExplanationText, explanation_json, hint_json, trace_json, trace_text};

/// How the steps of a record are written.
#[derive(Clone, Copy, Debug)]
pub struct StepsForm {
    /// How texts look. Objects have its scale.
    pub text: ExplanationText,
    /// For a hint, which is the first step alone: whether every deduction of its rating is told. `None` for explanations.
    pub hint: Option<bool>,
}

impl StepsForm {
    /// Returns the steps of a puzzle in words.
    #[must_use]
    pub fn words(&self, puzzle: &impl PuzzleText, steps: &Steps) -> String {
        match (steps, self.hint) {
            (Steps::Traced(traced), _) => trace_text(puzzle, traced),
            (Steps::Explained(told), Some(all)) => self.text.hint(told, all),
            (Steps::Explained(told), None) => self.text.explanation(told),
        }
    }

    fn put_json(&self, puzzle: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        match (steps, self.hint) {
            (Steps::Traced(traced), _) => trace_json(puzzle.shape(), traced, out),
            (Steps::Explained(told), Some(all)) => hint_json(told, self.text.scale, all, out),
            (Steps::Explained(told), None) => explanation_json(told, self.text.scale, out),
        }
    }
}

/// Writes objects of records: what the input has beside the puzzle, the status, and the steps.
#[derive(Clone, Debug)]
pub struct StepsObjects {
    form: StepsForm,
    lead: JsonLead,
    status: Vec<u8>,
    steps: Vec<u8>,
}

impl StepsObjects {
    /// Returns a writer of objects that begin with `lead`, and have the steps under a key.
    #[must_use]
    pub fn new(form: StepsForm, lead: JsonLead, key: &str) -> StepsObjects {
        let [status, steps] = ["status", key].map(|name| lead.new_key(name));
        StepsObjects { form, lead, status, steps }
    }

    /// Appends the object of a record, in a line. `text` is that of the record. A record may have no puzzle, and a puzzle
    /// no steps.
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
