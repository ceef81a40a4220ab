"""Tests of the page with the server itself, and how they measure delays.

The delays hold on a machine that does nothing else (script/test-page --strict). Otherwise they are printed, and compared with those of
a player that does not hold the live edge or waits for keyframes, until they are better once."""

import os
import statistics
from pathlib import Path

from browser import BrowserTest
from server_process import ServerProcess

IS_STRICT = os.environ.get("APUS_STRICT_DELAYS") == "1"

# The median on a busy machine, in milliseconds. Without a fast start, half of the starts would take two seconds and more, because keyframes
# are four seconds apart.
BUSY = 1_500
# How often a busy machine is given another chance.
ROUNDS = 5

SCRIPT = Path(__file__).resolve().parent / "timestamp-overlay.js"
# What a page says of requests and sockets that fail or end.
EXPECTED = ("Failed to load resource", "WebSocket connection")

CARD = {"width": 640, "height": 360, "frameRate": 30, "gopMilliseconds": 4_000}
PATHS = {
    "card": {"source": "testcard", "video": CARD, "audio": {"enabled": False}},
    "sound": {"source": "testcard", "video": CARD},
    "short": {"source": "testcard", "video": {**CARD, "gopMilliseconds": 1_000}, "audio": {"enabled": False}},
    "yard": {"source": "publish"},
}


class ServerTest(BrowserTest):
    """Tests that share one server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.serve()

    @classmethod
    def serve(cls):
        return ServerProcess(PATHS)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        if status != 0:
            raise AssertionError(f"the server has ended with {status}: {cls.server.end}")

    def visit(self, path):
        return self.open(self.server.url + path, script=SCRIPT, expected=EXPECTED)

    def play(self, path):
        page = self.visit(path)
        page.wait_for_function("() => apus.playback.state.state === 'playing'")
        return page

    def compare(self, name, limit, measure, median_limit=None):
        """Measures until the median is that of a working player; with --strict until the percentile 95 and the median are within the
        limits."""
        median_limit = limit if median_limit is None else median_limit
        for _ in range(ROUNDS):
            values = sorted(measure())
            median, late = statistics.median(values), values[min(len(values) * 95 // 100, len(values) - 1)]
            print(f"{name}: median {median:.1f} ms (limit {median_limit} ms), p95 {late:.1f} ms ({limit} ms) ... ", flush=True)
            if (late <= limit and median <= median_limit) or (median <= BUSY and not IS_STRICT):
                return
        self.fail(f"{name}: {median:.0f} ms, p95 {late:.0f} ms")

    def delays(self, page, video):
        """The delays of 90 frames from capture to display, in milliseconds, and the ages that the page states."""
        samples = page.evaluate("video => delays(video, 90, () => globalThis.apus?.playback?.age ?? null)", video)
        samples = [sample for sample in samples if sample["delay"] is not None]
        self.assertGreater(len(samples), 60, "frames with a readable overlay")
        self.assertGreater(min(sample["delay"] for sample in samples), 0, "no frame is displayed before it was captured")
        return samples

    def compare_delays(self, name, page, video, limit):
        self.compare(name, limit, lambda: [sample["delay"] for sample in self.delays(page, video)])
