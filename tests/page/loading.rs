//! The page right after it is loaded.

use crate::session::{with_page, with_tabs};

#[test]
fn the_page_loads_without_errors() {
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
        // The console is read here, because the browser logs the refused connections there.
        page.console();
    });
}

#[test]
fn the_final_verdict_is_announced_to_screen_readers() {
    with_page(&[], |page| {
        assert_eq!(page.attribute("#announcement", "aria-live").as_deref(), Some("polite"));
        page.begin("2x2");
        page.wait("document.querySelector('#announcement').textContent.includes('288 solutions')");
    });
}

#[test]
fn hidden_pages_free_their_connections_for_the_visible_one() {
    with_tabs(|page| {
        let first = page.tab();
        let is_counting = "document.querySelector('#count').dataset.solutions > 1";
        // There are seven tabs, because a browser opens only six connections to a server, and all tabs share
        // them.
        let tabs: Vec<String> = (0..7).map(|_| page.open_tab()).collect();
        for tab in &tabs {
            page.go_to_tab(tab);
            page.open(&format!("#shape=3x3&clues={}&cap=0", ".".repeat(81)));
            page.wait(is_counting);
        }
        page.go_to_tab(&tabs[0]);
        page.run("document.querySelector('#count').dataset.solutions = ''");
        page.wait(is_counting);
        for tab in &tabs {
            page.go_to_tab(tab);
            page.close_tab();
        }
        page.go_to_tab(&first);
    });
}

#[test]
fn a_count_starts_even_if_more_windows_count_than_connections_exist() {
    with_tabs(|page| {
        let first = page.tab();
        let is_counting = "document.querySelector('#count')?.dataset.solutions > 1";
        let windows: Vec<String> = (0..8).map(|_| page.open_window()).collect();
        for window in &windows {
            page.go_to_window(window);
            page.open(&format!("#shape=3x3&clues={}&cap=0", ".".repeat(81)));
            page.wait(is_counting);
            assert_eq!(page.run("return document.visibilityState"), "visible");
            // A page keeps its connection only after it has counted for about a second.
            page.wait("performance.now() > 1000");
        }
        let is_paused = |window: &String| {
            page.go_to_window(window);
            assert_eq!(page.run("return document.visibilityState"), "visible");
            page.text("#count").contains("another tab")
        };
        assert!(windows.iter().filter(|window| is_paused(window)).count() >= 4);
        for window in &windows {
            page.go_to_window(window);
            page.close_tab();
        }
        page.go_to_tab(&first);
    });
}
