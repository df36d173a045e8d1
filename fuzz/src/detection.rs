//! The conclusions that can be drawn from the beginning of a file.

use gridmill_core::grid::{Puzzle, Shape};
use gridmill_data::text::{Batch, FormatError, FormatOptions, Layout};

use super::choices::{AnyPuzzle, Choices, ForKind, for_kind, options, stretched};

/// Detects the layout of a text, and reads the text with it. The input consists of option bytes, two bytes
/// for the length of the beginning, and the text. The check fails unless:
///
/// - Records begin within the text, the puzzle column is one of the columns, and there is a name for each
///   column.
/// - A text with a detected layout can be read.
/// - If the beginning decides the layout, it gives the same layout or error as the whole text. There is one
///   exception: later objects may have another key that could hold the puzzles, so that the whole text is
///   refused.
/// - A refusal has a message.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let options = options(&mut choices);
    let head = 256 * choices.below(256) + choices.below(256);
    let text = stretched(choices.rest());
    let found = options.layout(&text, false).map(|layout| layout.expect("there is no more text to ask for"));
    match &found {
        Ok(layout) => {
            assert_sound(layout, &text);
            for_kind(layout, Read { layout, body: &text[layout.body_start..] });
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let classic =
        FormatOptions { format: options.format, shape: Some(Shape::CLASSIC), ..FormatOptions::default() };
    if options.puzzle_column.is_none()
        && let Ok(layout) = classic.layout(&text, false)
    {
        let layout = layout.expect("the alphabet of classic puzzles is known");
        assert!(layout.body_start <= text.len());
        layout.format::<Puzzle>().read(&text[layout.body_start..], &mut Batch::default());
    }
    assert_decided_is_certain(&options, &text[..head.min(text.len())], &found);
}

fn assert_sound(layout: &Layout, text: &[u8]) {
    assert!(layout.body_start <= text.len());
    if let Some(header) = &layout.header {
        assert!(header.column < header.width);
        assert_eq!(header.names().len(), header.width);
    }
    assert!(!layout.format_name().is_empty());
    assert_eq!(layout.difference(layout), None);
}

struct Read<'a> {
    layout: &'a Layout,
    body: &'a [u8],
}

impl ForKind for Read<'_> {
    fn run<P: AnyPuzzle>(self) {
        let mut batch = Batch::<P>::default();
        self.layout.format().read(self.body, &mut batch);
        let readable = batch.records.iter().filter(|record| record.fault.is_none()).count();
        assert_eq!(readable, batch.puzzles.len());
        if let Some(shape) = self.layout.shape {
            assert!(batch.puzzles.iter().all(|puzzle| puzzle.shape() == shape));
        }
    }
}

/// Checks that the beginning really decides the layout, if the detection says so.
fn assert_decided_is_certain(options: &FormatOptions, head: &[u8], whole: &Result<Layout, FormatError>) {
    if !options.is_decided(head) {
        return;
    }
    let decided = options.layout(head, true);
    match (&decided, whole) {
        (Ok(Some(decided)), Ok(whole)) => {
            assert_eq!(decided.difference(whole), None, "{decided:?} {whole:?}");
            assert_eq!((decided.body_start, decided.kind()), (whole.body_start, whole.kind()));
        }
        (Ok(None), _) => panic!("decided, and more is wanted"),
        (Err(_), Err(_)) => {}
        (Ok(Some(decided)), Err(FormatError::SeveralPuzzleColumns { .. }))
            if decided.json_keys().is_some() => {}
        (decided, whole) => panic!("{decided:?} of the beginning, {whole:?} of all"),
    }
}
