"""Pictures of the page, for the documentation: pictures.py FOLDER."""

import sys

from playwright.sync_api import sync_playwright

from browser import OPTIONS
from server_process import ServerProcess

SIZE = {"width": 640, "height": 360, "frameRate": 25}
PATHS = {
    "cam": {"source": "testcard", "title": "Workshop", "video": {**SIZE, "width": 1280, "height": 720, "bitrate": 3_000_000}},
    "yard": {"source": "publish", "title": "Yard"},
    "gate": {"source": "publish", "title": "Gate"},
    "roof": {"source": "publish", "title": "Roof"},
    "cellar": {"source": "/dev/video9", "title": "Cellar"},
    "attic": {"source": "testcard", "title": "Attic", "onDemand": True, "video": SIZE},
}
PUBLISHED = {
    "/yard": "gradients=s=640x360:r=25:speed=0.01:c0=0x1b4965:c1=0x62b6cb:c2=0xbee9e8:c3=0x5fa8d3:n=4:seed=3",
    "/gate": "mandelbrot=s=640x360:r=25:start_scale=0.8",
    "/roof": "life=s=160x90:r=25:mold=25:ratio=0.2:seed=7:life_color=0xffd166:death_color=0x264653:mold_color=0x264653,scale=640:360:flags=neighbor",
}
LIVE = """names => names.every((name) => {
    const tile = apus.grid.tiles.get(name);
    return tile?.isLive && /\\d/.test(tile.element.querySelector(".age").textContent);
})"""


def take(browser, url, file, ready, argument=None, **options):
    page = browser.new_context(**options).new_page()
    page.goto(url)
    page.wait_for_function(ready, arg=argument)
    # Until rates of the last second are known.
    page.wait_for_timeout(3_000)
    page.screenshot(path=file, type="jpeg", quality=82)
    page.context.close()


def main(folder):
    server = ServerProcess(PATHS)
    try:
        for path, source in PUBLISHED.items():
            server.publish(path, source)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
            desktop = {"viewport": {"width": 1280, "height": 760}, "color_scheme": "dark"}
            phone = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "has_touch": True, "color_scheme": "light"}
            take(browser, server.url, f"{folder}/page.jpg", LIVE, ["/cam", *PUBLISHED], **desktop)
            take(browser, server.url, f"{folder}/page-phone.jpg", LIVE, ["/cam"], **phone)
            take(browser, server.url + "/cam/", f"{folder}/page-player.jpg", "() => apus.playback.age !== null", **desktop)
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
