"""The page with the server itself: how old the displayed frames are, and what happens when streams come and go."""

import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from browser import BrowserTest
from playwright.sync_api import TimeoutError
from server_process import BINARY, ServerProcess, free_port
from server_test import CARD, PATHS, ServerTest

HERE = Path(__file__).resolve().parent


class Server(ServerTest):
    def test_video_alone_is_at_the_live_edge_and_its_age_is_true(self):
        page = self.play("/card/")
        page.wait_for_function("() => apus.playback.gap < apus.playback.target + 0.05")
        video = page.locator("video").element_handle()
        self.compare_delays("delay of video alone", page, video, 80)
        # The page knows the capture time from `prft`, and the clock of the server from its messages.
        self.compare("error of the stated age", 40, lambda: [
            abs(sample["delay"] - sample["stated"]) for sample in self.delays(page, video) if sample["stated"] is not None])

    def test_with_sound_it_is_at_the_live_edge(self):
        page = self.play("/sound/")
        page.keyboard.press("m")
        page.wait_for_function("() => apus.playback.state.state === 'playing' && !document.querySelector('video').muted")
        page.wait_for_function("() => apus.playback.gap < apus.playback.target + 0.05")
        self.compare_delays("delay with sound", page, page.locator("video").element_handle(), 200)
        self.assertGreater(page.evaluate("document.querySelector('video').webkitAudioDecodedByteCount"), 0)

    def test_an_endless_file_plays_in_a_video_element(self):
        page = self.visit("/")
        for name, query in (("video alone", "?audio=0"), ("sound", "")):
            # Each time from the beginning, because a browser that plays a file stays as far behind as it was when it began.
            self.compare(f"delay of index.mp4 with {name}", 500, lambda: self.file_delays(page, f"/sound/index.mp4{query}"))

    def file_delays(self, page, source):
        video = page.evaluate_handle(
            """source => {
                const video = Object.assign(document.createElement("video"), { src: source, muted: true });
                document.body.replaceChildren(video);
                video.play();
                return video;
            }""", source)
        # Before that, frames of the fast start are displayed, which are older.
        page.wait_for_function("video => video.currentTime > 1", arg=video)
        return [sample["delay"] for sample in self.delays(page, video)]

    def test_the_first_frame_does_not_wait_for_a_keyframe(self):
        page = self.play("/card/")
        self.compare("first frame", 300, lambda: page.evaluate(
            """async () => {
                const video = document.querySelector("video");
                const durations = [];
                for (let index = 0; index < 7; index += 1) {
                    apus.playback.stop();
                    // Another phase of the four seconds between keyframes.
                    await new Promise((resolve) => setTimeout(resolve, 570));
                    const began = performance.now();
                    apus.playback.start({ hasSound: false });
                    await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
                    durations.push(performance.now() - began);
                }
                return durations;
            }"""))

    def test_without_media_source_extensions_the_browser_plays_hls(self):
        # Chromium's own player ends with DEMUXER_ERROR_COULD_NOT_PARSE if it asks for the playlist again before there is a new segment,
        # which it does unless the playlist has some seconds.
        qualities = self.server.read("/short/index.m3u8").splitlines()
        playlist = "/short/" + next(line for line in qualities if line.startswith("~"))
        end = time.monotonic() + 20
        while self.server.read(playlist).count("#EXTINF") < 5:
            self.assertLess(time.monotonic(), end, "five segments")
            time.sleep(0.1)
        page = self.open(self.server.url + "/short/", script=HERE / "without-mse.js", expected=("Failed to load resource",))
        # On a busy machine a segment may be late all the same, so a viewer who reloads the page twice is patient enough.
        for is_last in (False, False, True):
            try:
                page.wait_for_function(
                    "() => apus.playback.method === 'hls' && apus.playback.state.state === 'playing'", timeout=15_000
                )
                # It is still said to play when nothing but time has passed.
                page.wait_for_function("() => document.querySelector('video').currentTime > 4", timeout=15_000)
                break
            except TimeoutError:
                if is_last:
                    raise
                page.reload()
        self.assertEqual(page.evaluate("apus.playback.state.state"), "playing")
        self.assertEqual(page.sockets, [socket for socket in page.sockets if "/short/ws" not in socket])

    def test_streams_appear_and_disappear_without_a_reload(self):
        page = self.visit("/")
        page.wait_for_function("() => apus.grid.tiles.get('/card')?.isLive")
        page.evaluate("globalThis.isSamePage = true")
        self.server.change({**PATHS, "annex": {"source": "testcard", "title": "Annex", "video": CARD}})
        page.wait_for_function("() => apus.grid.tiles.get('/annex')?.isLive")
        page.get_by_role("link", name="Annex", exact=True).wait_for()
        self.server.change(PATHS)
        page.get_by_role("link", name="Annex", exact=True).wait_for(state="detached")
        self.assertTrue(page.evaluate("globalThis.isSamePage"))

    def test_a_publisher_is_killed_and_returns_at_another_size_on_the_same_connection(self):
        publisher = self.server.publish("/yard", "testsrc2=size=320x180:rate=25")
        page = self.play("/yard/")
        page.wait_for_function("() => document.querySelector('video').videoWidth === 320")
        publisher.kill()
        page.wait_for_function("() => apus.playback.state.state === 'waiting'")
        self.server.publish("/yard", "testsrc2=size=640x360:rate=25")
        page.wait_for_function("() => document.querySelector('video').videoWidth === 640 && apus.playback.state.state === 'playing'")
        position = page.evaluate("document.querySelector('video').currentTime")
        page.wait_for_function("position => document.querySelector('video').currentTime > position + 1", arg=position)
        self.assertEqual(len([url for url in page.sockets if "/yard/ws" in url]), 1)


class SecureServer(BrowserTest):
    def test_the_page_comes_by_http2_and_the_media_by_a_websocket(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        subprocess.run(
            [BINARY, "certificate", "--folder", folder.name, "--host", "127.0.0.1", "--replace"], check=True, capture_output=True)
        server = ServerProcess({"card": PATHS["card"]}, tls={
            "encryption": "optional", "port": free_port(), "certificate": f"{folder.name}/certificate.pem",
            "key": f"{folder.name}/key.pem"})
        self.addCleanup(server.stop)
        page = self.open(
            server.secure_url + "/card/", ignore_https_errors=True, expected=("Failed to load resource", "WebSocket connection"))
        page.wait_for_function("() => apus.playback.state.state === 'playing'")
        protocols = page.evaluate(
            """() => ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
                .map((entry) => entry.nextHopProtocol).filter((name) => name !== "")""")
        self.assertGreater(len(protocols), 3)
        self.assertEqual(set(protocols), {"h2"})
        self.assertTrue(any(url.startswith("wss://") for url in page.sockets), page.sockets)


if __name__ == "__main__":
    unittest.main()
