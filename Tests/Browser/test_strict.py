"""What takes long, or needs root: only with script/test-page --strict."""

import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from browser import BrowserTest
from server_process import ServerProcess

IS_STRICT = os.environ.get("APUS_STRICT_DELAYS") == "1"
SMALL = {"source": "testcard", "video": {"width": 320, "height": 180, "frameRate": 15, "bitrate": 200_000}, "audio": {"enabled": False}}
# WebSockets and requests that end with a connection or a session.
EXPECTED = ("Failed to load resource", "WebSocket connection")


@unittest.skipUnless(IS_STRICT, "takes long")
class Tiles(BrowserTest):
    def test_twelve_tiles_play_for_half_a_minute_without_waiting(self):
        source = ServerProcess({"card": SMALL})
        self.addCleanup(source.stop)
        url = f"rtsp://127.0.0.1:{source.rtsp_port}/card"
        server = ServerProcess({f"tile{number}": {"source": url} for number in range(12)})
        self.addCleanup(server.stop)
        page = self.open(server.url + "/", viewport={"width": 1600, "height": 1200}, expected=EXPECTED)
        page.wait_for_function("() => [...apus.grid.tiles.values()].filter((tile) => tile.isLive).length === 12")
        # The players learn how evenly frames come.
        page.wait_for_timeout(5_000)
        result = page.evaluate(
            """async () => {
                const events = [];
                const videos = [...document.querySelectorAll("video")];
                for (const video of videos) video.addEventListener("waiting", () => events.push(video.currentTime));
                const counts = () => videos.map((video) => video.getVideoPlaybackQuality().totalVideoFrames);
                const before = counts();
                await new Promise((resolve) => setTimeout(resolve, 30_000));
                return { events, frames: counts().map((count, index) => count - before[index]) };
            }""")
        self.assertEqual(len(result["frames"]), 12)
        self.assertGreater(min(result["frames"]), 25 * 15, "frames per tile")
        self.assertEqual(result["events"], [])


@unittest.skipUnless(IS_STRICT, "takes long")
class Operator(BrowserTest):
    def test_an_operator_logs_in_by_digest_and_changes_and_disconnects(self):
        server = ServerProcess(
            {"cam": SMALL}, access={"loopback": "password"},
            users={"ann": {"password": "a long password", "read": ["*"], "control": ["cam"], "status": True}})
        self.addCleanup(server.stop)
        page = self.open(
            server.url + "/cam/", http_credentials={"username": "ann", "password": "a long password"}, expected=EXPECTED)
        page.wait_for_function("() => apus.playback.state.state === 'playing'")
        page.get_by_role("tab", name="Settings").click()
        field = page.get_by_role("tabpanel", name="Settings").get_by_role("spinbutton", name="Bitrate")
        field.fill("300000")
        field.press("Enter")
        page.wait_for_function(
            """() => fetch("/api/v1/settings?path=/cam").then((answer) => answer.json())
                .then(({ settings }) => settings.find(({ key }) => key === "video.bitrate").value === 300_000)""")
        page.get_by_role("tab", name="Viewers").click()
        page.get_by_role("button", name="Disconnect 127.0.0.1").click()
        page.locator(".reason").get_by_text("disconnected").wait_for()


class Cable:
    """A network namespace for the browser, connected to this one by a virtual cable."""

    name, host, guest = "apus-browser", "10.78.0.1", "10.78.0.2"

    def __init__(self):
        self.remove()
        for line in (
                f"netns add {self.name}", f"link add apus-cable type veth peer name cable netns {self.name}",
                f"addr add {self.host}/24 dev apus-cable", "link set apus-cable up",
                f"-n {self.name} addr add {self.guest}/24 dev cable", f"-n {self.name} link set cable up",
                f"-n {self.name} link set lo up"):
            subprocess.run(["ip", *line.split()], check=True)
        self.executable = tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False)
        self.executable.write(f'#!/bin/sh\nexec ip netns exec {self.name} /usr/bin/chromium "$@"\n')
        self.executable.close()
        os.chmod(self.executable.name, 0o755)

    def remove(self):
        for line in (f"netns del {self.name}", "link del apus-cable"):
            subprocess.run(["ip", *line.split()], stderr=subprocess.DEVNULL, check=False)

    def cut(self):
        """Sends all packets in both directions to an address that no card has, so that they vanish without an error."""
        for place, address, card in ((["-n", self.name], self.host, "cable"), ([], self.guest, "apus-cable")):
            subprocess.run(
                ["ip", *place, "neigh", "replace", address, "lladdr", "02:00:00:00:00:99", "dev", card, "nud", "permanent"], check=True)

    def join(self):
        for place, address, card in ((["-n", self.name], self.host, "cable"), ([], self.guest, "apus-cable")):
            subprocess.run(["ip", *place, "neigh", "del", address, "dev", card], check=True)


@unittest.skipUnless(IS_STRICT and os.geteuid() == 0, "takes long, and needs root")
class Network(BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.cable = Cable()
        cls.addClassCleanup(cls.cable.remove)
        cls.addClassCleanup(lambda: Path(cls.cable.executable.name).unlink())
        cls.executable = cls.cable.executable.name
        super().setUpClass()
        cls.addClassCleanup(cls.browser.close)

    def test_after_a_cut_of_15_seconds_playback_is_live_within_two_seconds(self):
        server = ServerProcess({"cam": {**SMALL, "video": {**SMALL["video"], "gopMilliseconds": 4_000}}}, access={"open": True})
        self.addCleanup(server.stop)
        page = self.open(f"http://{self.cable.host}:{server.http_port}/cam/", expected=EXPECTED)
        page.wait_for_function("() => apus.playback.state.state === 'playing' && apus.playback.age < 300")
        position = page.evaluate("document.querySelector('video').currentTime")
        self.cable.cut()
        time.sleep(15)
        page.locator(".state").get_by_text("Live").wait_for(state="hidden")
        self.cable.join()
        joined = time.monotonic()
        page.wait_for_function("() => apus.playback.state.state === 'playing' && apus.playback.age !== null && apus.playback.age < 300")
        seconds = time.monotonic() - joined
        print(f"live {seconds:.2f} s after the network was back ... ", flush=True)
        # The first packet passes at most half a second after the network is back, with the next attempt to connect.
        self.assertLess(seconds, 2.5)
        # What was missed is not played later.
        self.assertLess(page.evaluate("document.querySelector('video').currentTime") - position, 10)


if __name__ == "__main__":
    unittest.main()
