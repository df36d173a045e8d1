//! The files of the page, embedded.

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    path: &'static str,
    text: &'static str,
}

/// The place of the token in the page.
const TOKEN_PLACE: &str = "{{token}}";

macro_rules! assets {
    ($($file:literal)*) => {
        &[$(Asset { path: concat!("/", $file), text: include_str!(concat!("assets/", $file)) }),*]
    };
}

/// The path of the page itself.
const PAGE: &str = "/index.html";

/// All files, by their paths.
#[rustfmt::skip]
pub(super) const ASSETS: &[Asset] = assets![
    "index.html" "icon.svg" "style.css"
    "address.js" "api.js" "board.js" "collection.js" "dom.js" "grid.js" "keys.js" "live.js" "main.js" "message.js"
    "origin.js" "page.js" "panel.js" "pictures.js" "symbols.js" "table.js" "tools.js" "view.js"
];

impl Asset {
    /// Returns the file for the path of a request, if there is one.
    pub(super) fn at(path: &str) -> Option<&'static Asset> {
        ASSETS.iter().find(|asset| path == if asset.path == PAGE { "/" } else { asset.path })
    }

    /// Returns its media type.
    pub(super) fn kind(&self) -> &'static str {
        match self.path.rsplit_once('.') {
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        }
    }

    /// Returns the text as it is served: the page with the token of the run in its place, modules without their comments.
    pub(super) fn text(&self, token: &str) -> String {
        match self.path {
            PAGE => self.text.replace(TOKEN_PLACE, token),
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
            assert_eq!(asset.text.contains(TOKEN_PLACE), asset.path == PAGE, "{}", asset.path);
            assert_eq!(asset.text("abc").contains("\"abc\""), asset.path == PAGE, "{}", asset.path);
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
