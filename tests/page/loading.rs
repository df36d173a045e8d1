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

#[test]
fn the_page_says_that_the_program_has_ended() {
    with_page(&[], |page| {
        page.end_server();
        page.go_to(0);
        page.press("1");
        page.wait("!document.querySelector('#message').hidden");
        assert!(page.text("#message-text").contains("gridmill serve"), "{}", page.text("#message-text"));
        // The browser notes the refused connections.
        page.console();
    });
}

#[test]
fn the_verdict_is_said_aloud_when_nothing_changes_any_more() {
    with_page(&[], |page| {
        assert_eq!(page.attribute("#announcement", "aria-live").as_deref(), Some("polite"));
        page.begin("2x2");
        page.wait("document.querySelector('#announcement').textContent.includes('288 solutions')");
    });
}
