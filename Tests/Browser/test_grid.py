"""The page with all streams, against the stand-in of the server."""

import unittest

from browser import BrowserTest
from stand_in import StandIn, Stream


def streams():
    return [
        Stream("/yard", 640, 360, title="Yard, north"),
        Stream("/yard/sub", 320, 180, parent="/yard"),
        Stream("/gate", 320, 180, title="<img src=x onerror=alert(1)>"),
        Stream("/workshop", state="failing", reason="no camera at /dev/video2"),
        Stream("/attic", state="sleeping"),
        Stream("/radio", audio=True, video=False, title="Intercom"),
    ]


class Grid(BrowserTest):
    def setUp(self):
        self.server = StandIn(streams(), rights=["read", "status"])
        self.addCleanup(self.server.stop)

    def tile(self, page, name):
        return page.locator(".tile").filter(has=page.get_by_role("link", name=name, exact=True))

    def wait_until_live(self, page, name):
        """Until the tile shows frames of which the age is known, and another frame half a second later."""
        page.wait_for_function(
            """name => {
                const tile = [...apus.grid.tiles.values()].find((tile) => tile.element.querySelector("a").textContent === name);
                return tile?.isLive && /\\d/.test(tile.element.querySelector(".age").textContent);
            }""", arg=name)

    def test_tiles_show_moving_video_with_its_age(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        video = self.tile(page, "Yard, north").locator("video")
        time = video.evaluate("video => video.currentTime")
        page.wait_for_function("([video, time]) => video.currentTime > time + 0.5", arg=[video.element_handle(), time])

    def test_a_tile_takes_the_substream_that_suits_its_size(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        self.assertEqual(self.tile(page, "Yard, north").locator("video").evaluate("video => video.videoWidth"), 320)
        self.assertEqual(page.locator(".tile").count(), 5)

    def test_states_and_reasons_are_texts(self):
        page = self.open(self.server.url)
        failing = self.tile(page, "/workshop")
        failing.get_by_text("Failing", exact=True).wait_for()
        self.assertIn("No camera at /dev/video2.", failing.inner_text())
        self.assertIn("Sleeping", self.tile(page, "/attic").inner_text())
        self.assertIn("audio only", self.tile(page, "Intercom").inner_text())

    def test_a_title_is_never_markup(self):
        page = self.open(self.server.url)
        self.tile(page, "<img src=x onerror=alert(1)>").wait_for()
        self.assertEqual(page.locator("img[src=x]").count(), 0)

    def test_a_sleeping_source_is_not_woken(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        self.assertNotIn("/attic/ws", [path for _, path, _, _ in self.server.requests])

    def test_streams_appear_and_disappear_without_a_reload(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        position = self.tile(page, "Yard, north").locator("video").evaluate("video => video.currentTime")
        self.server.add(Stream("/annex", 320, 180, title="Annex"))
        self.wait_until_live(page, "Annex")
        page.wait_for_function("() => document.getElementById('announcements').textContent.includes('Annex has been added.')")
        # The tiles that follow are not moved in the document, which would stop their videos.
        video = self.tile(page, "Yard, north").locator("video").element_handle()
        page.wait_for_function("([video, position]) => video.currentTime > position", arg=[video, position])
        self.server.remove("/annex")
        self.tile(page, "Annex").wait_for(state="detached")

    def test_a_changed_state_is_shown_and_announced(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        self.server.change("/gate", "failing", "the cable was pulled")
        page.wait_for_function("() => document.getElementById('announcements').textContent.includes('The cable was pulled.')")

    def test_tiles_out_of_view_are_not_live(self):
        page = self.open(self.server.url, viewport={"width": 400, "height": 500})
        self.tile(page, "Yard, north").wait_for()
        page.wait_for_function("() => apus.grid.tiles.get('/gate').isLive || apus.grid.tiles.get('/gate').playback.isStarted")
        self.assertFalse(page.evaluate("apus.grid.tiles.get('/yard').playback.isStarted"))
        self.tile(page, "Yard, north").scroll_into_view_if_needed()
        self.wait_until_live(page, "Yard, north")
        page.wait_for_function("() => !apus.grid.tiles.get('/gate').playback.isStarted || scrollY === 0")

    def test_a_hidden_page_plays_nothing(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        page.evaluate("""() => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        page.wait_for_function("() => [...apus.grid.tiles.values()].every((tile) => !tile.playback.isStarted)")
        page.evaluate("""() => {
            delete document.hidden;
            document.dispatchEvent(new Event("visibilitychange"));
        }""")
        self.wait_until_live(page, "Yard, north")

    def test_the_switch_stops_all_videos(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        page.get_by_role("switch", name="Live").click()
        page.wait_for_function("() => [...apus.grid.tiles.values()].every((tile) => !tile.playback.isStarted)")

    def test_reduced_motion_begins_with_still_images(self):
        page = self.open(self.server.url, reduced_motion="reduce")
        self.tile(page, "Yard, north").locator("img.poster").wait_for()
        self.assertFalse(page.get_by_role("switch", name="Live").is_checked())
        self.assertFalse(page.evaluate("apus.grid.tiles.get('/yard').playback.isStarted"))

    def test_a_still_image_that_was_refused_is_asked_for_again(self):
        self.server.refused_snapshots = 3
        page = self.open(self.server.url, reduced_motion="reduce")
        self.tile(page, "Yard, north").locator("img.poster").wait_for()
        self.assertEqual(self.server.refused_snapshots, 0)

    def test_the_filter_leaves_streams_with_the_name(self):
        page = self.open(self.server.url)
        self.tile(page, "Intercom").wait_for()
        page.keyboard.press("/")
        page.keyboard.type("inter")
        self.assertEqual(page.locator(".tile:visible").count(), 1)
        page.keyboard.type("x")
        self.assertTrue(page.get_by_text("No stream has this name.").is_visible())

    def test_tiles_are_links_for_the_keyboard(self):
        page = self.open(self.server.url)
        link = self.tile(page, "Yard, north").get_by_role("link")
        link.wait_for()
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/yard/")

    def test_a_lost_server_is_mentioned_and_found_again(self):
        page = self.open(self.server.url)
        self.wait_until_live(page, "Yard, north")
        self.server.cut()
        page.locator("#banner").wait_for(state="visible")
        self.server.mend()
        page.locator("#banner").wait_for(state="hidden")
        self.wait_until_live(page, "Yard, north")

    def test_without_websockets_the_list_is_asked_for(self):
        self.server.blocks_sockets = True
        page = self.open(self.server.url, expected=("Failed to load resource", "WebSocket connection"))
        self.tile(page, "Yard, north").wait_for()
        self.wait_until_live(page, "Yard, north")
        self.assertEqual(page.evaluate("apus.grid.tiles.get('/yard').playback.method"), "file")

    def test_a_user_without_rights_is_offered_to_sign_in(self):
        self.server.rights = []
        self.server.sign_in = "form"
        page = self.open(self.server.url, expected=("Failed to load resource", "WebSocket connection"))
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("User").fill("ann")
        dialog.get_by_label("Password").fill("wrong")
        dialog.get_by_role("button", name="Sign in").click()
        dialog.get_by_text("Wrong user or password.").wait_for()

    def test_axe_finds_nothing_in_both_colour_schemes(self):
        for scheme in ("dark", "light"):
            with self.subTest(scheme=scheme):
                page = self.open(self.server.url, color_scheme=scheme)
                self.wait_until_live(page, "Yard, north")
                self.check_accessibility(page)


if __name__ == "__main__":
    unittest.main()
