"""WebRTC on the page with the server itself: how old the displayed frames are, and what a publisher's viewers see.

The delays are compared as in server_test.py."""

import unittest

from browser import FOLDER, OPTIONS, playwright
from server_process import ServerProcess, free_port
from server_test import EXPECTED, PATHS, ROUNDS, SCRIPT, ServerTest

ANN = {"username": "ann", "password": "a long password"}

# In milliseconds, from POST to the first frame.
FIRST_FRAME = """async (hasSound) => {
    const video = document.querySelector("video");
    const durations = [];
    for (let index = 0; index < 7; index += 1) {
        apus.playback.stop();
        // Another phase of the four seconds between keyframes.
        await new Promise((resolve) => setTimeout(resolve, 570));
        performance.clearResourceTimings();
        apus.playback.start({ hasSound });
        const shown = await new Promise((resolve) => video.requestVideoFrameCallback((now) => resolve(now)));
        const [{ startTime }] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/whep"));
        durations.push(shown - startTime);
    }
    return durations;
}"""

# In milliseconds, from the arrival of a frame at the browser to the call back in which the page can draw it, and to its display.
RECEIVED_TO_SHOWN = """async (count) => {
    const video = document.querySelector("video");
    const durations = [];
    while (durations.length < count) {
        durations.push(await new Promise((resolve) => video.requestVideoFrameCallback((_, { receiveTime, expectedDisplayTime }) =>
            resolve([performance.now() - receiveTime, expectedDisplayTime - receiveTime]))));
    }
    return durations;
}"""

# In milliseconds, how much later sound is heard than the picture of the same time is shown, as the browser estimates it. Once a second,
# because that is how often there is a sender report.
SOUND_AFTER_PICTURE = """async (count) => {
    const differences = [];
    while (differences.length < count) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const stats = [...(await connections.at(-1).getStats()).values()].filter(({ type }) => type === "inbound-rtp");
        const [audio, video] = ["audio", "video"].map((kind) => stats.find((track) => track.kind === kind).estimatedPlayoutTimestamp);
        if (audio && video) differences.push(video - audio);
    }
    return differences;
}"""

class WebRTCServer(ServerTest):
    scripts = [FOLDER / "connections.js"]

    @classmethod
    def serve(cls):
        return ServerProcess(
            PATHS, webrtc={"port": free_port()},
            users={ANN["username"]: {"password": ANN["password"], "read": ["*"], "publish": ["yard"], "control": ["*"], "status": True}})

    def visit(self, path, script=SCRIPT):
        return self.open(self.server.url + path, script=script, http_credentials=ANN, expected=EXPECTED)

    def play(self, path):
        page = self.visit(path)
        # On a busy machine the first picture may be too late for the page, which then plays by another method.
        for _ in range(ROUNDS):
            page.wait_for_function("() => apus.playback.state.state === 'playing'")
            method, reason = page.evaluate("[apus.playback.method, apus.playback.methodReason]")
            if method == "webrtc":
                return page
            page.reload()
        self.fail(reason)

    def test_video_alone_is_shown_at_once_and_its_age_is_true(self):
        page = self.play("/card/")
        page.wait_for_function("() => apus.playback.age !== null")
        video = page.locator("video").element_handle()
        self.compare_delays("capture to display of video alone by WebRTC", page, video, 60)
        self.compare("capture to call back by WebRTC", 60, lambda: [
            sample["untilCall"] for sample in self.delays(page, video)], median_limit=25)
        self.compare("arrival to call back by WebRTC", 25, lambda: [
            call for call, _ in page.evaluate(RECEIVED_TO_SHOWN, 90)], median_limit=10)
        self.compare("arrival to display by WebRTC", 40, lambda: [display for _, display in page.evaluate(RECEIVED_TO_SHOWN, 90)])
        self.compare("error of the capture time by WebRTC", 5, lambda: [
            abs(sample["captureError"]) for sample in self.delays(page, video) if sample["captureError"] is not None])
        self.compare("error of the stated age by WebRTC", 20, lambda: [
            abs(sample["delay"] - sample["stated"]) for sample in self.delays(page, video) if sample["stated"] is not None])

    def test_with_sound_it_is_shown_at_once(self):
        page = self.play("/sound/")
        page.keyboard.press("m")
        page.wait_for_function("""() => apus.playback.state.state === 'playing'
            && document.querySelector('video').srcObject?.getAudioTracks().length === 1""")
        self.compare_delays("capture to display with sound by WebRTC", page, page.locator("video").element_handle(), 100)
        self.compare("sound after the picture by WebRTC", 80, lambda: map(abs, page.evaluate(SOUND_AFTER_PICTURE, 10)))

    def test_the_first_frame_does_not_wait_for_a_keyframe(self):
        for path, has_sound, limit in (("/card/", False, 200), ("/sound/", True, 250)):
            page = self.play(path)
            self.compare(f"POST to the first frame of {path} by WebRTC", limit, lambda: page.evaluate(FIRST_FRAME, has_sound))

    def test_a_camera_of_a_browser_is_played_by_others(self):
        browser = playwright().chromium.launch(executable_path=self.executable, args=[
            *OPTIONS, "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"])
        self.addCleanup(browser.close)
        publisher = browser.new_context(http_credentials=ANN).new_page()
        publisher.goto(self.server.url + "/yard/")
        publisher.get_by_role("tab", name="Publish").click()
        publisher.get_by_role("button", name="Publish a camera").click()
        publisher.get_by_text("This browser publishes the stream.").wait_for()
        for script, method in ((None, "webrtc"), (FOLDER / "without-webrtc.js", "socket")):
            page = self.visit("/yard/", script)
            page.wait_for_function(
                """method => apus.playback.state.state === 'playing' && apus.playback.method === method
                    && document.querySelector('video').videoWidth > 0""", arg=method)
        publisher.get_by_role("button", name="Stop publishing").click()
        publisher.get_by_text("Nothing is published from here.").wait_for()

    def test_an_operator_disconnects_a_viewer(self):
        page = self.play("/card/")
        page.get_by_role("tab", name="Viewers").click()
        page.get_by_role("button", name="Disconnect").first.click()
        page.locator(".reason").get_by_text("disconnected").wait_for()


if __name__ == "__main__":
    unittest.main()
