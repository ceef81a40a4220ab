"""A page that plays with hls.js, as if the server had it. hls.js is inside the package gradio (script/install-dependencies --hls)."""

from pathlib import Path

from server_process import ROOT

OVERLAY = Path(__file__).resolve().parent / "timestamp-overlay.js"
LIBRARY = next(ROOT.glob(".build-python-hls/lib/*/site-packages/gradio/templates/frontend/assets/hls-*.js"), None)

# The package exports a function that makes a player with its own options; the player's class is that of hls.js.
PAGE = """<!doctype html><title>hls.js</title><video muted></video><script type="module">
import { t as make } from "/hls-test/hls.js";
const probe = make(document.createElement("video"), "/hls-test/none");
globalThis.Hls = probe.constructor;
probe.destroy();
</script>"""

PLAY = """async ([source, options]) => {
    const video = document.querySelector("video");
    const began = performance.now();
    const first = new Promise((resolve) => {
        if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(() => resolve(performance.now() - began));
    });
    if (options) {
        globalThis.hls = new Hls(options);
        globalThis.levels = [];
        globalThis.choices = [];
        hls.on(Hls.Events.LEVEL_SWITCHING, (_, { height }) => choices.push({ at: Date.now(), height }));
        hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => levels.push({ at: Date.now(), height: hls.levels[level].height }));
        hls.on(Hls.Events.ERROR, (_, { details, fatal }) => { if (fatal) console.error(details); });
        hls.loadSource(source);
        hls.attachMedia(video);
    } else {
        video.src = source;
    }
    video.play();
    return await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20_000, null))]);
}"""


def open_page(browser, url):
    """A page at `url`, a server, in which `Hls` is the class of hls.js, and the function that ends it."""
    # Certificates of tests are signed by themselves.
    context = browser.new_context(ignore_https_errors=True)
    context.add_init_script(path=OVERLAY)
    page = context.new_page()
    page.route("**/hls-test/page", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.route("**/hls-test/hls.js", lambda route: route.fulfill(body=LIBRARY.read_bytes(), content_type="text/javascript"))
    page.route("**/hls-test/none", lambda route: route.fulfill(status=404, body=""))
    page.goto(url + "/hls-test/page")
    page.wait_for_function("() => globalThis.Hls")
    return page, context.close


def play(page, source, options):
    """Begins to play with hls.js, or without options by the browser itself. Returns the milliseconds to the first frame, or None."""
    return page.evaluate(PLAY, [source, options])
