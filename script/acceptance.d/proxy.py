#!/usr/bin/env python3
"""Apus behind Debian's nginx with packaging/nginx/apus.conf: access, the page's requests, media and events through the proxy. And with
packaging/nginx/apus-hls.conf: HLS for many viewers from a cache.

The proxy and the clients are on this host, so a proxy that was treated as a client on this host would need no password.
"""
import base64
import json
import os
import socket
import re
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from streams import end_all, folder, free_port, start

ROOT = Path(__file__).resolve().parents[2]
APUS = os.environ["APUS_BINARY"]
RTSP, HTTP, TLS, CACHE = free_port(), free_port(), free_port(), free_port()
NAME = "cam.example"
# Another address of this host, so that it differs from the proxy's.
CLIENT = "127.0.0.5"
failures = []


def check(what, holds, seen=""):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}{f': {seen}' if seen != '' else ''}", flush=True)
    if not holds:
        failures.append(what)


def curl(*arguments):
    """The status and the body of a request through the proxy."""
    command = ["curl", "-sk", "-m", "5", "--interface", CLIENT, "--resolve", f"{NAME}:{TLS}:127.0.0.1", "--resolve", f"{NAME}:{CACHE}:127.0.0.1",
               "-w", "\n%{http_code}"]
    lines = subprocess.run([*command, *arguments], capture_output=True, text=True).stdout.rsplit("\n", 1)
    return int(lines[1]), lines[0]


def url(path, port=TLS):
    return f"https://{NAME}:{port}{path}"


def start_servers():
    Path(folder, "apus.yml").write_text(f"""
http: {{ port: {HTTP}, hosts: [{NAME}], trustedProxies: [127.0.0.1] }}
users: {{ ann: {{ password: sesame77, status: true, control: ['*'] }} }}
paths: {{ cam: {{ source: testcard, video: {{ width: 640, height: 360 }} }} }}
""")
    subprocess.run([APUS, "certificate", "--folder", folder, "--host", NAME], check=True, stdout=subprocess.DEVNULL)
    with open(Path(folder, "log"), "w") as log:
        start([APUS, "serve", "--config", f"{folder}/apus.yml", "--port", str(RTSP)], stderr=log)
    start_nginx("apus.conf", TLS, "access_log off;")
    # Whether the cache had a response, by its URL.
    start_nginx("apus-hls.conf", CACHE, f"log_format cache '$request_uri $status $upstream_cache_status'; access_log {folder}/cache.log cache;")
    for port in (TLS, CACHE):
        for _ in range(100):
            if curl(url("/readyz", port))[0] == 200:
                break
            time.sleep(0.1)
        else:
            sys.exit(f"nothing answers: {Path(folder, 'log').read_text()[-2000:]} {Path(folder, f'nginx{port}.log').read_text()[-500:]}")


def start_nginx(name, port, logs):
    example = (ROOT / "packaging/nginx" / name).read_text().replace("/var/cache/nginx/apus", f"{folder}/cache")
    for old, new in (("listen 443", f"listen 127.0.0.1:{port}"), ("127.0.0.1:8888", f"127.0.0.1:{HTTP}"),
                     ("/etc/ssl/certs/cam.example.pem", f"{folder}/certificate.pem"),
                     ("/etc/ssl/private/cam.example.key", f"{folder}/key.pem")):
        assert old in example, old
        example = example.replace(old, new)
    paths = "".join(f"{kind}_temp_path {folder}/{kind}{port};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    Path(folder, f"nginx{port}.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx{port}.pid; error_log {folder}/nginx{port}.log;\nevents {{}}\n"
        f"http {{ {logs}\n{paths}{example}}}\n")
    start(["nginx", "-c", f"{folder}/nginx{port}.conf", "-e", f"{folder}/nginx{port}.log"])


class WebSocket:
    """A client that reads one text message."""

    def __init__(self, path, origin):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        raw = socket.create_connection(("127.0.0.1", TLS), timeout=5, source_address=(CLIENT, 0))
        self.file = context.wrap_socket(raw, server_hostname=NAME).makefile("rwb", buffering=0)
        fields = [f"GET {path} HTTP/1.1", f"Host: {NAME}:{TLS}", "Connection: Upgrade", "Upgrade: websocket", f"Origin: {origin}",
                  "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(), LOGIN]
        self.file.write("".join(field + "\r\n" for field in fields).encode() + b"\r\n")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def message(self):
        _, length = self.file.read(2)
        length = int.from_bytes(self.file.read(2), "big") if length == 126 else length
        data = b""
        while len(data) < length:
            data += self.file.read(length - len(data))
        return json.loads(data)


def check_access():
    user = ("-u", "ann:sesame77")
    check("without a password the streams are refused", curl(url("/api/v1/streams"))[0] == 401)
    check("the page is served", "<html" in curl(url("/"))[1])
    status, body = curl(*user, url("/api/v1/streams"))
    check("with a password (Basic, because the client uses TLS) they are listed", status == 200 and "/cam" in body)
    check("a wrong password is refused", curl("-u", "ann:sesame", url("/api/v1/streams"))[0] == 401)
    jar, secret = ("-b", f"{folder}/jar", "-c", f"{folder}/jar"), json.dumps({"user": "ann", "password": "sesame77"})
    form = ("-H", "Content-Type: application/json", "-H", f"Origin: https://{NAME}:{TLS}", "-d", secret)
    check("the form signs in", curl(*jar, *form, url("/api/v1/session"))[0] == 204)
    cookie = Path(folder, "jar").read_text()
    check("its cookie is for TLS only", "#HttpOnly_" in cookie and "\tTRUE\t" in cookie)
    check("and authenticates", curl(*jar, url("/api/v1/streams"))[0] == 200)
    check("a name that is not the server's is refused", curl("-H", "Host: evil.example", url("/healthz"))[0] == 421)
    log = Path(folder, "log").read_text()
    check("the log names the client, not the proxy", f'peer={CLIENT} reason="wrong password' in log)


def check_media():
    source = url("/cam/index.mp4").replace("https://", "https://ann:sesame77@").replace(NAME, "127.0.0.1")
    # Most of its time is the start of ffmpeg and three handshakes: without credentials and with them, and TLS.
    begin = time.monotonic()
    process = start(["ffmpeg", "-nostdin", "-v", "error", "-headers", f"Host: {NAME}:{TLS}\r\n", "-i", source, "-an", "-frames:v", "1",
                     "-f", "null", "-"], stderr=subprocess.PIPE)
    errors = process.communicate(timeout=20)[1].decode()
    check("ffmpeg plays the first frame within two seconds", process.returncode == 0 and time.monotonic() - begin < 2,
          errors or f"{time.monotonic() - begin:.2f} s")
    # If the proxy buffered the response, it would come at once or in pieces.
    begin = time.monotonic()
    status, _ = curl("-u", "ann:sesame77", "-m", "12", "-o", f"{folder}/film.mp4", url("/cam/index.mp4?duration=4"))
    check("four seconds of media take about four", status == 200 and 2 < time.monotonic() - begin < 5, f"{time.monotonic() - begin:.1f} s")
    pages = [f"https://{NAME}:{TLS}", "https://evil.example"]
    sockets = [WebSocket("/cam/ws", page) for page in pages]
    check("the page opens a WebSocket", sockets[0].status == 101 and sockets[0].message()["type"] == "hello")
    check("another page does not", sockets[1].status == 403)
    viewers = json.loads(curl("-u", "ann:sesame77", url("/api/v1/viewers?path=/cam"))[1])["viewers"]
    check("the viewer has the client's address", [viewer["peer"] for viewer in viewers] == [CLIENT],
          [viewer["peer"] for viewer in viewers])
    return sockets


def check_events():
    process = start(["curl", "-skN", "-u", "ann:sesame77", "--resolve", f"{NAME}:{TLS}:127.0.0.1", url("/api/v1/events")],
                    stdout=subprocess.PIPE)
    # The stream begins with a comment.
    process.stdout.readline()
    begin = time.monotonic()
    viewer = start(["ffmpeg", "-nostdin", "-v", "error", "-i", f"rtsp://ann:sesame77@127.0.0.1:{RTSP}/cam", "-f", "null", "-"])
    line = next(line for line in iter(process.stdout.readline, b"") if b"viewer-joined" in line)
    check("an event passes at once", bool(line), f"{time.monotonic() - begin:.2f} s after ffmpeg was started")
    viewer.kill()


def follow(parts, count):
    """A player with low latency: asks for a playlist and its newest part in turn."""
    _, qualities = curl("-u", "ann:sesame77", url("/cam/index.m3u8", CACHE))
    base = "/cam/" + re.search(r"^(~[0-9a-f]+)/all-0.m3u8$", qualities, re.M)[1]
    playlist = curl(url(f"{base}/all-0.m3u8", CACHE))[1]
    for _ in range(count):
        name, segment, part = re.search(r'PRELOAD-HINT:TYPE=PART,URI="([0-9a-f]+-([0-9]+)-([0-9]+).mp4)"', playlist).groups()
        status, playlist = curl(url(f"{base}/all-0.m3u8?_HLS_msn={segment}&_HLS_part={part}", CACHE))
        code, _ = curl("-o", "/dev/null", url(f"{base}/{name}", CACHE))
        parts.append((status, code))


def check_cache():
    parts = []
    players = [threading.Thread(target=follow, args=(parts, 10)) for _ in range(8)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    # A part that its segment turned out not to have is 404.
    check("eight players play HLS from the cache", len(parts) == 80 and all(status == 200 and code in (200, 404) for status, code in parts),
          Counter(parts))
    asked = Counter()
    for line in Path(folder, "cache.log").read_text().splitlines():
        path, status, result = line.split(" ")
        if status == "200" and re.search(r"_HLS_msn|-[0-9]+-[0-9]+\.mp4", path):
            asked[re.sub("/~[0-9a-f]+/", "/", path)] += result not in ("HIT", "-")
    check("each playlist and each part was asked for once", asked and set(asked.values()) == {1}, Counter(asked.values()))
    viewers = json.loads(curl("-u", "ann:sesame77", url("/api/v1/viewers?path=/cam"))[1])["viewers"]
    check("each player is a viewer with its address", [viewer["peer"] for viewer in viewers if viewer["transport"] == "HLS"] == 8 * [CLIENT])
    stranger = "/cam/~" + 32 * "0"
    check("a stranger gets nothing from the cache", curl(url(f"{stranger}/{next(iter(asked), '').split('/')[-1]}", CACHE))[0] == 401)


LOGIN = "Authorization: Basic " + base64.b64encode(b"ann:sesame77").decode()
try:
    start_servers()
    check_access()
    kept = check_media()
    check_events()
    check_cache()
finally:
    end_all()
sys.exit(1 if failures else 0)
