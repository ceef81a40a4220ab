"""The page with the player of one stream, against the stand-in of the server."""

import subprocess
import tempfile
import time
import unittest

from browser import BrowserTest
from stand_in import StandIn, Stream


class Player(BrowserTest):
    def setUp(self):
        self.server = StandIn(
            [Stream("/yard", 640, 360, audio=True, title="Yard, north"), Stream("/yard/sub", 320, 180, parent="/yard"),
             Stream("/radio", audio=True, video=False)],
            rights=["read", "control", "status"], user="ann")
        self.addCleanup(self.server.stop)

    def play(self, path="/yard/", **options):
        page = self.open(self.server.url + path, **options)
        self.wait_until_live(page)
        return page

    def wait_until_live(self, page):
        """Until the player is live, and two more frames were displayed."""
        page.wait_for_function("() => apus.playback.state.state === 'playing'")
        page.evaluate("""() => new Promise((resolve) => {
            const video = document.querySelector("video");
            video.requestVideoFrameCallback(() => video.requestVideoFrameCallback(resolve));
        })""")

    def panel(self, page, name):
        page.get_by_role("tab", name=name).click()
        return page.get_by_role("tabpanel", name=name)

    def media_connections(self):
        return [(path, query) for _, path, query, _ in self.server.requests if path.endswith("/ws") and not path.startswith("/api")]

    def test_it_plays_at_the_live_edge_and_knows_the_age_of_the_frame(self):
        page = self.play()
        page.wait_for_function("() => apus.playback.age !== null && apus.playback.gap < 0.5", timeout=15_000)
        self.assertLess(page.evaluate("apus.playback.age"), 1_000)

    def test_a_muted_player_does_without_audio(self):
        page = self.play()
        self.assertEqual(self.media_connections(), [("/yard/ws", {"audio": "0"})])
        page.keyboard.press("m")
        page.wait_for_function("() => apus.playback.state.state === 'playing' && !document.querySelector('video').muted")
        self.assertEqual(self.media_connections()[-1], ("/yard/ws", {}))
        page.wait_for_function("() => document.querySelector('video').webkitAudioDecodedByteCount > 0")

    def test_another_quality_is_another_stream(self):
        page = self.play()
        page.get_by_label("Quality").select_option("/yard/sub")
        page.wait_for_function("() => document.querySelector('video').videoWidth === 320")

    def test_the_method_can_be_chosen(self):
        page = self.play()
        page.get_by_label("Playback method").select_option("file")
        page.wait_for_function("() => apus.playback.method === 'file' && apus.playback.state.state === 'playing'")
        self.wait_until_live(page)
        page.get_by_label("Playback method").select_option("snapshots")
        page.wait_for_function("() => apus.playback.state.state === 'playing' && document.querySelector('canvas').width > 0")

    def test_blocked_websockets_lead_to_http_once_and_aloud(self):
        self.server.blocks_sockets = True
        page = self.open(self.server.url + "/yard/", expected=("Failed to load resource", "WebSocket connection"))
        page.wait_for_function("() => apus.playback.method === 'file' && apus.playback.state.state === 'playing'")
        page.wait_for_function("() => document.getElementById('announcements').textContent.includes('Now playing by MSE over HTTP.')")

    def test_after_a_cut_it_is_live_again_and_the_gap_is_skipped(self):
        page = self.play()
        self.server.cut()
        page.wait_for_function("() => apus.playback.state.state !== 'playing'", timeout=10_000)
        time.sleep(3)
        self.server.mend()
        mended = time.monotonic()
        page.wait_for_function("() => apus.playback.state.state === 'playing'")
        self.wait_until_live(page)
        self.assertLess(time.monotonic() - mended, 4)
        page.wait_for_function("() => apus.playback.gap < 0.5")

    def test_another_init_segment_needs_no_other_connection(self):
        page = self.play("/yard/sub/")
        self.server.replace("/yard/sub", Stream("/yard/sub", 480, 270, parent="/yard"))
        page.wait_for_function("() => document.querySelector('video').videoWidth === 480")
        self.wait_until_live(page)
        self.assertEqual(len(self.media_connections()), 1)

    def test_a_stream_that_does_not_exist_yet_is_played_when_it_does(self):
        page = self.open(self.server.url + "/late/", expected=("Failed to load resource", "WebSocket connection"))
        page.locator(".reason").get_by_text("There is no such stream now; trying again.").wait_for()
        self.server.add(Stream("/late", 320, 180))
        self.wait_until_live(page)

    def test_a_removed_stream_is_mentioned(self):
        page = self.play("/yard/sub/")
        self.server.remove("/yard/sub")
        page.locator(".reason").get_by_text("The stream was removed; trying again.").wait_for()

    def test_a_disconnected_viewer_stays_disconnected(self):
        page = self.play()
        self.server.close_sockets(4000, "an operator has disconnected you")
        page.locator(".reason").get_by_text("An operator has disconnected you.").wait_for()
        # What was received before may still be played.
        page.evaluate("document.querySelector('video').dispatchEvent(new Event('playing'))")
        self.assertEqual(page.evaluate("apus.playback.state.state"), "failed")
        self.assertEqual(len(self.media_connections()), 1)
        page.get_by_role("button", name="Play").first.click()
        self.wait_until_live(page)

    def test_stop_ends_the_connection(self):
        page = self.play()
        page.keyboard.press("k")
        page.locator(".state").get_by_text("Stopped").wait_for()
        self.server.wait_until(lambda: not any(socket.stream for socket in self.server.sockets))

    def test_audio_alone_is_played_with_sound(self):
        page = self.open(self.server.url + "/radio/")
        page.wait_for_function("() => apus.playback.state.state === 'playing' && document.querySelector('video').currentTime > 1")

    def test_addresses_can_be_read_with_a_phone(self):
        page = self.play()
        panel = self.panel(page, "Addresses")
        panel.get_by_role("button", name="QR code of RTSP", exact=True).click()
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            page.locator(".qr").screenshot(path=file.name)
            found = subprocess.run(["zbarimg", "--quiet", "--raw", file.name], capture_output=True, text=True)
        self.assertEqual(found.stdout.strip(), "rtsp://ann:PASSWORD@127.0.0.1:8554/yard")

    def test_a_setting_is_changed_and_taken_back(self):
        page = self.play()
        panel = self.panel(page, "Settings")
        slider = panel.get_by_role("slider", name="Brightness")
        slider.focus()
        page.keyboard.press("ArrowRight")
        panel.get_by_text("Camera.controls: changed; viewers stay connected.").wait_for()
        self.assertEqual(self.setting("camera.controls")["value"], {"brightness": 141})
        panel.get_by_role("button", name="Reset Controls").click()
        self.server.wait_until(lambda: self.setting("camera.controls")["value"] == {})
        page.wait_for_function("slider => slider.value === '128'", arg=slider.element_handle())

    def test_a_refused_setting_shows_the_reason_and_the_former_value(self):
        page = self.play()
        panel = self.panel(page, "Settings")
        field = panel.get_by_role("spinbutton", name="Bitrate")
        field.fill("15000000")
        field.press("Enter")
        panel.get_by_text("Video.bitrate: the encoder does not accept more than 9 Mbit/s.").wait_for()
        page.wait_for_function("field => field.value === '2000000'", arg=field.element_handle())

    def setting(self, name):
        return next(setting for setting in self.server.settings if setting["key"] == name)

    def test_masks_are_shown_over_the_video_and_changed(self):
        page = self.play()
        panel = self.panel(page, "Settings")
        page.locator(".masks > div").wait_for(state="attached")
        width = panel.get_by_role("group", name="Mask 1").get_by_label("width")
        width.fill("50")
        width.press("Enter")
        self.server.wait_until(lambda: self.setting("effects.privacyMasks")["value"] == [["0%", "0%", "50%", "30%"]])
        self.assertEqual(page.locator(".masks > div").evaluate("mask => mask.style.width"), "50%")
        self.panel(page, "Details")
        self.assertEqual(page.locator(".masks > div").count(), 0)

    def test_an_operator_requests_keyframes_and_restarts(self):
        page = self.play()
        panel = self.panel(page, "Settings")
        panel.get_by_role("button", name="Request a keyframe").click()
        panel.get_by_text("A keyframe was requested.").wait_for()
        page.once("dialog", lambda dialog: dialog.accept())
        panel.get_by_role("button", name="Restart the source").click()
        panel.get_by_text("The source is started again.").wait_for()
        posted = [path for method, path, _, _ in self.server.requests if method == "POST"]
        self.assertEqual(posted, ["/api/v1/sources/keyframe", "/api/v1/sources/restart"])

    def test_viewers_are_listed_and_disconnected(self):
        page = self.play()
        panel = self.panel(page, "Viewers")
        panel.get_by_text("VLC 3.0.21").wait_for()
        panel.get_by_text("(this page)").wait_for()
        panel.get_by_role("button", name="Disconnect 127.0.0.1").click()
        page.locator(".reason").get_by_text("An operator has disconnected you.").wait_for()
        # An operator of this path alone has no right to viewers of all paths.
        deleted = [query for method, _, query, _ in self.server.requests if method == "DELETE"]
        self.assertEqual(deleted, [{"path": "/yard"}])

    def test_latency_is_drawn_and_told(self):
        page = self.play()
        panel = self.panel(page, "Latency")
        plot = panel.get_by_role("img", name="Encoder in → encoder out")
        plot.wait_for()
        self.assertIn("1 to 2 ms: 50 %", plot.get_attribute("aria-label"))

    def test_the_log_follows(self):
        page = self.play()
        panel = self.panel(page, "Log")
        panel.get_by_text("wrong password for user ann").wait_for()
        panel.get_by_label("Show").select_option("warning")
        panel.get_by_text("plays /cam over TCP").wait_for(state="hidden")
        count = len(self.server.log)
        self.server.log = self.server.log + [{"number": count + 1, "time": 1.0, "level": "error", "text": "a new line"}]
        panel.get_by_text("a new line").wait_for()
        self.assertEqual(panel.locator("li").count(), count + 1)
        # Another run of the server begins its numbers anew.
        self.server.log = [{"number": 1, "time": 2.0, "level": "error", "text": "the only line"}]
        panel.get_by_text("the only line").wait_for()
        self.assertEqual(panel.locator("li").count(), 1)

    def test_a_viewer_without_rights_has_no_tools(self):
        self.server.rights = ["read"]
        page = self.play()
        self.assertEqual(page.get_by_role("tab").all_inner_texts(), ["Details", "Addresses"])

    def test_embedded_it_is_the_player_alone(self):
        page = self.play("/yard/?embed")
        self.assertFalse(page.get_by_role("link", name="All streams").is_visible())
        self.assertFalse(page.locator(".panels").is_visible())
        self.assertEqual(page.locator(".stage").bounding_box()["x"], 0)

    def test_tabs_follow_the_arrow_keys(self):
        page = self.play()
        page.get_by_role("tab", name="Details").focus()
        page.keyboard.press("ArrowRight")
        self.assertEqual(page.get_by_role("tab", selected=True).inner_text(), "Addresses")
        page.keyboard.press("End")
        self.assertEqual(page.get_by_role("tab", selected=True).inner_text(), "Log")

    def test_axe_finds_nothing_in_any_panel_and_both_colour_schemes(self):
        for scheme in ("dark", "light"):
            page = self.play(color_scheme=scheme)
            page.get_by_role("tab", name="Log").wait_for()
            for tab in page.get_by_role("tab").all():
                tab.click()
                with self.subTest(scheme=scheme, panel=tab.inner_text()):
                    self.check_accessibility(page)


if __name__ == "__main__":
    unittest.main()
