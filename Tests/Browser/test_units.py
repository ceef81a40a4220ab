"""The modules of the page without a server: each file of `units` in Chromium."""

import unittest

from browser import UNITS, BrowserTest, serve_files


class Units(BrowserTest):
    def test_modules(self):
        context = self.browser.new_context()
        self.addCleanup(context.close)
        context.route("http://apus.test/**", serve_files)
        for file in sorted(UNITS.glob("*.test.js")):
            page = context.new_page()
            page.goto("http://apus.test/")
            results = page.evaluate(
                "file => import(`/units/${file}`).then(() => import('/units/check.js')).then(({ run }) => run())", file.name)
            self.assertGreater(len(results), 0, file.name)
            for result in results:
                with self.subTest(file=file.name, law=result["name"]):
                    self.assertIsNone(result["failure"], result["failure"])
            page.close()


if __name__ == "__main__":
    unittest.main()
