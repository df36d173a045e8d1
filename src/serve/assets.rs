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
    "/style.css" "style.css" "text/css; charset=utf-8",
    "/collection.css" "collection.css" "text/css; charset=utf-8",
    "/main.js" "main.js" "text/javascript; charset=utf-8",
    "/api.js" "api.js" "text/javascript; charset=utf-8",
    "/collection.js" "collection.js" "text/javascript; charset=utf-8",
    "/elements.js" "elements.js" "text/javascript; charset=utf-8",
    "/filters.js" "filters.js" "text/javascript; charset=utf-8",
    "/head.js" "head.js" "text/javascript; charset=utf-8",
    "/pictures.js" "pictures.js" "text/javascript; charset=utf-8",
    "/position.js" "position.js" "text/javascript; charset=utf-8",
    "/refresher.js" "refresher.js" "text/javascript; charset=utf-8",
    "/row_pages.js" "row_pages.js" "text/javascript; charset=utf-8",
    "/scroll_space.js" "scroll_space.js" "text/javascript; charset=utf-8",
    "/table.js" "table.js" "text/javascript; charset=utf-8",
    "/view.js" "view.js" "text/javascript; charset=utf-8",
    "/watch.js" "watch.js" "text/javascript; charset=utf-8",
    "/words.js" "words.js" "text/javascript; charset=utf-8",
];

impl Asset {
    /// Returns the file for a path, if there is one.
    pub(super) fn at(path: &str) -> Option<&'static Asset> {
        ASSETS.iter().find(|asset| asset.path == path)
    }

    /// Returns the text, with the token of the run in its place.
    pub(super) fn text(&self, token: &str) -> String {
        match self.path {
            "/" => self.text.replace(TOKEN_PLACE, token),
            _ => self.text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_weighs_at_most_150_kb() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(bytes <= 150_000, "{bytes}");
    }

    #[test]
    fn only_the_page_holds_the_token() {
        for asset in ASSETS {
            assert_eq!(asset.text.contains(TOKEN_PLACE), asset.path == "/", "{}", asset.path);
            assert_eq!(asset.text("abc").contains("\"abc\""), asset.path == "/", "{}", asset.path);
        }
    }
}
