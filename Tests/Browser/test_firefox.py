"""The page in Debian's Firefox ESR, if it is installed: only with script/test-page --strict."""

import os
import shutil
import unittest
from pathlib import Path

from firefox import Firefox
from server_process import ServerProcess
from server_test import PATHS, ROUNDS

IS_STRICT = os.environ.get("APUS_STRICT_DELAYS") == "1"
SCRIPT = Path(__file__).resolve().parent / "timestamp-overlay.js"


@unittest.skipUnless(IS_STRICT and shutil.which("firefox-esr"), "takes long, and needs firefox-esr")
class PageInFirefox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ServerProcess(PATHS)
        cls.addClassCleanup(cls.server.stop)
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.close)

    def compare(self, path, has_sound, limit):
        """Measures until the percentile 95 of the delays of 90 frames is within the limit, in milliseconds."""
        self.firefox.open(self.server.url + path)
        self.firefox.evaluate(
            """
            const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50)); };
            await until(() => page.apus);
            // Objects of this script cannot be read by the page.
            page.apus.playback.start(page.JSON.parse(`{"hasSound": ${values[0]}}`));
            await until(() => page.apus.playback.state.state === "playing");
            await new Promise((resolve) => setTimeout(resolve, 5_000));
            """, has_sound)
        for _ in range(ROUNDS):
            values = sorted(self.firefox.evaluate(
                SCRIPT.read_text() + """
                const samples = await delays(document.querySelector("video"), 90, () => null, { drawsLater: true });
                return samples.map(({ delay }) => delay).filter((delay) => delay !== null);
                """))
            self.assertGreater(len(values), 60, "frames with a readable overlay")
            median, late = values[len(values) // 2], values[len(values) * 95 // 100]
            print(f"{path} in Firefox: median {median:.0f} ms, p95 {late:.0f} ms (limit {limit} ms) ... ", flush=True)
            if late <= limit:
                return
        self.fail(f"{path}: p95 {late:.0f} ms")

    def test_video_alone_is_at_the_live_edge(self):
        self.compare("/card/", False, 80)

    def test_with_sound_it_is_at_the_live_edge(self):
        self.compare("/sound/", True, 200)


if __name__ == "__main__":
    unittest.main()
