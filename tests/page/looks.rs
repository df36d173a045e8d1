//! The look of the page, light and dark, wide and narrow, and its text for screen readers.

use serde_json::{Value, json};

use crate::collection::classics;
use crate::driver::until;
use crate::session::{Page, with_page};

const HARD: &str = "...136..9......8...3.........2..1...3.48..7..6......2.....9263...63...85.2..7...4";

/// A script that finds texts with too little contrast to their background, each with the ratio.
const FAINT: &str = r"
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const known = new Map();
    const rgba = (color) => {
        if (!known.has(color)) {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            known.set(color, [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255));
        }
        return known.get(color);
    };
    const over = (front, back, alpha) => [0, 1, 2].map((channel) => front[channel] * alpha + back[channel] * (1 - alpha));
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const canvasColor = rgba(getComputedStyle(document.body).colorScheme === 'dark' ? '#121212' : '#ffffff');
    const background = (element) => {
        if (!element) return canvasColor;
        const color = rgba(getComputedStyle(element).backgroundColor);
        return color[3] === 1 ? color : over(color, background(element.parentElement), color[3]);
    };
    const opacity = (element) => (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const text = texts.currentNode.textContent.trim();
        if (!text || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        if (element.closest(':disabled, [aria-disabled=true], .heard, option')) continue;
        const style = getComputedStyle(element);
        const isSvg = element instanceof SVGElement;
        const color = rgba(isSvg ? style.fill : style.color);
        const back = background(element);
        const front = over(color, back, color[3] * opacity(element));
        const [dark, light] = [luminance(front), luminance(back)].sort((a, b) => a - b);
        const ratio = (light + 0.05) / (dark + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) {
            faint.push(`${ratio.toFixed(2)} ${element.tagName}#${element.id}.${element.className}: ${text.slice(0, 40)}`);
        }
    }
    return [...new Set(faint)];
";

/// A script that lists the elements which make the page wider than the window without its scroll bar.
pub const OUTSIDE: &str = r"
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const outside = [...document.body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > clientWidth + 0.5);
    return outside.map((one) => `${one.tagName}#${one.id}.${one.className} ${one.getBoundingClientRect().right} of ${clientWidth}`);
";

/// Roles of elements that people use with keyboard or mouse.
const CONTROLS: [&str; 14] = [
    "button",
    "checkbox",
    "combobox",
    "grid",
    "link",
    "listbox",
    "menuitem",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "tab",
    "table",
    "textbox",
];

impl Page {
    /// Fails if the page is wider than the window, a text has too little contrast, or a control has no name.
    fn assert_fit(&self, name: &str) {
        assert_eq!(self.run(OUTSIDE), json!([]), "{name}: wider than the window");
        assert_eq!(self.run(FAINT), json!([]), "{name}: faint texts");
        assert_eq!(self.nameless(), [] as [String; 0], "{name}: without a name");
    }

    /// The controls without a name for screen readers.
    fn nameless(&self) -> Vec<String> {
        let tree = self.devtools("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap();
        let role = |node: &Value| node["role"]["value"].as_str().unwrap_or_default().to_owned();
        let is_focusable = |node: &Value| {
            let mut properties = node["properties"].as_array().into_iter().flatten();
            properties.any(|property| property["name"] == "focusable" && property["value"]["value"] == true)
        };
        let is_used = |node: &Value| match role(node).as_str() {
            "gridcell" => is_focusable(node),
            role => CONTROLS.contains(&role),
        };
        let is_control = |node: &&Value| node["ignored"] == false && is_used(node);
        let controls: Vec<&Value> = nodes.iter().filter(is_control).collect();
        assert!(!controls.is_empty());
        let is_nameless =
            |node: &&&Value| node["name"]["value"].as_str().unwrap_or_default().trim().is_empty();
        controls
            .iter()
            .filter(is_nameless)
            .map(|node| format!("{} {}", role(node), self.describe(node)))
            .collect()
    }

    /// The beginning of an element's text in the document.
    fn describe(&self, node: &Value) -> String {
        let object = self.devtools("DOM.resolveNode", json!({"backendNodeId": node["backendDOMNodeId"]}));
        let function = "function () { return this.outerHTML.slice(0, 200) }";
        let call = json!({"functionDeclaration": function, "objectId": object["object"]["objectId"], "returnByValue": true});
        self.devtools("Runtime.callFunctionOn", call)["result"]["value"].to_string()
    }

    /// Checks the current page, light and dark, wide and narrow, and saves pictures of it.
    pub fn assert_fit_everywhere(&self, name: &str) {
        for (size, width, height) in [("wide", 1280, 900), ("narrow", 360, 800)] {
            self.resize(width, height);
            for scheme in ["light", "dark"] {
                self.prefer(scheme);
                self.wait(&format!(
                    "matchMedia('(prefers-color-scheme: {scheme})').matches && innerWidth === {width}"
                ));
                self.picture(&format!("{name}-{size}-{scheme}"));
                self.assert_fit(&format!("{name}, {size}, {scheme}"));
            }
        }
        self.resize(1280, 900);
        self.prefer("light");
    }
}

#[test]
fn a_grid_fits_every_window_and_can_be_read() {
    with_page(&[], |page| {
        page.choose("#marks", "true");
        page.run("document.querySelectorAll('details').forEach((box) => (box.open = true))");
        page.paste(HARD);
        page.count();
        page.wait("document.querySelector('#rating').dataset.er === '7.2'");
        page.wait(
            "!document.querySelector('#step-tools').hidden && document.querySelector('[data-mark]') !== null",
        );
        page.assert_fit_everywhere("grid");
        page.go_to(0);
        page.press("9");
        page.count();
        page.assert_fit_everywhere("contradiction");
    });
}

/// The lines would have gaps if a browser rounded the height of each row separately.
#[test]
fn cells_are_whole_pixels_at_every_window_height() {
    with_page(&[], |page| {
        for shape in ["3x3", "2x5", "4x4"] {
            page.begin(shape);
            for height in (500..1100).step_by(83) {
                page.resize(1280, height);
                page.wait(&format!("innerHeight === {height}"));
                let sizes = page.run(
                    "const sizes = [...document.querySelectorAll('#board [data-cell]')].map((cell) => cell.getBoundingClientRect());
                     return [...new Set(sizes.flatMap(({ width, height }) => [width, height]))]",
                );
                let sizes: Vec<f64> = serde_json::from_value(sizes).unwrap();
                assert!(sizes.len() == 1 && sizes[0].fract() == 0.0, "{shape}, {height}: {sizes:?}");
            }
        }
        page.resize(1280, 900);
    });
}

#[test]
fn a_grid_prints_without_controls_on_one_page_with_dark_lines() {
    with_page(&[], |page| {
        page.paste(HARD);
        page.wait("!document.querySelector('#step-tools').hidden");
        let seen =
            "return [...document.querySelectorAll('button, h1, h2, select, [data-mark], #verdict, #overlay')]
            .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))";
        let lines = "const cell = getComputedStyle(document.querySelector('[data-cell=\"1\"]'));
            const box = getComputedStyle(document.querySelector('[data-cell=\"3\"]'));
            const digit = getComputedStyle(document.querySelector('[data-kind=clue] .digit'));
            return [cell.borderLeftColor, box.borderLeftColor, digit.color, cell.backgroundColor]";
        for scheme in ["light", "dark"] {
            page.show_as_printed(scheme);
            page.wait("matchMedia('print').matches");
            assert_eq!(page.run(seen), json!([]), "{scheme}");
            let expected = json!(["rgb(119, 119, 119)", "rgb(0, 0, 0)", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]);
            assert_eq!(page.run(lines), expected, "{scheme}");
            page.picture(&format!("printed-{scheme}"));
        }
        assert_eq!(page.printed_pages(), 1);
        page.devtools("Emulation.setEmulatedMedia", json!({"media": "", "features": []}));
        page.prefer("light");
    });
}

#[test]
fn large_grids_fit_every_window() {
    let line = include_str!("../../datasets/16x16.txt").lines().next().unwrap();
    with_page(&[], |page| {
        page.choose("#marks", "rules");
        page.paste(line);
        page.wait("document.querySelectorAll('#board [data-cell]').length === 256");
        page.count();
        page.assert_fit_everywhere("16x16");
    });
}

#[test]
fn dialogs_fit_every_window_and_can_be_read() {
    with_page(&[], |page| {
        page.paste(HARD);
        page.count();
        page.run("document.querySelectorAll('details').forEach((box) => (box.open = true))");
        for (button, dialog) in [
            ("new", "new"),
            ("paste", "paste"),
            ("copy-as", "copy"),
            ("generate", "generate"),
            ("minimize", "minimize"),
            ("transform", "transform"),
            ("keys-help", "keys"),
        ] {
            page.click(&format!("#{button}"));
            page.wait(&format!("document.querySelector('#{dialog}-dialog').open"));
            page.assert_fit_everywhere(&format!("dialog-{dialog}"));
            page.click(&format!("#{dialog}-dialog [data-close]"));
        }
    });
}

#[test]
fn a_collection_fits_every_window_and_can_be_read() {
    with_page(&[&classics()], |page| {
        page.wait("document.querySelectorAll('#collection-table [role=row][data-record]').length > 5");
        page.wait("document.querySelectorAll('#collection-pictures .bar').length > 5");
        page.run("document.querySelectorAll('details').forEach((box) => (box.open = true))");
        page.assert_fit_everywhere("collection");
    });
}

#[test]
fn a_collection_of_several_files_shows_its_puzzles_in_every_window() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("other.txt");
    std::fs::copy(classics(), &other).unwrap();
    with_page(&[&classics(), &other], |page| {
        page.wait("document.querySelectorAll('#collection-table [role=row][data-record]').length > 5");
        for width in [390, 641, 768, 897, 1024, 1100, 1180, 1279, 1280, 1400, 1920] {
            page.resize(width, 900);
            page.wait(&format!("innerWidth === {width}"));
            // Another size replaces the rows, so for a moment there are none.
            let measure = || {
                page.run(
                    "const [frame, puzzle] = ['.collection-frame', '[data-record=\"1\"] .puzzle'].map((one) => document.querySelector(one));
                     const heads = [...document.querySelectorAll('#collection-heads [role=columnheader]')];
                     return puzzle && [Math.round(puzzle.clientWidth), puzzle.scrollWidth <= puzzle.clientWidth,
                         heads.every((head) => head.getBoundingClientRect().right <= frame.getBoundingClientRect().right + 1)]",
                )
            };
            let measured =
                until("the rows are drawn", || Some(measure()).filter(|measured| !measured.is_null()));
            let (puzzle, is_whole, is_within): (u32, bool, bool) = serde_json::from_value(measured).unwrap();
            assert!(
                puzzle >= 120 && is_within,
                "{width}: {puzzle} pixels, heads within the table: {is_within}"
            );
            assert!(width < 1920 || is_whole, "{width}: cut at {puzzle} pixels");
            page.picture(&format!("several-files-{width}"));
        }
        page.resize(1280, 900);
    });
}
