"""Chromium for the tests of the page."""

import unittest
from pathlib import Path

from playwright.sync_api import sync_playwright

FILES = Path(__file__).resolve().parents[2] / "Sources/CPage/Files"
UNITS = Path(__file__).resolve().parent / "units"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

# Without a GPU there is a software display with 60 Hz. Users click before they hear sound; tests do not.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"]


class BrowserTest(unittest.TestCase):
    """Tests that share one browser. A page that reports an error fails its test."""

    executable = "/usr/bin/chromium"

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=cls.executable, args=OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def open(self, url, **options):
        """A page of a fresh profile. `expected` has parts of messages that are no failures, `script` is a file that runs in the page."""
        expected = options.pop("expected", ("Failed to load resource",))
        script = options.pop("script", None)
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        if script:
            context.add_init_script(path=script)
        page = context.new_page()
        page.sockets = []
        page.on("websocket", lambda socket: page.sockets.append(socket.url))
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        self.addCleanup(lambda: self.assertEqual([text for text in problems if not any(part in text for part in expected)], []))
        page.goto(url)
        return page


def serve_files(route):
    """Answers requests for modules of the page and for unit tests from their folders."""
    path = route.request.url.split("://", 1)[1].split("/", 1)[1].split("?")[0]
    folder, _, name = path.partition("/")
    file = {"page": FILES, "units": UNITS}.get(folder, FILES) / name
    if file.is_file():
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
    else:
        route.fulfill(body="<!doctype html><title>Tests</title>", content_type="text/html")
