"""WebRTC on the page, against the stand-in of the server with aiortc as its peer."""

import time
import unittest
from unittest import mock

from browser import OPTIONS, BrowserTest, playwright
from stand_in import StandIn, Stream
from webrtc_peer import CaptureTimes

# Keeps the connections of a page, and the servers for ICE that they were given.
SPY = """
    globalThis.connections = [];
    globalThis.servers = [];
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...configuration) {
            super(...configuration);
            connections.push(this);
        }
        setConfiguration(configuration) {
            servers.push(configuration.iceServers);
            super.setConfiguration(configuration);
        }
    };
    /** Samples of audio that were given to the loudspeaker. */
    globalThis.heardSamples = async () => {
        const reports = [...(await connections.at(-1).getStats()).values()];
        return reports.find(({ type, kind }) => type === "inbound-rtp" && kind === "audio")?.jitterBufferEmittedCount ?? 0;
    };"""

# What a page says of sessions and sockets that end.
EXPECTED = ("Failed to load resource", "WebSocket connection")


class WebRTCTest(BrowserTest):
    scripts = []

    def setUp(self):
        self.server = StandIn(
            [Stream("/yard", 640, 360, audio=True, title="Yard"), Stream("/gate", 320, 180), Stream("/radio", audio=True, video=False)],
            rights=["read", "publish", "control", "status"], user="ann")
        self.server.webrtc.state = "working"
        self.addCleanup(self.server.stop)

    def visit(self, path="/yard/"):
        return self.open(self.server.url + path, expected=EXPECTED)

    def visit_with(self, script, path="/yard/"):
        """Opens a page in which a script runs before those of the page."""
        page = self.visit(path)
        page.add_init_script(script)
        page.reload()
        return page

    def wait_until_live(self, page, method="webrtc"):
        """Until the player is live by this method, and another frame was displayed."""
        page.wait_for_function("method => apus.playback.method === method && apus.playback.state.state === 'playing'", arg=method)
        page.evaluate("() => new Promise((resolve) => document.querySelector('video').requestVideoFrameCallback(resolve))")

    def play(self, path="/yard/", method="webrtc"):
        page = self.visit(path)
        self.wait_until_live(page, method)
        return page

    def requests(self, method, path):
        return [request for request in self.server.requests if request[0] == method and request[1].startswith(path)]

    def method_reason(self, page):
        return page.evaluate("apus.playback.methodReason")


class Playing(WebRTCTest):
    def test_it_plays_by_webrtc_first_and_without_a_websocket_for_media(self):
        page = self.play()
        self.assertIsNone(self.method_reason(page))
        self.assertEqual([url for url in page.sockets if url.endswith("/yard/ws")], [])
        self.assertEqual(page.get_by_label("Playback method").input_value(), "webrtc")

    def test_the_age_of_the_frame_is_that_of_its_capture_time(self):
        with mock.patch.object(CaptureTimes, "age", 0.5):
            page = self.play()
            page.wait_for_function("() => apus.playback.age !== null")
            # The frame was captured half a second before it was sent, by the server's clock, and was displayed after that.
            self.assertGreaterEqual(page.evaluate("apus.playback.age"), 499)
            page.wait_for_function("() => apus.playback.age < 1_000 && apus.playback.gap < 0.5")

    def test_a_muted_player_does_without_audio(self):
        page = self.visit_with(SPY)
        self.wait_until_live(page)
        self.assertNotIn(b"m=audio", self.requests("POST", "/yard/whep")[-1][3])
        page.keyboard.press("m")
        page.wait_for_function("""() => apus.playback.state.state === 'playing'
            && document.querySelector('video').srcObject?.getAudioTracks().length === 1""")
        page.wait_for_function("async () => await heardSamples() > 10_000")
        self.assertIn(b"m=audio", self.requests("POST", "/yard/whep")[-1][3])

    def test_audio_alone_is_played_with_sound(self):
        page = self.visit_with(SPY, "/radio/")
        page.wait_for_function("() => apus.playback.state.state === 'playing' && apus.playback.method === 'webrtc'")
        page.wait_for_function("async () => await heardSamples() > 10_000")

    def test_another_quality_is_another_session(self):
        self.server.add(Stream("/yard/sub", 320, 180, parent="/yard"))
        page = self.play()
        page.get_by_label("Quality").select_option("/yard/sub")
        page.wait_for_function("() => document.querySelector('video').videoWidth === 320")
        self.server.wait_until(lambda: [session.path for session in self.server.webrtc.living] == ["/yard/sub"])

    def test_another_method_can_be_chosen_and_webrtc_again(self):
        page = self.play()
        page.get_by_label("Playback method").select_option("socket")
        self.wait_until_live(page, "socket")
        self.assertIsNone(self.method_reason(page))
        page.get_by_label("Playback method").select_option("webrtc")
        self.wait_until_live(page)

    def test_stop_deletes_the_session(self):
        page = self.play()
        page.keyboard.press("k")
        page.locator(".state").get_by_text("Stopped").wait_for()
        self.server.wait_until(lambda: not self.server.webrtc.sessions)

    def test_a_page_that_is_left_deletes_its_session(self):
        page = self.play()
        page.goto("about:blank")
        self.server.wait_until(lambda: not self.server.webrtc.sessions)

    def test_a_hidden_page_plays_nothing(self):
        page = self.play()
        page.evaluate("""() => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        self.server.wait_until(lambda: not self.server.webrtc.sessions)
        page.evaluate("""() => {
            delete document.hidden;
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        self.wait_until_live(page)

    def test_tiles_play_with_media_source_extensions(self):
        page = self.open(self.server.url + "/", expected=EXPECTED)
        page.wait_for_function("() => apus.grid.tiles.get('/yard')?.isLive")
        self.assertEqual(page.evaluate("apus.grid.tiles.get('/yard').playback.method"), "socket")
        self.assertEqual(self.requests("POST", "/yard/whep"), [])

    def test_an_embedded_player_knows_the_stream_and_the_age(self):
        page = self.play("/yard/?embed")
        page.wait_for_function("() => apus.playback.stream?.title === 'Yard' && apus.playback.age !== null")

    def test_servers_for_ice_are_those_of_the_answer(self):
        self.server.webrtc.headers = 'Link: <stun:127.0.0.1:9>; rel="ice-server"\r\n'
        page = self.visit_with(SPY)
        self.wait_until_live(page)
        self.assertEqual(page.evaluate("servers"), [[{"urls": "stun:127.0.0.1:9"}]])


class Ending(WebRTCTest):
    def test_a_disconnected_viewer_stays_disconnected_and_reads_the_reason(self):
        page = self.play()
        self.server.webrtc.end(403, "an operator has disconnected you")
        page.locator(".reason").get_by_text("An operator has disconnected you.").wait_for()
        page.evaluate("document.querySelector('video').dispatchEvent(new Event('playing'))")
        self.assertEqual(page.evaluate("apus.playback.state.state"), "failed")
        self.assertEqual(len(self.requests("POST", "/yard/whep")), 1)
        page.get_by_role("button", name="Play").first.click()
        self.wait_until_live(page)

    def test_a_removed_stream_is_mentioned_and_played_again_when_it_is_back(self):
        page = self.play("/gate/")
        stream = self.server.streams["/gate"]
        self.server.remove("/gate")
        self.server.webrtc.end(410, "the stream was removed")
        page.locator(".reason").get_by_text("The stream was removed; trying again.").wait_for()
        self.server.add(stream)
        self.wait_until_live(page)

    def test_a_session_that_the_server_has_ended_is_followed_by_another(self):
        page = self.play()
        self.server.webrtc.end(410, "the stream has other tracks now")
        self.server.wait_until(lambda: len(self.requests("POST", "/yard/whep")) == 2)
        self.wait_until_live(page)

    def test_after_a_cut_it_is_live_again_by_webrtc(self):
        page = self.play()
        self.server.cut()
        page.wait_for_function("() => apus.playback.state.state !== 'playing'", timeout=10_000)
        page.locator(".reason").get_by_text("The server does not answer; trying again.").wait_for()
        self.server.mend()
        mended = time.monotonic()
        self.wait_until_live(page)
        self.assertLess(time.monotonic() - mended, 4)

    def test_a_source_that_is_silent_is_waited_for(self):
        page = self.play()
        self.server.call(self.server.streams["/yard"].stop)
        page.wait_for_function("() => apus.playback.state.state === 'waiting'")
        self.server.wait_until(lambda: self.requests("GET", "/yard/whep/"))
        self.server.call(lambda: self.server.streams["/yard"].run(self.server.loop))
        self.wait_until_live(page)
        self.assertEqual(len(self.requests("POST", "/yard/whep")), 1)

    def test_a_stream_that_does_not_exist_yet_is_played_when_it_does(self):
        page = self.visit("/late/")
        page.locator(".reason").get_by_text("There is no such stream now; trying again.").wait_for()
        self.server.add(Stream("/late", 320, 180))
        self.wait_until_live(page)


class Fallback(WebRTCTest):
    def test_without_webrtc_on_the_server_nothing_is_different_but_the_reason(self):
        self.server.webrtc.state = "absent"
        page = self.play(method="socket")
        self.assertEqual(self.method_reason(page), "the server does not offer WebRTC")
        self.assertEqual(len(self.requests("POST", "/yard/whep")), 1)
        self.assertNotIn("Now playing", page.locator("#announcements").inner_text())

    def test_blocked_packets_lead_to_a_websocket_once_aloud_and_with_the_address(self):
        self.server.webrtc.state = "blocked"
        page = self.play(method="socket")
        self.assertEqual(
            self.method_reason(page), "WebRTC does not get through to the server at 127.0.0.1:9 (UDP)")
        page.wait_for_function(
            "() => document.getElementById('announcements').textContent.includes('Now playing by MSE over WebSocket.')")
        page.get_by_text("Because WebRTC does not get through").wait_for()
        self.server.wait_until(lambda: not self.server.webrtc.sessions)

    def test_after_a_failure_webrtc_is_tried_again_only_after_a_minute(self):
        self.server.webrtc.state = "blocked"
        page = self.visit_with("""
            globalThis.later = 0;
            const now = performance.now.bind(performance);
            performance.now = () => now() + later;""")
        self.wait_until_live(page, "socket")
        count = len(self.requests("POST", "/yard/whep"))
        self.server.webrtc.state = "working"
        page.keyboard.press("k")
        page.keyboard.press("k")
        self.wait_until_live(page, "socket")
        self.assertEqual(len(self.requests("POST", "/yard/whep")), count)
        page.keyboard.press("k")
        page.evaluate("later = 60_000")
        page.keyboard.press("k")
        self.wait_until_live(page)
        self.assertIsNone(self.method_reason(page))

    def test_a_session_without_a_picture_is_given_up(self):
        self.server.webrtc.state = "silent"
        page = self.play(method="socket")
        self.assertEqual(self.method_reason(page), "no picture came by WebRTC in time")

    def test_an_offer_without_an_answer_is_given_up_as_soon_as_one_without_a_picture(self):
        self.server.webrtc.answer_delay = 3
        page = self.visit()
        self.server.wait_until(lambda: self.requests("POST", "/yard/whep"))
        offered = time.monotonic()
        self.server.wait_until(lambda: self.requests("GET", "/yard/ws"))
        self.assertLess(time.monotonic() - offered, 2)
        self.wait_until_live(page, "socket")
        self.assertEqual(self.method_reason(page), "the server does not answer offers of WebRTC in time")
        # The session that was created all the same.
        self.server.wait_until(lambda: self.requests("DELETE", "/yard/whep/"))
        self.server.wait_until(lambda: not self.server.webrtc.sessions)
        self.assertEqual(len(self.requests("POST", "/yard/whep")), 1)

    def test_an_offer_that_waits_for_the_source_is_not_given_up(self):
        self.server.webrtc.answer_delay = 2.5
        # It has no tracks yet.
        self.server.streams["/yard"].condition_state = "failing"
        page = self.visit()
        self.server.wait_until(lambda: self.requests("POST", "/yard/whep"))
        self.wait_until_live(page)
        self.assertEqual(self.requests("GET", "/yard/ws"), [])

    def test_a_refusal_leads_to_a_websocket_at_once_with_the_reason_of_the_server(self):
        self.server.webrtc.refusal = (406, "the stream has B-frames, which browsers do not decode in WebRTC")
        page = self.play(method="socket")
        self.assertEqual(self.method_reason(page), "the stream has B-frames, which browsers do not decode in WebRTC")

    def test_a_stream_that_nobody_publishes_is_looked_for_again(self):
        self.server.webrtc.refusal = (409, "nobody publishes the stream", "Retry-After: 1\r\n")
        page = self.visit()
        page.locator(".reason").get_by_text("Nobody publishes the stream; trying again.").wait_for()
        self.server.wait_until(lambda: len(self.requests("POST", "/yard/whep")) >= 3)
        self.server.webrtc.refusal = None
        self.wait_until_live(page)

    def test_a_busy_server_is_asked_twice(self):
        self.server.webrtc.refusal = (503, "too many sessions begin at the same time", "Retry-After: 1\r\n")
        page = self.play(method="socket")
        self.assertEqual(self.method_reason(page), "too many sessions begin at the same time")
        self.assertEqual(len(self.requests("POST", "/yard/whep")), 2)

    def test_audio_that_does_not_come_by_webrtc_leads_to_a_websocket_while_it_is_heard(self):
        self.server.webrtc.has_audio = False
        page = self.play()
        page.keyboard.press("m")
        self.wait_until_live(page, "socket")
        self.assertEqual(self.method_reason(page), "the server does not send the audio of this stream by WebRTC")
        page.keyboard.press("m")
        self.wait_until_live(page)

    def test_a_session_whose_packets_no_longer_come_through_is_given_up(self):
        page = self.play()
        # The answers of the server still come, and its packets do not.
        self.server.webrtc.state = "blocked"
        self.server.webrtc.close_connections()
        self.wait_until_live(page, "socket")


class Publishing(WebRTCTest):
    """With the camera and the microphone that Chromium makes up."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = playwright().chromium.launch(executable_path=cls.executable, args=[
            *OPTIONS, "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            "--auto-select-desktop-capture-source=Entire screen"])
        cls.addClassCleanup(cls.browser.close)

    def panel(self, path="/yard/"):
        page = self.visit(path)
        page.get_by_role("tab", name="Publish").click()
        return page, page.get_by_role("tabpanel", name="Publish")

    def publications(self):
        return [session for session in self.server.webrtc.living if session.kind == "whip"]

    def test_a_camera_is_published_until_it_is_stopped(self):
        page, panel = self.panel()
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("This browser publishes the stream.").wait_for()
        self.server.wait_until(lambda: self.publications()[0].frame_count > 10)
        panel.get_by_label("What is published").wait_for()
        panel.get_by_role("button", name="Stop publishing").click()
        panel.get_by_text("Nothing is published from here.").wait_for()
        self.server.wait_until(lambda: not self.publications())
        [(_, path, _, offer)] = self.requests("POST", "/yard/whip")
        self.assertEqual(path, "/yard/whip")
        self.assertEqual((offer.count(b"m=video"), offer.count(b"m=audio"), offer.count(b"a=sendonly")), (1, 1, 2))

    def test_a_publisher_without_sound_offers_none(self):
        _, panel = self.panel()
        panel.get_by_label("With sound").uncheck()
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("This browser publishes the stream.").wait_for()
        self.assertNotIn(b"m=audio", self.requests("POST", "/yard/whip")[0][3])

    def test_a_refused_publisher_reads_the_reason(self):
        _, panel = self.panel()
        self.server.webrtc.refusal = (409, "another client publishes the stream")
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("Stopped: another client publishes the stream.").wait_for()
        panel.get_by_role("button", name="Publish a camera").wait_for()

    def test_a_publisher_that_is_replaced_does_not_return(self):
        page, panel = self.panel()
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("This browser publishes the stream.").wait_for()
        self.server.webrtc.end(410, "another client publishes the stream now")
        panel.get_by_text("Stopped: another client publishes the stream now.").wait_for()
        self.assertEqual(len(self.requests("POST", "/yard/whip")), 1)

    def test_a_forgotten_session_is_followed_by_another(self):
        _, panel = self.panel()
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("This browser publishes the stream.").wait_for()
        self.server.webrtc.end(404, "there is no such session")
        self.server.wait_until(lambda: len(self.requests("POST", "/yard/whip")) == 2)
        panel.get_by_text("This browser publishes the stream.").wait_for()

    def test_a_publisher_waits_until_the_server_has_noticed_that_its_session_is_lost(self):
        _, panel = self.panel()
        panel.get_by_role("button", name="Publish a camera").click()
        panel.get_by_text("This browser publishes the stream.").wait_for()
        self.server.webrtc.refusal = (409, "another client publishes the stream", "Retry-After: 1\r\n")
        self.server.webrtc.close_connections()
        panel.get_by_text("Connecting: another client publishes the stream.").wait_for()
        self.server.webrtc.refusal = None
        panel.get_by_text("This browser publishes the stream.").wait_for()

    def test_only_users_with_the_right_have_the_panel(self):
        self.server.rights = ["read", "control", "status"]
        page = self.visit()
        page.get_by_role("tab", name="Settings").wait_for()
        self.assertEqual(page.get_by_role("tab", name="Publish").count(), 0)

    def test_axe_finds_nothing_in_the_panel(self):
        page, panel = self.panel()
        panel.get_by_role("button", name="Publish a screen").wait_for()
        self.check_accessibility(page)


if __name__ == "__main__":
    unittest.main()
