"""Plays with hls.js over an impaired network, for script/acceptance hls. Prints one line of JSON: the stalls, the qualities, and how old frames are.

Usage: hls_ladder.py URL SECONDS OPTIONS: those of hls.js as JSON.
"""

import json
import sys
import time

from playwright.sync_api import sync_playwright

from browser import OPTIONS
from hls_page import open_page, play

url, seconds, options = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])

WATCH = """() => {
    const video = document.querySelector("video");
    globalThis.stalls = [];
    let stalledAt = null;
    video.addEventListener("waiting", () => (stalledAt ??= Date.now()));
    video.addEventListener("playing", () => {
        if (stalledAt !== null) stalls.push({ at: stalledAt, seconds: (Date.now() - stalledAt) / 1000 });
        stalledAt = null;
    });
    globalThis.ages = [];
    const sample = async () => {
        const [{ delay }] = await delays(video, 1, () => null);
        ages.push({ at: Date.now(), age: delay });
        setTimeout(sample, 100);
    };
    sample();
}"""

# The page comes from the test and its media from a private address, which browsers refuse without TLS.
INSECURE = "--disable-web-security"

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[*OPTIONS, INSECURE])
    began = time.time()
    page, _ = open_page(browser, url)
    first = play(page, "/cam/index.m3u8", options)
    page.evaluate(WATCH)
    time.sleep(max(0, began + seconds - time.time()))
    result = page.evaluate("() => ({ stalls, levels, choices, ages })")
    print(json.dumps({"first": first, **result}))
