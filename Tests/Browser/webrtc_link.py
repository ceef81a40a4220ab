"""Plays with the page's player over WebRTC on an impaired network, for script/acceptance webrtc. Prints one line of JSON: what WebRTC
counts twice a second, the times at which frames were displayed, and by which method and protocol it has played.

Usage: webrtc_link.py URL SECONDS
"""

import json
import sys
import time

from playwright.sync_api import sync_playwright

from browser import OPTIONS

url, seconds = sys.argv[1], float(sys.argv[2])

# Keeps the connections of the page.
SPY = """
    globalThis.connections = [];
    globalThis.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...configuration) {
            super(...configuration);
            connections.push(this);
        }
    };"""

WATCH = """() => {
    const video = document.querySelector("video");
    globalThis.shown = [];
    const show = () => {
        shown.push(Date.now());
        video.requestVideoFrameCallback(show);
    };
    video.requestVideoFrameCallback(show);
    globalThis.samples = [];
    globalThis.sample = async () => {
        const reports = [...((await connections.at(-1)?.getStats()) ?? new Map()).values()];
        const received = reports.find(({ type, kind }) => type === "inbound-rtp" && kind === "video") ?? {};
        const { selectedCandidatePairId } = reports.find(({ type }) => type === "transport") ?? {};
        const pair = reports.find(({ id }) => id === selectedCandidatePairId);
        const local = reports.find(({ id }) => id === pair?.localCandidateId);
        const { freezeCount, totalFreezesDuration, framesDecoded, packetsLost, nackCount, pliCount, bytesReceived } = received;
        return { at: Date.now(), protocol: local?.protocol, freezeCount, totalFreezesDuration, framesDecoded, packetsLost, nackCount,
            pliCount, bytesReceived };
    };
    setInterval(async () => samples.push(await sample()), 500);
}"""

IS_PLAYING = "() => globalThis.apus?.playback?.state.state === 'playing'"
RESULT = """async () => ({
    shown, samples: [...samples, await sample()], sessions: connections.length,
    method: apus.playback.method, reason: apus.playback.methodReason,
})"""

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
    page = browser.new_page()
    page.add_init_script(SPY)
    page.goto(url)
    page.wait_for_function(IS_PLAYING)
    page.evaluate(WATCH)
    time.sleep(seconds)
    print(json.dumps(page.evaluate(RESULT)))
