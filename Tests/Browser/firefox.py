"""Firefox for the tests of the page, by its Marionette protocol, because Playwright plays only its own build."""

import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PREFERENCES = {
    "marionette.port": 0,
    # Users click before they hear sound; tests do not.
    "media.autoplay.default": 0,
    # No requests to other servers.
    "app.normandy.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox:
    """A headless Firefox with a fresh profile and one page."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        folder = Path(self.profile.name)
        (folder / "user.js").write_text("".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items()))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.last_id = 0
        self.socket = socket.create_connection(("127.0.0.1", self.port(folder / "MarionetteActivePort")))
        self.file = self.socket.makefile("rb")
        self.read()
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        self.ask("WebDriver:SetTimeouts", {"script": 120_000})

    def port(self, file):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            if file.exists() and (text := file.read_text()):
                return int(text)
            time.sleep(0.1)
        raise RuntimeError("Firefox does not start")

    def read(self):
        """The next message: its length in bytes, a colon and JSON."""
        digits = b""
        while (byte := self.file.read(1)) not in (b":", b""):
            digits += byte
        return json.loads(self.file.read(int(digits)))

    def ask(self, command, parameters):
        self.last_id += 1
        message = json.dumps([0, self.last_id, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, failure, result = self.read()
        if failure:
            raise RuntimeError(failure)
        return result

    def open(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def evaluate(self, script, *arguments):
        """What the body of an asynchronous function returns, in the page."""
        wrapped = f"""
            const [done] = [...arguments].slice(-1);
            const page = window.wrappedJSObject ?? window;
            (async (...values) => {{ {script} }})(...arguments)
                .then((value) => done({{ value }}), (error) => done({{ failure: String(error) }}));"""
        answer = self.ask("WebDriver:ExecuteAsyncScript", {"script": wrapped, "args": list(arguments)})["value"]
        if "failure" in answer:
            raise RuntimeError(answer["failure"])
        return answer.get("value")

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()
