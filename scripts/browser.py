"""A browser without a window, driven by the WebDriver protocol, and the server of `gridmill serve`."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from common import give_up

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-breakpad""".split()

# Seconds to wait for something before it is a failure.
DEADLINE = 120


class Browser:
    """A chromedriver with its own browser. Both end with the `with` block."""

    def __init__(self):
        if shutil.which("chromedriver") is None:
            give_up("chromedriver is missing (Debian: the packages chromium and chromium-driver)")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = ["chromedriver", "--port=0"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.driver = subprocess.Popen(command, start_new_session=True, **pipes)
        port = first_match(self.driver.stdout, r"successfully on port (\d+)")
        self.session = f"http://127.0.0.1:{port}/session"
        arguments = [*FLAGS, f"--user-data-dir={self.profile.name}/profile"]
        options = {"goog:chromeOptions": {"args": arguments}, "timeouts": {"script": 1000 * DEADLINE}}
        self.session += "/" + self.post("", capabilities={"alwaysMatch": options})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The browser belongs to the driver's group of processes.
        os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()
        self.profile.cleanup()

    def post(self, path, **body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.session + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=2 * DEADLINE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            give_up(f"the browser refuses {path}: {json.load(error)['value']['message']}")

    def go(self, address):
        self.post("/url", url="about:blank")
        self.post("/url", url=address)

    def run(self, script, *arguments):
        """Runs the body of a function in the page, with these `arguments`, and returns its value."""
        return self.post("/execute/sync", script=script, args=arguments)

    def run_async(self, script):
        """Runs the body of an async function in the page, and returns its value."""
        body = f"const done = arguments[0]; (async () => {{ {script} }})().then(done, (error) => done('' + error))"
        return self.post("/execute/async", script=body, args=[])

    def wait(self, condition):
        """Waits until a condition holds in the page."""
        end = time.monotonic() + DEADLINE
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                give_up(f"not within {DEADLINE} s: {condition}")
            time.sleep(0.005)

    def press(self, keys):
        """Presses and releases keys one after another. The element with the focus gets them."""
        events = [{"type": kind, "value": key} for key in keys for kind in ["keyDown", "keyUp"]]
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": events}])

    def devtools(self, command, **parameters):
        """Sends a command of the browser's own protocol."""
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)


class Server:
    """`gridmill serve` on a free port. Ends with the `with` block."""

    def __init__(self, program, *files):
        command = [program, "serve", "--port", "0", *files]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = first_match(self.process.stderr, r"(http://\S+)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def peak_megabytes(self):
        """Returns the peak memory of the process so far."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def first_match(lines, pattern):
    for line in lines:
        if found := re.search(pattern, line):
            return found[1]
    give_up(f"a program ended before it printed {pattern}")
