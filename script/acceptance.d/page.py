"""The page of the server in Chromium: plays a stream, and says what is wrong. Runs in the environment of script/test-page."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Tests/Browser"))

from browser import chromium
from playwright.sync_api import Error

# The player is live, and displays the stream: two more frames.
LIVE = "() => globalThis.apus?.playback?.state.state === 'playing'"
TWO_FRAMES = """() => new Promise((resolve) => {
    const video = document.querySelector("video");
    video.requestVideoFrameCallback(() => video.requestVideoFrameCallback(resolve));
})"""


def problem(url, seconds=15):
    """What is wrong with the page at this URL within so many seconds, or an empty text."""
    context = chromium("/usr/bin/chromium").new_context()
    context.set_default_timeout(1000 * seconds)
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        page.goto(url)
        page.wait_for_function(LIVE)
        page.evaluate(TWO_FRAMES)
    except Error as error:
        state = page.evaluate("JSON.stringify(globalThis.apus?.playback?.state ?? null)")
        problems.append(f"{str(error).splitlines()[0]} in state {state}")
    finally:
        context.close()
    return "; ".join(problems)
