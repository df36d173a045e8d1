//! The page before anything is done with it.

use crate::session::with_page;

#[test]
fn the_page_loads_without_a_complaint() {
    with_page(&[], |page| {
        assert_eq!(page.run("return document.title"), "gridmill");
        assert_eq!(page.run("return document.readyState"), "complete");
        page.picture("loaded");
    });
}
