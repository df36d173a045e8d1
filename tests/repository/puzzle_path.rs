//! The path of a puzzle in `src/README.md`. It must stay short, and every function must be called where the
//! table says.

use std::fs;
use std::path::Path;

use crate::unsafe_code::scan::code_of;

/// A row of the table: a function, the type or trait that owns it (if any), its file, and the row of its
/// caller.
struct Step {
    owner: Option<String>,
    name: String,
    file: String,
    from: Option<usize>,
}

impl Step {
    fn new(function: &str, file: &str, from: Option<usize>) -> Step {
        let (owner, name) = function.split_once("::").map_or((None, function), |(o, name)| (Some(o), name));
        Step { owner: owner.map(str::to_owned), name: name.to_owned(), file: file.to_owned(), from }
    }

    /// The name by which other modules call it, e.g. `Source::claim` or `worker::run`.
    fn path(&self) -> String {
        let module = Path::new(self.file.trim_end_matches("/mod.rs")).file_stem().unwrap().to_str().unwrap();
        format!("{}::{}", self.owner.as_deref().unwrap_or(module), self.name)
    }
}

/// Reads the rows of the table whose first cell is a number.
fn steps() -> Vec<Step> {
    let text = fs::read_to_string("src/README.md").unwrap();
    let rows = text.lines().map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect());
    let is_row = |cells: &Vec<&str>| cells.len() > 5 && cells[1].parse::<usize>().is_ok();
    let step = |(index, cells): (usize, Vec<&str>)| {
        assert_eq!(cells[1], index.to_string(), "the steps are numbered in order");
        let from = cells[4].parse().ok().filter(|&from| from < index);
        assert_eq!(from.is_some(), index > 0, "step {index} is called by an earlier one");
        Step::new(cells[2], cells[3], from)
    };
    rows.filter(is_row).enumerate().map(step).collect()
}

/// The text before and after each occurrence of a whole word.
fn around<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let split = text.match_indices(word).map(move |(at, _)| (&text[..at], &text[at + word.len()..]));
    split.filter(move |(before, after)| !before.ends_with(is_of_word) && !after.starts_with(is_of_word))
}

/// The text from the first brace to the one that closes it.
fn block(text: &str) -> Option<&str> {
    let text = &text[text.find('{')?..];
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })?;
    Some(&text[..end])
}

/// The blocks of a trait, and of the `impl`s for a type. None of them is indented.
fn blocks_of<'a>(code: &'a str, owner: &'a str) -> impl Iterator<Item = &'a str> {
    around(code, owner).filter_map(|(before, after)| {
        let (line, head) = (before.rsplit('\n').next()?, after.split('{').next()?);
        let is_in_generics = line.matches('<').count() > line.matches('>').count();
        let is_type = line.starts_with("impl") && !is_in_generics && !head.contains(" for ");
        (is_type || line.ends_with("trait ")).then(|| block(after)).flatten()
    })
}

/// The body of a function in the code of its file.
fn body<'a>(code: &'a str, step: &'a Step) -> Option<&'a str> {
    let of_function = |text: &'a str| {
        let (_, after) = around(text, &step.name).find(|(before, _)| {
            let is_indented = before.rsplit('\n').next().is_some_and(|line| line.starts_with(' '));
            before.ends_with("fn ") && is_indented == step.owner.is_some()
        })?;
        block(after)
    };
    match &step.owner {
        Some(owner) => blocks_of(code, owner).find_map(of_function),
        None => of_function(code),
    }
}

/// Returns whether code calls a function, or passes it on by its path.
fn calls(code: &str, callee: &Step) -> bool {
    // A call of `write_all` counts as one of `write`, because the standard library's `write_all` calls that.
    let names = if callee.name == "write" { vec!["write", "write_all"] } else { vec![&*callee.name] };
    let path = callee.path().replace(&format!("::{}", callee.name), "::");
    names.iter().flat_map(|name| around(code, name)).any(|(before, after)| {
        let is_call = after.starts_with('(') || after.starts_with("::<");
        match before.chars().next_back() {
            Some(':') => before.ends_with(&path) && (is_call || after.starts_with([')', ','])),
            Some('.') => is_call && callee.owner.is_some(),
            _ => is_call && callee.owner.is_none() && !before.ends_with("fn "),
        }
    })
}

/// What is wrong with a step and its caller, if anything; `text` reads a file.
fn fault(step: &Step, caller: Option<&Step>, text: &dyn Fn(&str) -> String) -> Option<String> {
    if body(&code_of(&text(&step.file)), step).is_none() {
        return Some(format!("{} has no {}", step.file, step.path()));
    }
    let caller = caller?;
    let is_called = body(&code_of(&text(&caller.file)), caller).is_some_and(|body| calls(body, step));
    (!is_called).then(|| format!("{} does not call {}", caller.path(), step.path()))
}

#[test]
fn every_function_of_the_path_is_called_where_the_table_says() {
    let steps = steps();
    let text = |file: &str| fs::read_to_string(file).unwrap_or_default();
    for step in &steps {
        assert_eq!(fault(step, step.from.map(|from| &steps[from]), &text), None);
    }
}

#[test]
fn the_worker_loop_is_call_6_of_the_28_on_the_path() {
    let calls: Vec<String> = steps().iter().skip(1).map(Step::path).collect();
    assert_eq!((&*calls[6 - 1], calls.len()), ("pipeline::work", 28));
}

#[test]
fn no_function_of_the_path_is_more_than_twelve_calls_below_main() {
    let steps = steps();
    let depth = |mut step: usize| {
        let callers = std::iter::from_fn(|| {
            step = steps[step].from?;
            Some(step)
        });
        callers.count()
    };
    let deepest = (0..steps.len()).max_by_key(|&step| depth(step)).unwrap();
    assert_eq!((&*steps[deepest].path(), depth(deepest)), ("Solution::solves", 12));
}

#[test]
fn a_call_missing_from_the_body_of_its_caller_is_reported() {
    let text = r#"impl<W: Pan> Cook<W> {
    fn run(&self) { /* self.wash() */ self.cut("stir(1)", || boil(1)); }
    fn cut(&self, _: &str) { guard(oven::bake, cake) }
    fn wash(&self) { stir(1) }
}
impl Pan for Guest {
    fn eat(&self) {} }
fn guard() {} fn boil() {} fn stir() {} fn bake() {} fn cake() {}"#;
    let fault = |callee: &str, caller: &str| {
        let [callee, caller] = [callee, caller].map(|name| Step::new(name, "oven.rs", None));
        fault(&callee, Some(&caller), &|_| text.to_owned())
    };
    assert_eq!(["Cook::cut", "boil"].map(|callee| fault(callee, "Cook::run")), [None, None]);
    assert_eq!(["guard", "bake"].map(|callee| fault(callee, "Cook::cut")), [None, None]);
    for callee in ["Cook::wash", "stir", "guard", "bake", "Cook::run"] {
        assert!(fault(callee, "Cook::run").unwrap().starts_with("Cook::run does not call "), "{callee}");
    }
    assert!(fault("cake", "Cook::cut").is_some(), "a value without a path may be anything");
    for callee in ["Pan::eat", "Cook::eat", "eat", "fry", "Cook::boil"] {
        assert!(fault(callee, "Cook::run").unwrap().starts_with("oven.rs has no "), "{callee}");
    }
}
