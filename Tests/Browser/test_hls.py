"""HLS in browsers: hls.js, and Chromium's own player. Only with script/test-page --strict, because hls.js is inside a package of 31 MB."""

import os
import re
import statistics
import subprocess
import tempfile
import unittest

from browser import BrowserTest
from hls_page import open_page, play
from server_process import BINARY, ServerProcess, free_port

IS_STRICT = os.environ.get("APUS_STRICT_DELAYS") == "1"

CARD = {"width": 640, "height": 360, "frameRate": 30, "gopMilliseconds": 1_000}


@unittest.skipUnless(IS_STRICT, "needs hls.js, which is large")
class HLS(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run(
            [BINARY, "certificate", "--folder", folder.name, "--host", "127.0.0.1", "--replace"], check=True, capture_output=True)
        cls.server = ServerProcess({
            "card": {"source": "testcard", "video": CARD},
            "low": {"source": "stream:card", "video": {"width": 320, "height": 180}},
        }, tls={
            "encryption": "optional", "port": free_port(), "certificate": f"{folder.name}/certificate.pem",
            "key": f"{folder.name}/key.pem"})

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def visit(self, url=None):
        page, close = open_page(self.browser, url or self.server.url)
        self.addCleanup(close)
        return page

    def check(self, name, options, limit, first_limit, url=None):
        """Plays for five seconds, and compares the delay from capture to display and the time to the first frame with limits."""
        page = self.visit(url)
        first = play(page, "/card/index.m3u8", options)
        self.assertIsNotNone(first, "no frame is displayed")
        page.wait_for_function("() => document.querySelector('video').currentTime > 5", timeout=60_000)
        samples = page.evaluate("() => delays(document.querySelector('video'), 90, () => null)")
        values = sorted(sample["delay"] for sample in samples if sample["delay"] is not None)
        self.assertGreater(len(values), 60, "frames with a readable overlay")
        late = values[len(values) * 95 // 100]
        print(f"{name}: first frame {first:.0f} ms, delay median {statistics.median(values):.0f} ms, p95 {late:.0f} ms ... ", flush=True)
        self.assertLess(late, limit)
        self.assertLess(first, first_limit)
        return page

    def test_hls_js_with_low_latency(self):
        self.check("hls.js with low latency", {"lowLatencyMode": True}, 1_200, 800)

    def test_hls_js_with_low_latency_over_http2(self):
        page = self.check("hls.js with low latency over HTTP/2", {"lowLatencyMode": True}, 1_200, 800, self.server.secure_url)
        requests = page.evaluate(
            """() => performance.getEntriesByType("resource").filter((entry) => entry.name.includes("/~"))
                .map(({ name, nextHopProtocol, requestStart, responseEnd }) => ({ name, nextHopProtocol, requestStart, responseEnd }))""")
        self.assertEqual({request["nextHopProtocol"] for request in requests}, {"h2"})
        reloads = [request for request in requests if "_HLS_part=" in request["name"]]
        parts = [request for request in requests if re.search(r"-\d+-\d+\.mp4$", request["name"])]
        self.assertGreater(len(reloads), 10, "playlists that are waited for")
        self.assertGreater(len(parts), 10)
        waiting = statistics.median(request["responseEnd"] - request["requestStart"] for request in reloads)
        self.assertGreater(waiting, 50, "milliseconds until a playlist has its next part")
        shared = [part for part in parts if any(
            reload["requestStart"] < part["requestStart"] < reload["responseEnd"] for reload in reloads)]
        self.assertGreater(len(shared), 5, "parts that come while a playlist is waited for")

    def test_hls_js_without_low_latency(self):
        self.check("hls.js without low latency", {"lowLatencyMode": False}, 4_000, 3_000)

    def test_chromium_itself(self):
        self.check("Chromium itself", None, 12_000, 5_000)

    def test_hls_js_plays_all_qualities(self):
        page = self.visit()
        play(page, "/card/index.m3u8", {"lowLatencyMode": True})
        for height in (180, 360):
            page.evaluate("height => { hls.nextLevel = hls.levels.findIndex((level) => level.height === height); }", height)
            page.wait_for_function("height => document.querySelector('video').videoHeight === height", arg=height, timeout=15_000)

    def test_hls_js_plays_audio_alone(self):
        page = self.visit()
        page.evaluate("""() => {
            globalThis.hls = new Hls({ lowLatencyMode: true });
            hls.loadSource("/card/index.m3u8?video=0");
            hls.attachMedia(document.querySelector("video"));
            document.querySelector("video").play();
        }""")
        page.wait_for_function("() => document.querySelector('video').currentTime > 3", timeout=20_000)
        self.assertGreater(page.evaluate("document.querySelector('video').webkitAudioDecodedByteCount"), 0)


if __name__ == "__main__":
    unittest.main()
