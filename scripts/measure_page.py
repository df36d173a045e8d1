"""Measures the page of `gridmill serve` in a browser: the time from a key or a click until the answer is in the document."""

import itertools
import pathlib
import statistics
import time

from browser import Browser, Server
from common import ROOT, give_up, run

KEYS = 500
ROUNDS = 40
DELETE = "\ue017"

# Records when the count in the document changes.
WATCH_COUNT = """
    const count = document.querySelector('#count');
    window.counts = [];
    new MutationObserver(() => window.counts.push([performance.now(), Number(count.dataset.solutions)]))
        .observe(count, { attributes: true, attributeFilter: ['data-solutions'] });
"""

# Records when the document has the first row of a collection, and the first picture.
WATCH_ROWS = """
    window.firsts = {};
    const look = () => {
        const note = (name, selector) => {
            if (!(name in window.firsts) && document.querySelector(selector)) window.firsts[name] = performance.now();
        };
        note('row', '#collection-table [role=row]:not([hidden])[data-record]:not([data-record=""])');
        note('picture', '#collection-pictures .bar');
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
"""


def page(program, collection, directory):
    """Prints the tables. `collection` is a large file with one classic puzzle per line; other files are made in `directory`."""
    with Browser() as browser:
        browser.devtools("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        print("| what | median | p95 | most |\n|---|---:|---:|---:|")
        with Server(program) as server:
            browser.go(server.address)
            proper_keys(browser, program, directory)
            empty_grid(browser)
            keys_of_a_running_count(browser)
        rows(browser, program, collection)


def show(name, times, unit="ms"):
    """Prints a row of the table."""
    ordered = sorted(times)
    most = ordered[min(len(ordered) * 95 // 100, len(ordered) - 1)]
    print(f"| {name} | {statistics.median(ordered):.1f} {unit} | {most:.1f} {unit} | {ordered[-1]:.1f} {unit} |", flush=True)


def choose(browser, selector, value):
    script = """const list = document.querySelector(arguments[0]);
        list.value = arguments[1]; list.dispatchEvent(new Event('change'))"""
    browser.run(script, selector, value)


def open_grid(browser, line):
    """Opens a puzzle by its address, and waits for its count."""
    browser.run("location.hash = 'shape=3x3&clues=' + arguments[0]", line)
    written = "[...document.querySelectorAll('#board [data-cell]')].map((cell) => +cell.dataset.digit || '.').join('')"
    browser.wait(f"{written} === '{line}'")
    browser.wait("document.querySelector('#verdict').dataset.verdict !== 'waiting'")


def focus(browser, cell):
    place = "document.querySelector(`[data-cell='${arguments[0]}']`)"
    browser.run(f"{place}.focus()", cell)


# Measures the time from the next key until the document has the verdict of the new grid.
MEASURE = """
    performance.clearMeasures();
    const verdict = document.querySelector('#verdict');
    const measure = ({ timeStamp: start }) => new MutationObserver((_, observer) => {
        if (verdict.dataset.verdict === 'waiting') return;
        performance.measure('verdict', { start, end: performance.now() });
        observer.disconnect();
    }).observe(verdict, { attributes: true });
    addEventListener('keydown', measure, { capture: true, once: true });
"""


def press_and_wait(browser, key):
    """Presses a key that changes a digit. Returns the time until the verdict, the verdict, and the time of the engine."""
    browser.run(MEASURE)
    browser.press(key)
    browser.wait("performance.getEntriesByName('verdict', 'measure').length")
    return browser.run("""return [performance.getEntriesByName('verdict', 'measure')[0].duration,
        document.querySelector('#verdict').dataset.verdict, document.querySelector('#engine-time').textContent]""")


def proper_puzzles():
    files = ["easy", "medium", "hard", "minimal"]
    datasets = [(ROOT / f"datasets/{name}.txt").read_text().split() for name in files]
    return [line for lines in zip(*datasets) for line in lines]


def proper_keys(browser, program, directory):
    """Removes a clue and puts it back, for clues of many proper puzzles."""
    times, engine, asked = [], [], []
    for number, line in enumerate(proper_puzzles()):
        if len(times) >= KEYS:
            break
        open_grid(browser, line)
        clues = [cell for cell in range(81) if line[cell] != "."]
        for cell in (clues + clues)[number % len(clues) :][:5]:
            focus(browser, cell)
            for key, digits in [(DELETE, line[:cell] + "." + line[cell + 1 :]), (line[cell], line)]:
                milliseconds, verdict, words = press_and_wait(browser, key)
                times.append(milliseconds)
                engine.append(engine_microseconds(words))
                asked.append((digits, verdict))
    compare_verdicts(program, asked, directory)
    show(f"verdict after a key, {len(times)} keys on proper puzzles", times)
    show("of this, the search for the verdict", engine, "µs")


def engine_microseconds(words):
    """Returns the time that the page shows, such as "verdict in 72.7 µs"."""
    number, unit = words.split()[-2:]
    return float(number.replace(",", "")) * {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}[unit]


def compare_verdicts(program, asked, directory):
    """Ends the script if a verdict of the page differs from that of `gridmill solve`."""
    path = pathlib.Path(f"{directory}/asked.txt")
    path.write_text("".join(f"{digits}\n" for digits, _ in asked))
    done = run([program, "solve", "-q", path])
    rows = done.output.decode().splitlines()[1:]
    for (digits, verdict), row in zip(asked, rows, strict=True):
        if f",{verdict}," not in row:
            give_up(f"the page says {verdict} for {digits}, but the program says {row}")


def empty_grid(browser):
    """Empties a grid again and again. The count has no limit, so it never ends."""
    open_grid(browser, "1" + 80 * ".")
    choose(browser, "#cap", "0")
    browser.run(WATCH_COUNT)
    focus(browser, 0)
    first, running = [], []
    for _ in range(ROUNDS):
        browser.run(MEASURE + "window.counts = []")
        browser.press(DELETE)
        browser.wait("performance.getEntriesByName('verdict', 'measure').length")
        browser.wait("window.counts.some(([, solutions]) => solutions > 2)")
        began, counted, counts = browser.run("""const [{ startTime, duration }] = performance.getEntriesByName('verdict', 'measure');
            return [startTime, duration, window.counts];""")
        first.append(counted)
        running.append(next(at for at, solutions in counts if solutions > 2) - began)
        press_and_wait(browser, "1")
    show("first count of the empty grid after a key", first)
    show("first count above 2 of the empty grid, whose count continues", running)


def keys_of_a_running_count(browser):
    """Fills in the first row and removes it again, while a count runs that never ends."""
    press_and_wait(browser, DELETE)
    times = []
    for key, cell in itertools.islice(itertools.cycle(changes()), 100):
        focus(browser, cell)
        milliseconds, verdict, _ = press_and_wait(browser, key)
        if verdict != "multiple":
            give_up(f"the page says {verdict} for a part of a row")
        times.append(milliseconds)
    show("verdict after a key, while a count runs that never ends", times)


def changes():
    return [(str(cell + 1), cell) for cell in range(5)] + [(DELETE, cell) for cell in range(5)]


def rows(browser, program, collection):
    clues = [sum(character not in ".0" for character in line[:81]) for line in open(collection)]
    print(f"\nA collection of {len(clues):,} puzzles:\n\n| what | |\n|---|---:|")
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH_ROWS)
    begun = time.perf_counter()
    with Server(program, collection) as server:
        show_value("until the address is printed", time.perf_counter() - begun, "s")
        browser.go(server.address)
        browser.wait("'row' in window.firsts")
        show_value("first rows, from the beginning of the page", browser.run("return window.firsts.row"), "ms")
        show_value("most memory by then", server.peak_megabytes(), "MB")
        browser.wait("document.querySelector('#collection-progress').dataset.phase !== 'reading'")
        show_value("until all is read", time.perf_counter() - begun, "s")
        browser.wait("'picture' in window.firsts")
        show_value("first pictures, from the beginning of the page", browser.run("return window.firsts.picture"), "ms")
        browser.wait("document.querySelector('#collection-progress').dataset.phase === 'idle'")
        show_value("until all is searched", time.perf_counter() - begun, "s")
        show_value("most memory by then", server.peak_megabytes(), "MB")
        views(browser, clues)
        show_value("most memory at the end", server.peak_megabytes(), "MB")


def show_value(name, value, unit):
    print(f"| {name} | {value:,.{2 if unit == 's' else 0}f} {unit} |", flush=True)


def views(browser, clues):
    """Sorts, filters and scrolls to the end, and compares the rows with the expected ones."""
    ordered = sorted(range(len(clues)), key=clues.__getitem__)
    show_value("sort by clues", change(browser, "[data-sort=clues]"), "ms")
    expect(browser, [row + 1 for row in ordered[:5]])
    show_value("sort by clues, descending", change(browser, "[data-sort=clues]"), "ms")
    for name in ["guesses", "time_ns", "status"]:
        show_value(f"sort by {name}", change(browser, f"[data-sort={name}]"), "ms")
    change(browser, "[data-sort=row]")
    most = max(set(clues), key=clues.count)
    show_value("filter by a bar of clues", change(browser, f".bar[data-field=clues][data-least='{most}']"), "ms")
    expect(browser, [row + 1 for row, number in enumerate(clues) if number == most][:5])
    shown = browser.run("return Number(document.querySelector('#collection-count').dataset.shown)")
    if shown != clues.count(most):
        give_up(f"the page shows {shown} rows with {most} clues, but there are {clues.count(most)}")
    show_value("filter and sort by time", change(browser, "[data-sort=time_ns]"), "ms")
    show_value("no filter", change(browser, ".chip[data-field=clues]"), "ms")
    change(browser, "[data-sort=row]")
    show_value("to the last row", until_rows(browser, "table.scroller.scrollTop = table.scroller.scrollHeight"), "ms")
    last = browser.run("return [...document.querySelectorAll('#collection-table [data-record]')].map((row) => Number(row.dataset.record))")
    if max(last) != len(clues):
        give_up(f"the last row is {max(last)}, but there are {len(clues)}")


def change(browser, selector):
    """Clicks an element that changes the view. Returns the milliseconds until the document has the new rows."""
    click = f"document.querySelector(\"{selector}\").dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"
    return until_rows(browser, click)


def until_rows(browser, act):
    return browser.run_async(
        f"""const table = {{ scroller: document.querySelector('#collection-scroller') }};
        const frame = () => new Promise(requestAnimationFrame);
        const rows = () => [...document.querySelectorAll('#collection-scroller [role=row]:not([hidden])')];
        const begun = performance.now();
        {act};
        do await frame(); while ('pending' in document.querySelector('#collection-count').dataset
            || !rows().length || rows().some((row) => row.ariaBusy === 'true'));
        return performance.now() - begun;"""
    )


def expect(browser, records):
    """Ends the script if the first rows are not these records."""
    shown = browser.run("""return [...document.querySelectorAll('#collection-scroller [role=row]:not([hidden])')]
        .sort((one, other) => one.ariaRowIndex - other.ariaRowIndex).map((row) => Number(row.dataset.record))""")
    if shown[: len(records)] != records:
        give_up(f"the first rows are {shown[:len(records)]}, not {records}")
