//! The page without a mouse.

use crate::oracle;
use crate::session::{Page, with_page};
use crate::sheet::{CONTROL, ENTER, ESCAPE, RIGHT, SHIFT, TAB};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

impl Page {
    /// Presses Tab, with these keys held, until an element has the focus. Every element on the way must mark
    /// its focus visibly, so that the user sees where it is.
    pub fn tab_to(&self, selector: &str, held: &str) {
        let script = format!(
            "const element = document.activeElement;
             const style = getComputedStyle(element);
             const before = getComputedStyle(element, '::before');
             const isSeen = element === document.body || style.outlineStyle !== 'none' || style.boxShadow !== 'none'
                 || (before.content !== 'none' && before.borderStyle !== 'none');
             return [element.matches(\"{selector}\"), isSeen, element.outerHTML.slice(0, 120)]"
        );
        for _ in 0..60 {
            let stop = self.run(&script);
            assert_eq!(stop[1], true, "the focus is not visible: {}", stop[2]);
            if stop[0] == true {
                return;
            }
            self.press_with(held, TAB);
        }
        panic!("Tab does not lead to {selector}");
    }
}

#[test]
fn the_grid_works_with_the_keyboard_alone() {
    with_page(&[], |page| {
        page.tab_to("#paste", "");
        page.press(&ENTER.to_string());
        page.tab_to("#paste-text", "");
        page.press(LINE);
        page.tab_to("#paste-read", "");
        page.press(&ENTER.to_string());
        page.wait("!document.querySelector('#paste-dialog').open");
        assert_eq!(page.digits(), oracle::classic(LINE).cells());

        page.tab_to("#board [data-cell]", "");
        page.press(" ");
        page.press(&[RIGHT, RIGHT, '4'].iter().collect::<String>());
        assert_eq!(page.cells()[2].digit, 4);
        assert_eq!(page.cells()[2].kind, "answer");

        page.wait("!document.querySelector('#step-tools').hidden");
        page.tab_to("#step-apply", "");
        page.press(" ");
        page.wait("document.querySelectorAll('[data-kind=answer]').length === 2");
        let is_next = "document.querySelector('#step-tools').ariaBusy !== 'true'";
        for answers in 3..6 {
            page.wait(is_next);
            assert_eq!(page.run("return document.activeElement.id"), "step-apply");
            page.press(" ");
            page.wait(&format!("document.querySelectorAll('[data-kind=answer]').length === {answers}"));
        }
        page.wait(is_next);
        page.go_to(2);
        page.press("n");
        page.wait("document.querySelectorAll('[data-kind=answer]').length === 6");
        // After the last step the buttons are hidden, and keys are sent to the grid.
        page.tab_to("#step-apply", "");
        page.run("document.querySelector('#fill-in').click()");
        page.wait("document.querySelector('#step-tools').hidden");
        page.wait("document.activeElement.matches('[data-cell]')");
        page.press_with(&CONTROL.to_string(), 'z');

        page.tab_to("#fill-in", &SHIFT.to_string());
        page.press(&ENTER.to_string());
        assert_eq!(page.digits(), oracle::solution(&oracle::classic(LINE)));

        page.tab_to("#generate", &SHIFT.to_string());
        page.press(&ENTER.to_string());
        page.wait("document.querySelector('#generate-dialog').open");
        page.press(&ESCAPE.to_string());
        page.wait("!document.querySelector('#generate-dialog').open");
        page.wait("document.activeElement.id === 'generate'");
    });
}
