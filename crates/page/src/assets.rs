//! The files of the page, embedded.

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    pub(super) path: &'static str,
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

/// The place of the token in the page.
const TOKEN_PLACE: &str = "{{token}}";

macro_rules! assets {
    ($($path:literal $file:literal $kind:literal),* $(,)?) => {
        &[$(Asset { path: $path, kind: $kind, text: include_str!(concat!("assets/", $file)) }),*]
    };
}

/// All files, by the path of a request.
pub(super) const ASSETS: &[Asset] = assets![
    "/" "index.html" "text/html; charset=utf-8",
    "/icon.svg" "icon.svg" "image/svg+xml",
    "/style.css" "style.css" "text/css; charset=utf-8",
    "/collection.css" "collection.css" "text/css; charset=utf-8",
    "/address.js" "address.js" "text/javascript; charset=utf-8",
    "/address_bar.js" "address_bar.js" "text/javascript; charset=utf-8",
    "/api.js" "api.js" "text/javascript; charset=utf-8",
    "/board.js" "board.js" "text/javascript; charset=utf-8",
    "/cells.js" "cells.js" "text/javascript; charset=utf-8",
    "/collection.js" "collection.js" "text/javascript; charset=utf-8",
    "/conflicts.js" "conflicts.js" "text/javascript; charset=utf-8",
    "/dom.js" "dom.js" "text/javascript; charset=utf-8",
    "/elements.js" "elements.js" "text/javascript; charset=utf-8",
    "/filters.js" "filters.js" "text/javascript; charset=utf-8",
    "/generate.js" "generate.js" "text/javascript; charset=utf-8",
    "/grid.js" "grid.js" "text/javascript; charset=utf-8",
    "/head.js" "head.js" "text/javascript; charset=utf-8",
    "/history.js" "history.js" "text/javascript; charset=utf-8",
    "/keys.js" "keys.js" "text/javascript; charset=utf-8",
    "/live.js" "live.js" "text/javascript; charset=utf-8",
    "/main.js" "main.js" "text/javascript; charset=utf-8",
    "/message.js" "message.js" "text/javascript; charset=utf-8",
    "/origin.js" "origin.js" "text/javascript; charset=utf-8",
    "/overlay.js" "overlay.js" "text/javascript; charset=utf-8",
    "/page.js" "page.js" "text/javascript; charset=utf-8",
    "/panel.js" "panel.js" "text/javascript; charset=utf-8",
    "/pictures.js" "pictures.js" "text/javascript; charset=utf-8",
    "/refresher.js" "refresher.js" "text/javascript; charset=utf-8",
    "/row_pages.js" "row_pages.js" "text/javascript; charset=utf-8",
    "/scroll_space.js" "scroll_space.js" "text/javascript; charset=utf-8",
    "/solutions.js" "solutions.js" "text/javascript; charset=utf-8",
    "/step.js" "step.js" "text/javascript; charset=utf-8",
    "/symbols.js" "symbols.js" "text/javascript; charset=utf-8",
    "/table.js" "table.js" "text/javascript; charset=utf-8",
    "/times.js" "times.js" "text/javascript; charset=utf-8",
    "/tools.js" "tools.js" "text/javascript; charset=utf-8",
    "/view.js" "view.js" "text/javascript; charset=utf-8",
    "/watch.js" "watch.js" "text/javascript; charset=utf-8",
    "/words.js" "words.js" "text/javascript; charset=utf-8",
];

impl Asset {
    /// Returns the file for a path, if there is one.
    pub(super) fn at(path: &str) -> Option<&'static Asset> {
        ASSETS.iter().find(|asset| asset.path == path)
    }

    /// Returns the text as it is served: the page with the token of the run in its place, modules without their comments.
    pub(super) fn text(&self, token: &str) -> String {
        match self.path {
            "/" => self.text.replace(TOKEN_PLACE, token),
            path if path.ends_with(".js") => without_comments(self.text),
            _ => self.text.to_owned(),
        }
    }
}

/// Returns a module without the lines that are only comment. They leave empty lines, so that errors name the line of the source.
fn without_comments(module: &str) -> String {
    let mut is_within = false;
    let mut text = String::with_capacity(module.len());
    for line in module.lines() {
        let bare = line.trim();
        let begins = bare.starts_with("/**") && (!bare.contains("*/") || bare.ends_with("*/"));
        let is_comment = is_within || begins || bare.starts_with("//");
        is_within = (is_within || begins) && !bare.ends_with("*/");
        text.push_str(if is_comment { "" } else { line });
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_weighs_at_most_150_kb() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text("").len()).sum();
        assert!(bytes <= 150_000, "{bytes}");
    }

    #[test]
    fn only_the_page_holds_the_token() {
        for asset in ASSETS {
            assert_eq!(asset.text.contains(TOKEN_PLACE), asset.path == "/", "{}", asset.path);
            assert_eq!(asset.text("abc").contains("\"abc\""), asset.path == "/", "{}", asset.path);
        }
    }

    #[test]
    fn modules_are_served_without_comments_line_by_line() {
        let module =
            "// @ts-check\n/**\n * Adds.\n */\nadd(); // up\n  /** one */\n/** @type {X} */ (y) */ 2;\n";
        assert_eq!(without_comments(module), "\n\n\n\nadd(); // up\n\n/** @type {X} */ (y) */ 2;\n");
        for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".js")) {
            assert_eq!(asset.text("").lines().count(), asset.text.lines().count(), "{}", asset.path);
        }
    }
}
