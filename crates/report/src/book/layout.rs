//! The layout of a book: which puzzles are on which page, and every line and text of a page.

use std::ops::Range;

use super::font::{CAP_HEIGHT, Font};
use super::{Anchor, Book, BookPuzzle, Line, Page, Text, TextFont};

/// A millimetre in points.
const MM: f64 = 72.0 / 25.4;

/// The title of a book without one, for formats that need a title.
const TITLE: &str = "Sudoku";

/// The font size of a digit, and of a number of two digits, relative to its cell.
const DIGIT: f64 = 0.68;
const TWO_DIGITS: f64 = 0.54;

/// How grids are laid out. Lengths are in points, for A4.
#[derive(Debug)]
struct Style {
    /// The font size of the number above a grid.
    number: f64,
    /// The space between two grids.
    gap: f64,
    /// The least side of a cell, unless the user chooses the number of grids on a page.
    least_cell: f64,
    /// How many grids a page may have, the most first.
    counts: &'static [usize],
}

/// For puzzles. Their cells need space for a digit and for notes by hand.
const PUZZLES: Style = Style { number: 11.0, gap: 24.0, least_cell: 8.5 * MM, counts: &[9, 6, 4, 2, 1] };

/// For solutions, which are only read.
const SOLUTIONS: Style =
    Style { number: 7.5, gap: 15.0, least_cell: 4.0 * MM, counts: &[30, 20, 12, 9, 6, 4, 2, 1] };

/// The plan of a book: the puzzles on each page.
#[derive(Debug)]
pub(super) struct Plan<'b> {
    pub(super) book: &'b Book,
    /// The puzzles of all sections.
    puzzles: Vec<&'b BookPuzzle>,
    frame: PageFrame,
    of_puzzles: Slots,
    of_solutions: Slots,
    leaves: Vec<BookLeaf<'b>>,
}

/// A page of puzzles or of solutions.
#[derive(Debug)]
struct BookLeaf<'b> {
    heading: &'b str,
    is_solutions: bool,
    /// Whether it is the first page of a section or of the solutions.
    begins_part: bool,
    /// The indices of the puzzles, from 0.
    puzzles: Range<usize>,
}

/// A part of the book, as listed in the contents.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BookPart<'b> {
    pub(super) name: &'b str,
    /// The numbers of its puzzles, from 1.
    pub(super) numbers: (usize, usize),
    /// Its first page, from 0.
    pub(super) page: usize,
}

impl<'b> Plan<'b> {
    pub(super) fn new(book: &'b Book) -> Plan<'b> {
        let puzzles: Vec<_> = book.sections.iter().flat_map(|section| &section.puzzles).collect();
        let largest = puzzles.iter().map(|puzzle| puzzle.shape.side()).max().unwrap_or(1);
        let frame = PageFrame::new(book.paper.size());
        let of_puzzles = Slots::new(&frame, &PUZZLES, book.per_page, largest);
        let of_solutions = Slots::new(&frame, &SOLUTIONS, book.solutions_per_page, largest);
        let (mut leaves, mut end) = (Vec::new(), 0);
        for section in &book.sections {
            let numbers = end..end + section.puzzles.len();
            end = numbers.end;
            leaves.extend(split_leaves(&section.name, false, numbers, of_puzzles.count));
        }
        if book.solutions_per_page != Some(0) {
            leaves.extend(split_leaves(&book.solutions_heading, true, 0..end, of_solutions.count));
        }
        Plan { book, puzzles, frame, of_puzzles, of_solutions, leaves }
    }

    /// The title of the book, or a default one.
    pub(super) fn title(&self) -> &'b str {
        if self.book.title.is_empty() { TITLE } else { &self.book.title }
    }

    /// The height of a page.
    pub(super) fn height(&self) -> f64 {
        self.frame.paper.1
    }

    /// The number of pages.
    pub(super) fn pages(&self) -> usize {
        usize::from(self.book.has_cover) + self.leaves.len()
    }

    /// The parts of the book: its sections, and the solutions.
    pub(super) fn parts(&self) -> Vec<BookPart<'b>> {
        let mut parts: Vec<BookPart<'b>> = Vec::new();
        for (page, leaf) in (usize::from(self.book.has_cover)..).zip(&self.leaves) {
            let (first, last) = (leaf.puzzles.start + 1, leaf.puzzles.end);
            match parts.last_mut().filter(|_| !leaf.begins_part) {
                Some(part) => part.numbers.1 = last,
                None => parts.push(BookPart { name: leaf.heading, numbers: (first, last), page }),
            }
        }
        parts
    }

    /// Lays out a page; `index` counts from 0.
    pub(super) fn page(&self, index: usize) -> Page {
        let leaf = index.checked_sub(self.book.has_cover.into());
        leaf.map_or_else(|| self.cover(), |leaf| self.leaf(&self.leaves[leaf], index + 1))
    }

    /// Lays out the page with the title and the contents.
    fn cover(&self) -> Page {
        let (frame, mut page) = (&self.frame, Page::default());
        let (middle, height) = (frame.paper.0 / 2.0, frame.paper.1);
        let title = frame.bold(40.0).within(self.title(), frame.width);
        page.text((middle, 0.3 * height), Anchor::Middle, title, self.title());
        let (top, half) = (0.3 * height + 26.0 * frame.scale, 0.12 * frame.width);
        page.line((middle - half, top), (middle + half, top), 1.2);
        let parts = self.parts();
        // Lines get closer if there are many parts, so that the contents end above the lower margin.
        let room = frame.top + frame.height - 0.5 * height;
        let step = (24.0 * frame.scale).min(room / parts.len().max(1) as f64);
        let size = (13.0 * frame.scale).min(0.7 * step) / frame.scale;
        let [left, right] = [0.22, 0.78].map(|share| frame.left + share * frame.width);
        for (row, part) in parts.iter().enumerate() {
            let y = 0.5 * height + row as f64 * step;
            let (first, last) = part.numbers;
            let numbers = if first == last { first.to_string() } else { format!("{first}–{last}") };
            let name = frame.bold(size).within(part.name, 0.26 * frame.width);
            page.text((left, y), Anchor::Start, name, part.name);
            page.text((0.62 * (right - left) + left, y), Anchor::Middle, frame.grey(size), &numbers);
            page.text((right, y), Anchor::End, frame.regular(size), &(part.page + 1).to_string());
        }
        page
    }

    /// Lays out a page of puzzles or solutions, with its page number.
    fn leaf(&self, leaf: &BookLeaf<'_>, number: usize) -> Page {
        let (frame, mut page) = (&self.frame, Page::default());
        frame.put_head(leaf.heading, &self.book.title, &mut page);
        let slots = if leaf.is_solutions { &self.of_solutions } else { &self.of_puzzles };
        for (slot, index) in leaf.puzzles.clone().enumerate() {
            let (left, top) = slots.place(slot);
            let baseline = top - 0.5 * slots.number;
            let font = TextFont { size: slots.number, is_bold: true, is_grey: false };
            page.text((left, baseline), Anchor::Start, font, &(index + 1).to_string());
            page.grid(self.puzzles[index], leaf.is_solutions, (left, top), slots.side);
        }
        let foot = (frame.paper.0 / 2.0, frame.paper.1 - 0.62 * frame.left);
        page.text(foot, Anchor::Middle, frame.grey(9.0), &number.to_string());
        page
    }
}

/// Splits the puzzles of a part into pages of `count` puzzles.
fn split_leaves(
    heading: &str,
    is_solutions: bool,
    numbers: Range<usize>,
    count: usize,
) -> impl Iterator<Item = BookLeaf<'_>> {
    let Range { start, end } = numbers;
    (start..end).step_by(count).map(move |first| {
        let puzzles = first..end.min(first + count);
        BookLeaf { heading, is_solutions, begins_part: first == start, puzzles }
    })
}

/// The area of a page for puzzles: the paper without margins, head and foot.
#[derive(Debug)]
struct PageFrame {
    paper: (f64, f64),
    /// The size of texts relative to A4.
    scale: f64,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl PageFrame {
    fn new(paper: (f64, f64)) -> PageFrame {
        let (width, height) = paper;
        // Texts on a page of half the width are about three quarters as large and not half, because people
        // read it from the same distance.
        let scale = (width / 595.28).sqrt();
        let margin = 0.075 * width;
        let top = margin + 32.0 * scale;
        PageFrame {
            paper,
            scale,
            left: margin,
            top,
            width: width - 2.0 * margin,
            height: height - 1.25 * margin - top,
        }
    }

    fn regular(&self, size: f64) -> TextFont {
        TextFont { size: size * self.scale, is_bold: false, is_grey: false }
    }

    fn bold(&self, size: f64) -> TextFont {
        TextFont { is_bold: true, ..self.regular(size) }
    }

    fn grey(&self, size: f64) -> TextFont {
        TextFont { is_grey: true, ..self.regular(size) }
    }

    /// Puts the heading and the title of the book above a rule. Without a heading, the title takes its place; without
    /// both there is no head.
    fn put_head(&self, heading: &str, title: &str, page: &mut Page) {
        let (heading, title) = if heading.is_empty() { (title, "") } else { (heading, title) };
        if heading.is_empty() {
            return;
        }
        let (right, baseline) = (self.left + self.width, self.left + 6.0 * self.scale);
        let font = self.bold(15.0).within(heading, 0.6 * self.width);
        page.text((self.left, baseline), Anchor::Start, font, heading);
        let font = self.grey(9.5).within(title, 0.36 * self.width);
        page.text((right, baseline), Anchor::End, font, title);
        let rule = baseline + 7.0 * self.scale;
        page.line((self.left, rule), (right, rule), 0.5);
    }
}

impl TextFont {
    /// Shrinks the font until a text is not wider than `width`.
    fn within(self, text: &str, width: f64) -> TextFont {
        let is = Font::with_weight(self.is_bold).width(text, self.size);
        TextFont { size: if is > width { self.size * width / is } else { self.size }, ..self }
    }
}

/// The places of the grids on a page, in rows.
#[derive(Debug)]
struct Slots {
    /// The number of places on a page.
    count: usize,
    columns: usize,
    /// The side of a grid.
    side: f64,
    /// The font size of the numbers above the grids.
    number: f64,
    /// Where the first grid begins, and the distance to the next one.
    first: (f64, f64),
    step: (f64, f64),
}

impl Slots {
    /// Chooses the number of places: the wanted number, or the most that leave cells large enough, if the
    /// largest puzzle has rows of `largest` cells.
    fn new(frame: &PageFrame, style: &Style, wanted: Option<usize>, largest: usize) -> Slots {
        if let Some(count) = wanted {
            return Slots::with_count(frame, style, count.max(1));
        }
        let mut choices = style.counts.iter().map(|&count| Slots::with_count(frame, style, count));
        let fits = |slots: &Slots| slots.count == 1 || slots.side / largest as f64 >= style.least_cell;
        choices.find(fits).expect("one grid fits in any case")
    }

    /// Makes `count` places, in the number of columns that makes the grids largest.
    fn with_count(frame: &PageFrame, style: &Style, count: usize) -> Slots {
        let (number, gap) = (style.number * frame.scale, style.gap * frame.scale);
        let head = 1.5 * number;
        let side = |columns: usize| {
            let rows = count.div_ceil(columns);
            let across = (frame.width + gap) / columns as f64 - gap;
            let down = (frame.height + gap) / rows as f64 - gap - head;
            across.min(down)
        };
        let columns = (1..=count).max_by(|&one, &other| side(one).total_cmp(&side(other))).unwrap_or(1);
        let (side, rows) = (side(columns), count.div_ceil(columns));
        let step = ((frame.width + gap) / columns as f64, (frame.height + gap) / rows as f64);
        // Center the grid in the remaining space.
        let left = frame.left + (step.0 - gap - side) / 2.0;
        let top = frame.top + head + (step.1 - gap - head - side) / 2.0;
        Slots { count, columns, side, number, first: (left, top), step }
    }

    /// The upper left corner of a grid.
    fn place(&self, slot: usize) -> (f64, f64) {
        let (column, row) = (slot % self.columns, slot / self.columns);
        (self.first.0 + column as f64 * self.step.0, self.first.1 + row as f64 * self.step.1)
    }
}

impl Page {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64) {
        self.lines.push(Line { from, to, width });
    }

    /// Adds a text, unless it is empty.
    fn text(&mut self, at: (f64, f64), anchor: Anchor, font: TextFont, text: &str) {
        if !text.is_empty() {
            self.texts.push(Text { at, anchor, font, text: text.to_owned() });
        }
    }

    /// Adds a grid with its upper left corner at a place. It shows the clues, or the solution with the
    /// clues in bold.
    fn grid(&mut self, puzzle: &BookPuzzle, is_solved: bool, (left, top): (f64, f64), side: f64) {
        let count = puzzle.shape.side();
        let cell = side / count as f64;
        self.rules(puzzle, (left, top), side);
        for (index, &clue) in puzzle.clues.iter().enumerate() {
            let digit = if is_solved { puzzle.solution[index] } else { clue };
            if digit == 0 {
                continue;
            }
            let symbol = puzzle.symbol(digit);
            let size = cell * if symbol.len() > 1 { TWO_DIGITS } else { DIGIT };
            let font = TextFont { size, is_bold: is_solved && clue != 0, is_grey: false };
            let (row, column) = (index / count, index % count);
            let middle = left + (column as f64 + 0.5) * cell;
            let baseline = top + (row as f64 + 0.5) * cell + 0.5 * CAP_HEIGHT * size;
            self.text((middle, baseline), Anchor::Middle, font, &symbol);
        }
    }

    /// Adds the lines of a grid: thin ones between cells, then thick ones around boxes.
    fn rules(&mut self, puzzle: &BookPuzzle, (left, top): (f64, f64), side: f64) {
        let (count, shape) = (puzzle.shape.side(), puzzle.shape);
        let cell = side / count as f64;
        let thin = (0.018 * cell).clamp(0.2, 0.5);
        let thick = 4.0 * thin;
        for is_thick in [false, true] {
            let width = if is_thick { thick } else { thin };
            // Thick lines are longer by half their width, so that they meet at the corners without a notch.
            let over = if is_thick { thick / 2.0 } else { 0.0 };
            for index in 0..=count {
                let at = index as f64 * cell;
                if (index % shape.box_rows() == 0) == is_thick {
                    self.line((left - over, top + at), (left + side + over, top + at), width);
                }
                if (index % shape.box_columns() == 0) == is_thick {
                    self.line((left + at, top - over), (left + at, top + side + over), width);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Grid;

    use super::*;
    use crate::book::{BookSection, Paper};

    /// A puzzle with boxes of this size. Its clues are all cells where row + column is even.
    fn puzzle(box_rows: usize, box_columns: usize) -> BookPuzzle {
        let shape = format!("{box_rows}x{box_columns}").parse().unwrap();
        let side = box_rows * box_columns;
        let digit = |cell: usize| {
            let (row, column) = (cell / side, cell % side);
            ((row % box_rows * box_columns + row / box_rows + column) % side + 1) as u8
        };
        let solution: Vec<u8> = (0..side * side).map(digit).collect();
        let is_clue = |cell: &usize| (cell / side + cell % side).is_multiple_of(2);
        let clues: Vec<u8> =
            (0..side * side).map(|cell| if is_clue(&cell) { solution[cell] } else { 0 }).collect();
        let grid = Grid::from_cells(shape, &clues).unwrap();
        let alphabet = std::sync::Arc::new(gridmill_data::text::Alphabet::conventions(side)[0].clone());
        BookPuzzle::new(&gridmill_data::text::GridPuzzle { grid, alphabet }, &solution)
    }

    fn book(name: &str, puzzles: Vec<BookPuzzle>) -> Book {
        let sections = vec![BookSection { name: name.to_owned(), puzzles }];
        Book { title: "The title".to_owned(), sections, ..Book::default() }
    }

    #[test]
    fn the_number_of_grids_on_a_page_keeps_cells_large_enough() {
        let counts = |box_rows, box_columns, paper| {
            let book = Book { paper, ..book("", vec![puzzle(box_rows, box_columns)]) };
            let plan = Plan::new(&book);
            (plan.of_puzzles.count, plan.of_solutions.count)
        };
        assert_eq!(counts(3, 3, Paper::A4), (4, 20));
        assert_eq!(counts(3, 3, Paper::Letter), (4, 20));
        assert_eq!(counts(3, 3, Paper::A5), (2, 12));
        assert_eq!(counts(2, 2, Paper::A4), (9, 30));
        assert_eq!(counts(2, 3, Paper::A4), (9, 30));
        assert_eq!(counts(4, 4, Paper::A4), (1, 6));
        assert_eq!(counts(5, 5, Paper::A4), (1, 2));
        assert_eq!(counts(5, 5, Paper::A5), (1, 1));
    }

    #[test]
    fn grids_are_as_large_as_the_page_allows() {
        let columns = |count| {
            let book = Book { per_page: Some(count), ..book("", vec![puzzle(3, 3)]) };
            Plan::new(&book).of_puzzles.columns
        };
        assert_eq!([1, 2, 3, 4, 6, 9, 12, 20].map(columns), [1, 1, 2, 2, 2, 3, 3, 4]);
    }

    /// Everything is within the margins, and no two grids overlap.
    #[test]
    fn any_number_of_grids_fits_on_the_page() {
        for paper in [Paper::A4, Paper::A5, Paper::Letter] {
            for count in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 50, 100] {
                let mut book = book("A level", vec![puzzle(2, 2); count]);
                (book.paper, book.per_page, book.solutions_per_page) = (paper, Some(count), Some(count));
                let plan = Plan::new(&book);
                assert_eq!(plan.pages(), 2);
                let slots = &plan.of_puzzles;
                assert!(
                    slots.side > 4.0 && slots.step.0 > slots.side && slots.step.1 > slots.side + slots.number
                );
                let PageFrame { left, width, paper: (_, height), .. } = plan.frame;
                let mut places = (0..2).map(|page| plan.page(page)).flat_map(|page| {
                    let lines = page.lines.into_iter().flat_map(|line| [line.from, line.to]);
                    lines.chain(page.texts.into_iter().map(|text| text.at)).collect::<Vec<_>>()
                });
                let is_inside = |(x, y): (f64, f64)| {
                    (left - 1.1..=left + width + 1.1).contains(&x)
                        && (0.5 * left..=height - 0.5 * left).contains(&y)
                };
                assert!(places.all(is_inside), "{paper:?}, {count}");
            }
        }
    }

    #[test]
    fn digits_are_in_the_middle_of_their_cells() {
        for (rows, columns) in [(2, 2), (3, 3), (2, 5), (5, 5)] {
            let puzzle = puzzle(rows, columns);
            let (side, mut page) = (rows * columns, Page::default());
            page.grid(&puzzle, false, (100.0, 50.0), 20.0 * side as f64);
            let clues = puzzle.clues.iter().filter(|clue| **clue != 0).count();
            assert_eq!(page.texts.len(), clues);
            for text in &page.texts {
                assert!(text.anchor == Anchor::Middle && !text.font.is_bold);
                let (x, y) = (text.at.0 - 100.0, text.at.1 - 0.5 * CAP_HEIGHT * text.font.size - 50.0);
                let is_middle = |length: f64| (length.rem_euclid(20.0) - 10.0).abs() < 1e-6;
                assert!(is_middle(x) && is_middle(y), "{text:?}");
                let cell = (y / 20.0) as usize * side + (x / 20.0) as usize;
                assert_eq!(text.text, puzzle.symbol(puzzle.clues[cell]));
                assert!(Font::with_weight(false).width(&text.text, text.font.size) < 18.0);
            }
        }
    }

    #[test]
    fn solutions_have_their_clues_in_bold() {
        let (puzzle, mut page) = (puzzle(2, 3), Page::default());
        page.grid(&puzzle, true, (0.0, 0.0), 60.0);
        let texts: Vec<_> = page.texts.iter().map(|text| (text.text.clone(), text.font.is_bold)).collect();
        let cells = puzzle.solution.iter().zip(&puzzle.clues);
        assert_eq!(texts, cells.map(|(digit, clue)| (digit.to_string(), *clue != 0)).collect::<Vec<_>>());
    }

    #[test]
    fn boxes_have_thick_lines() {
        let mut page = Page::default();
        page.grid(&puzzle(2, 3), false, (0.0, 0.0), 60.0);
        let thick = page.lines.iter().map(|line| line.width).fold(0.0, f64::max);
        let places = |is_across: bool, is_thick: bool| {
            let is_wanted = |line: &&Line| {
                ((line.from.1 == line.to.1) == is_across) && ((line.width == thick) == is_thick)
            };
            let place = |line: &Line| if is_across { line.from.1 } else { line.from.0 };
            page.lines.iter().filter(is_wanted).map(|line| place(line).round() as u32).collect::<Vec<_>>()
        };
        assert_eq!((places(true, true), places(true, false)), (vec![0, 20, 40, 60], vec![10, 30, 50]));
        assert_eq!((places(false, true), places(false, false)), (vec![0, 30, 60], vec![10, 20, 40, 50]));
        assert!(page.lines.iter().all(|line| line.width == thick || 3.0 * line.width < thick));
    }

    fn texts(page: &Page) -> Vec<&str> {
        page.texts.iter().map(|text| text.text.as_str()).collect()
    }

    #[test]
    fn sections_begin_pages_and_the_cover_lists_them() {
        let mut book = book("Easy", vec![puzzle(2, 2); 10]);
        book.sections.push(BookSection { name: "None".to_owned(), puzzles: Vec::new() });
        book.sections.push(BookSection { name: "Hard".to_owned(), puzzles: vec![puzzle(2, 2)] });
        (book.has_cover, book.solutions_heading) = (true, "Lösungen".to_owned());
        let plan = Plan::new(&book);
        let part = |name, numbers, page| BookPart { name, numbers, page };
        let parts = [part("Easy", (1, 10), 1), part("Hard", (11, 11), 3), part("Lösungen", (1, 11), 4)];
        assert_eq!((plan.pages(), plan.parts()), (5, parts.into()));
        let cover = ["The title", "Easy", "1–10", "2", "Hard", "11", "4", "Lösungen", "1–11", "5"];
        assert_eq!(texts(&plan.page(0)), cover);
        for (page, head, number) in
            [(1, "Easy", "1"), (2, "Easy", "10"), (3, "Hard", "11"), (4, "Lösungen", "1")]
        {
            let page = (plan.page(page), (page + 1).to_string());
            let texts = texts(&page.0);
            assert_eq!(texts[..3], [head, "The title", number]);
            assert_eq!(texts.last(), Some(&&*page.1));
        }
    }

    #[test]
    fn a_book_may_lack_solutions_titles_and_headings() {
        let mut plain = book("", vec![puzzle(2, 2)]);
        (plain.solutions_per_page, plain.title) = (Some(0), String::new());
        let plan = Plan::new(&plain);
        assert_eq!((plan.pages(), plan.title()), (1, "Sudoku"));
        assert_eq!(texts(&plan.page(0))[0], "1");
        plain.title = "Alone".to_owned();
        assert_eq!(texts(&Plan::new(&plain).page(0))[..2], ["Alone", "1"]);
    }

    #[test]
    fn long_titles_are_made_smaller_to_fit() {
        let long = Book {
            title: "A title that goes on ".repeat(9),
            has_cover: true,
            ..book("Level ".repeat(40).trim(), vec![puzzle(2, 2)])
        };
        let plan = Plan::new(&long);
        for page in 0..plan.pages() {
            for text in &plan.page(page).texts {
                assert!(
                    Font::with_weight(text.font.is_bold).width(&text.text, text.font.size)
                        < plan.frame.width + 1e-6,
                    "{text:?}"
                );
            }
        }
    }
}
