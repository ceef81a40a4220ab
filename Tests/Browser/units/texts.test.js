import { factsOf, playbackState, sourceState } from "/page/views/description.js";
import * as format from "/page/views/format.js";
import { playerURLs } from "/page/views/player-urls.js";
import { element } from "/page/views/element.js";
import { equal, holds, test } from "./check.js";

/** With a plain space in place of one at which no line breaks. */
const plain = (text) => text.replaceAll("\u00a0", " ");

const stream = (state, more = {}) => ({
    path: "/cam", title: null, tracks: [], bitrate: 0, viewers: 0,
    condition: { state, reason: null, secondsToNextTry: null, ...more },
});

test("bitrates, bytes and times have a unit that suits them", () => {
    equal([0, 950, 64_000, 999_499, 999_500, 2_013_650, 20_100_000, 250_000_000].map(format.bitrate).map(plain),
        ["0 bit/s", "950 bit/s", "64 kbit/s", "999 kbit/s", "1.0 Mbit/s", "2.01 Mbit/s", "20.1 Mbit/s", "250 Mbit/s"]);
    equal([0, 999, 1_000, 204_513_100, 3_000_000_000].map(format.bytes).map(plain), ["0 B", "999 B", "1 kB", "205 MB", "3.0 GB"]);
    equal([0, 92.4, 999.4, 999.6, 1_449, 9_949, 9_950, 61_000].map(format.milliseconds).map(plain),
        ["0 ms", "92 ms", "999 ms", "1.0 s", "1.4 s", "9.9 s", "10 s", "1 min 1 s"]);
    equal([0, 0.4, 14, 59.6, 200, 3_600, 7_500, 86_400, 349_200].map(format.duration).map(plain),
        ["0 s", "0 s", "14 s", "1 min", "3 min 20 s", "1 h", "2 h 5 min", "1 d", "4 d 1 h"]);
});

test("counts agree with their noun", () => {
    equal([0, 1, 3].map((count) => format.count(count, "viewer")), ["no viewers", "1 viewer", "3 viewers"]);
});

test("frame rates have no needless digits", () => {
    equal([30, 29.97, 0.5, 23.976].map(format.frameRate).map(plain), ["30 fps", "29.97 fps", "0.5 fps", "23.98 fps"]);
});

test("each state of a source has a word, and its reason is a sentence", () => {
    equal(sourceState(stream("running")).word, "Running");
    equal(sourceState(stream("sleeping")).kind, "idle");
    const failing = sourceState(stream("failing", { reason: "no camera at /dev/video0", secondsToNextTry: 4 }));
    equal(plain(failing.reason), "No camera at /dev/video0. Next try in 4 s.");
    equal(sourceState(stream("failing")).reason, "The source has failed. Trying again now.");
    equal(sourceState(stream("unheard-of")).kind, "busy");
});

test("what the source lacks explains more than what the connection lacks", () => {
    const connecting = { state: { state: "connecting", reason: null } };
    equal(playbackState(connecting, stream("failing", { reason: "no camera" })).word, "Failing");
    equal(playbackState(connecting, stream("running")).word, "Connecting");
    const lost = { state: { state: "connecting", reason: "the connection was lost" } };
    equal(playbackState(lost, stream("running")).reason, "The connection was lost; trying again.");
});

test("the facts of a stream name what is known", () => {
    const video = { kind: "video", codec: "H.264", width: 1280, height: 720, frameRate: 30 };
    equal(factsOf({ ...stream("running"), tracks: [video], bitrate: 2e6, viewers: 3 }).map(plain),
        ["1280 × 720", "30 fps", "2.0 Mbit/s", "3 viewers"]);
    const audio = { kind: "audio", codec: "AAC", sampleRate: 44_100, channels: 2 };
    equal(factsOf({ ...stream("running"), tracks: [audio] }).map(plain), ["audio only", "AAC, 44.1 kHz, stereo", "no viewers"]);
});

test("addresses name the user, and leave usual ports out", () => {
    const urls = playerURLs({ path: "/yard/cam" }, { rtsp: 554, rtsps: 8322 }, "ann", "cams.example");
    equal(urls[0].text, "rtsp://ann:PASSWORD@cams.example/yard/cam");
    equal(urls.find(({ title }) => title === "RTSP inside TLS").text, "rtsps://ann:PASSWORD@cams.example:8322/yard/cam");
    holds(playerURLs({ path: "/cam" }, { rtsp: null, rtsps: null }, null, "h").every(({ text }) => !text.includes("rtsp")));
});

test("commands quote what a shell would interpret", () => {
    const urls = playerURLs({ path: "/a&b" }, { rtsp: 8554, rtsps: null }, null, "localhost");
    equal(urls.find(({ title }) => title === "VLC").text, "vlc 'rtsp://localhost:8554/a&b'");
});

test("texts never become markup", () => {
    const made = element("p", { title: "\"><script>" }, "<img src=x onerror=alert(1)>");
    equal(made.childElementCount, 0);
    equal(made.textContent, "<img src=x onerror=alert(1)>");
});
