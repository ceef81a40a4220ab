"""Chromium for the tests of the page."""

import atexit
import functools
import unittest
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe, AxeResults
from playwright.sync_api import sync_playwright

FILES = Path(__file__).resolve().parents[2] / "Sources/CPage/Files"
FOLDER = Path(__file__).resolve().parent
UNITS = FOLDER / "units"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

# Features of Chromium that are off. It heeds only the last such list, so the one of Playwright comes first.
DISABLED_FEATURES = [
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
    # The suggestions of the address bar, which are pages that each window loads: over a second of a processor for each test.
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
]

# Without a GPU there is a software display with 60 Hz. Users click before they hear sound; tests do not.
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--disable-features=" + ",".join(DISABLED_FEATURES)]


@functools.cache
def playwright():
    """Playwright, which ends with the process."""
    result = sync_playwright().start()
    atexit.register(result.stop)
    return result


@functools.cache
def chromium(executable):
    """The browser of all tests of the process, because one takes two seconds to start. It ends with Playwright."""
    return playwright().chromium.launch(executable_path=executable, args=OPTIONS)


class BrowserTest(unittest.TestCase):
    """Tests that share one browser. A page that reports an error fails its test."""

    executable = "/usr/bin/chromium"
    # Files that run in each page before its own scripts. Most tests are about players without WebRTC.
    scripts = [FOLDER / "without-webrtc.js"]

    @classmethod
    def setUpClass(cls):
        cls.browser = chromium(cls.executable)

    def open(self, url, **options):
        """A page of a fresh profile. `expected` has parts of messages that are no failures, `script` is a file that runs in the page."""
        expected = options.pop("expected", ("Failed to load resource",))
        script = options.pop("script", None)
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        for path in [*self.scripts, *([script] if script else [])]:
            context.add_init_script(path=path)
        page = context.new_page()
        page.sockets = []
        page.on("websocket", lambda socket: page.sockets.append(socket.url))
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        self.addCleanup(lambda: self.assertEqual([text for text in problems if not any(part in text for part in expected)], []))
        page.goto(url)
        return page

    def check_accessibility(self, page):
        """Fails if axe finds something on the page."""
        if not page.evaluate("Boolean(globalThis.axe)"):
            page.evaluate(Axe().axe_script)
        results = AxeResults(page.evaluate("axe.run({ resultTypes: ['violations'] })"))
        self.assertEqual(results.violations_count, 0, results.generate_report())


def serve_files(route):
    """Answers requests for modules of the page and for unit tests from their folders."""
    path = route.request.url.split("://", 1)[1].split("/", 1)[1].split("?")[0]
    folder, _, name = path.partition("/")
    file = {"page": FILES, "units": UNITS}.get(folder, FILES) / name
    if file.is_file():
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
    else:
        route.fulfill(body="<!doctype html><title>Tests</title>", content_type="text/html")
