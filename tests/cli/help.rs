//! Help texts.

use crate::program::{gridmill, run};

/// Paragraphs after the options fill the lines of a terminal: no line is too long, and none ends where the
/// next word would have fitted.
#[test]
fn help_is_wrapped_at_any_width() {
    let commands = run(gridmill().arg("--help")).out;
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        for width in [60, 80, 120] {
            let help = run(gridmill().args([name, "--help"]).env("COLUMNS", width.to_string())).out;
            let lines: Vec<&str> = help.lines().collect();
            let too_long = |line: &&&str| line.chars().count() > width && line.trim().contains(' ');
            assert_eq!(lines.iter().find(too_long), None, "{name} at {width}");
            let behind = lines.iter().position(|line| line.starts_with("Example")).unwrap_or(lines.len());
            for pair in lines[behind..].windows(2) {
                let [indent, next] = [pair[0], pair[1]].map(|line| line.len() - line.trim_start().len());
                let word = pair[1].split_whitespace().next();
                let Some(word) = word.filter(|_| indent == next && [0, 6].contains(&indent)) else {
                    continue;
                };
                let joined = pair[0].chars().count() + 1 + word.chars().count();
                assert!(pair[0].is_empty() || joined > width.min(100), "{name} at {width}: {pair:?}");
            }
        }
    }
}
