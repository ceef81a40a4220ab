#!/usr/bin/env python3
"""What playlists of LL-HLS say, compared with the media. Every playlist, part and segment of three renditions and of audio alone is
fetched, and those of a path whose publisher comes and goes with another size each time.

Usage: playlists.py [SECONDS] starts a server with these streams; playlists.py SECONDS URL… checks the playlists of another server and
prints only what is wrong.
"""
import http.client
import os
import re
import subprocess
import sys
import threading
import time
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from media import Fragment, timescales
from streams import Server, end_all, folder, free_port, is_ready, start, wait

# Durations have five decimals, and frames the ticks of 90 kHz.
DURATION, DATE = 0.0005, 0.001


class Segment:
    """What a playlist says about one segment."""

    def __init__(self):
        self.name = self.duration = self.date = self.map = None
        self.discontinuity, self.is_gap, self.parts = 0, False, []

    def said(self):
        """What must never change, once the segment is finished. Parts are no longer listed some time after."""
        return self.name, self.duration, self.date, self.map, self.discontinuity, self.is_gap


class Playlist:
    """A media playlist."""

    def __init__(self, text):
        self.text, self.segments, self.sequence, self.hint = text, [], None, None
        self.target = self.part_target = 0.0
        discontinuity, current_map, segment = 0, None, Segment()
        for line in text.splitlines():
            tag, _, value = line.partition(":")
            if tag == "#EXT-X-TARGETDURATION":
                self.target = float(value)
            elif tag == "#EXT-X-PART-INF":
                self.part_target = float(value.removeprefix("PART-TARGET="))
            elif tag == "#EXT-X-MEDIA-SEQUENCE":
                self.sequence = int(value)
            elif tag == "#EXT-X-DISCONTINUITY-SEQUENCE":
                discontinuity = int(value)
            elif tag == "#EXT-X-DISCONTINUITY":
                discontinuity += 1
            elif tag == "#EXT-X-MAP":
                current_map = value.split('"')[1]
            elif tag == "#EXT-X-PROGRAM-DATE-TIME":
                segment.date = datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
            elif tag == "#EXT-X-GAP":
                segment.is_gap = True
            elif tag == "#EXT-X-PART":
                segment.parts.append((re.search(r'URI="([^"]+)"', value)[1], float(re.search(r"DURATION=([\d.]+)", value)[1])))
            elif tag == "#EXTINF":
                segment.duration = float(value.rstrip(","))
            elif tag == "#EXT-X-PRELOAD-HINT":
                self.hint = tuple(int(number) for number in re.search(r'-(\d+)-(\d+)\.', value).groups())
            if tag == "#EXT-X-PART" or line and not line.startswith("#"):
                segment.map, segment.discontinuity = current_map, discontinuity
            if line and not line.startswith("#"):
                segment.name = line
                self.segments.append(segment)
                segment = Segment()
        # The one that is being filled has no name yet.
        self.open = segment if segment.parts else None


class Checker:
    """A client that follows one media playlist. Its differences are sentences."""

    def __init__(self, url):
        self.url, self.address = url, urlsplit(url)
        self.connection = None
        self.differences = []
        self.playlists = self.fetched = self.compared = self.dated = self.gaps = 0
        self.newest = None
        self.said, self.scales = {}, {}
        # By segment numbers: the fragments of the parts.
        self.fragments = {}
        self.last_discontinuity = 0

    def get(self, target):
        """The status and the body. A connection that the server has closed is made anew once."""
        for attempt in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(self.address.netloc, timeout=30)
                self.connection.request("GET", target)
                response = self.connection.getresponse()
                return response.status, response.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                if attempt:
                    raise

    def differs(self, sentence):
        self.differences.append(sentence)

    def follow(self, seconds):
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                self.reload()
        except Exception as error:  # Of another thread than that which reports.
            self.differs(f"{type(error).__name__}: {error}")

    def reload(self):
        query = "?_HLS_msn={}&_HLS_part={}".format(*self.newest.hint) if self.newest else ""
        status, body = self.get(self.address.path + query)
        if status in (404, 503):
            # There is no playlist before the first segment, and nothing new while the source is absent.
            time.sleep(0.05)
            return
        if status != 200:
            self.differs(f"{query} was answered {status}")
            return
        playlist = Playlist(body.decode())
        self.playlists += 1
        if self.newest:
            self.compare(playlist, self.newest)
        self.newest = playlist
        for index, segment in enumerate(playlist.segments):
            number = playlist.sequence + index
            self.fetch_parts(number, segment)
            self.finish(number, segment, playlist)
        if playlist.open:
            self.fetch_parts(playlist.sequence + len(playlist.segments), playlist.open)

    def compare(self, playlist, former):
        if (playlist.target, playlist.part_target) != (former.target, former.part_target):
            self.differs("a target duration has changed")
        if playlist.sequence < former.sequence:
            self.differs(f"the media sequence went back to {playlist.sequence}")
        if playlist.hint <= former.hint:
            self.differs(f"{playlist.hint} does not follow {former.hint}")

    def fetch_parts(self, number, segment):
        """Fetches the parts that are new. Those of segments that were finished before the first playlist are not compared."""
        known = self.fragments.setdefault(number, [])
        if segment.map and segment.map not in self.scales and segment.parts:
            status, body = self.get(urljoin(self.address.path, segment.map))
            self.scales[segment.map] = timescales(body) if status == 200 else {}
        for name, duration in segment.parts[len(known):]:
            status, body = self.get(urljoin(self.address.path, name))
            self.fetched += 1
            if status != 200:
                self.differs(f"{name} was answered {status}")
            if duration > self.newest.part_target:
                self.differs(f"{name} is longer than the target")
            known.append((duration, body, Fragment(body, self.scales[segment.map])))

    def finish(self, number, segment, playlist):
        """Compares a finished segment with what was said before, and with the media."""
        if number in self.said:
            if self.said[number] != segment.said():
                self.differs(f"{segment.name} has changed: {self.said[number]}, {segment.said()}")
            return
        self.said[number] = segment.said()
        if f"-{number}." not in segment.name:
            self.differs(f"{segment.name} is at place {number}")
        if int(segment.duration + 0.5) > playlist.target:
            self.differs(f"{segment.name} lasts {segment.duration} s")
        if segment.discontinuity < self.last_discontinuity:
            self.differs(f"{segment.name} has discontinuity {segment.discontinuity}")
        former = self.said.get(number - 1)
        if former and (former[3] != segment.map) != (segment.discontinuity == former[4] + 1):
            self.differs(f"{segment.name}: a discontinuity without another init segment, or the reverse")
        self.last_discontinuity = segment.discontinuity
        parts = self.fragments.get(number, [])
        if segment.is_gap:
            self.gaps += 1
            if segment.parts or self.get(urljoin(self.address.path, segment.name))[0] == 200:
                self.differs(f"{segment.name} is a gap with media")
        elif segment.parts:
            self.compare_media(number, segment, parts)
        # What is too old to follow anything.
        for old in [key for key in self.fragments if key < number - 3]:
            del self.fragments[old]

    def compare_media(self, number, segment, parts):
        status, body = self.get(urljoin(self.address.path, segment.name))
        self.fetched += 1
        if status != 200 or body != b"".join(bytes_ for _, bytes_, _ in parts):
            self.differs(f"{segment.name} is not its parts ({status})")
            return
        first = parts[0][2]
        if abs(first.captured - segment.date) > DATE:
            self.differs(f"{segment.name}: its date is {segment.date - first.captured:.4f} s after prft")
        if first.stamped is not None:
            self.dated += 1
            if abs(first.stamped - segment.date) > DATE:
                self.differs(f"{segment.name}: its date is {segment.date - first.stamped:.4f} s after the capture in the SEI")
        times = [fragment.start for _, _, fragment in parts]
        for index, (duration, _, _) in enumerate(parts[:-1]):
            lasted = times[index + 1] - times[index]
            # A frame that lasts longer than expected may make a part longer than what playlists may say.
            if abs(min(lasted, self.newest.part_target) - duration) > DURATION:
                self.differs(f"{segment.name}: part {index} lasts {lasted:.5f} s, not {duration}")
        former, before = self.said.get(number - 1), self.fragments.get(number - 1)
        if former and before and former[4] == segment.discontinuity and not former[5]:
            self.compared += 1
            lasted = first.start - before[0][2].start
            # The same is true of a segment: what is half a second longer would be rounded to more than the target.
            if abs(min(lasted, self.newest.target + 0.499) - former[1]) > DURATION:
                self.differs(f"{former[0]} lasts {lasted:.5f} s, not {former[1]}")

    def summary(self):
        return (f"{self.playlists} playlists, {self.fetched} parts and segments, {self.compared} durations and {self.dated} dates, "
                f"{self.gaps} gaps, {self.last_discontinuity} discontinuities")


def renditions(url):
    """The addresses of the media playlists in a multivariant playlist, once there is one."""
    address = urlsplit(url)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        connection = http.client.HTTPConnection(address.netloc, timeout=30)
        connection.request("GET", address.path + ("?" + address.query if address.query else ""))
        response = connection.getresponse()
        text = response.read().decode()
        if response.status == 200:
            return [urljoin(url, line) for line in text.splitlines() if line and not line.startswith("#")]
        time.sleep(0.1)
    raise SystemExit(f"{url}: {response.status} {text}")


def follow(checkers, seconds):
    threads = [threading.Thread(target=checker.follow, args=(seconds,)) for checker in checkers.values()]
    for thread in threads:
        thread.start()
    return threads


def publish(port, seconds):
    """A publisher that comes with another size each time, and is killed. Returns after the time."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        size = ("320x240", "480x270")[number % 2]
        clip = os.path.join(folder, f"{size}.mp4")
        if not os.path.exists(clip):
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=25", "-f", "lavfi", "-i",
                            "sine=r=48000", "-t", "10", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "aac", clip],
                           check=True)
        ffmpeg = start(["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", clip, "-c", "copy", "-f", "rtsp",
                        "-rtsp_transport", "tcp", f"rtsp://127.0.0.1:{port}/yard"])
        try:
            ffmpeg.wait(timeout=min(60, max(1, end - time.monotonic())))
        except subprocess.TimeoutExpired:
            ffmpeg.kill()
            ffmpeg.wait()
        time.sleep(min(8, max(0, end - time.monotonic())))
        number += 1


def resident(process):
    """Kilobytes."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def acceptance(seconds):
    http_port = free_port()
    server = Server(f"""
http: {{ port: {http_port} }}
access: {{ open: true, loopback: publish }}
paths:
  cam: {{ source: testcard, video: {{ width: 640, height: 360, bitrate: 1000000 }} }}
  cam/medium: {{ source: "stream:cam", video: {{ width: 480, height: 270, bitrate: 500000 }} }}
  cam/low: {{ source: "stream:cam", video: {{ width: 320, height: 180, bitrate: 200000 }} }}
  yard: {{ source: publish }}
""", has_http=True)
    if not wait(10, lambda: is_ready(http_port)):
        raise SystemExit("the server is not ready: " + server.log())
    threading.Thread(target=publish, args=(server.port, seconds), daemon=True).start()
    root = f"http://127.0.0.1:{http_port}"
    checkers = {f"cam, quality {index}": Checker(url) for index, url in enumerate(renditions(f"{root}/cam/index.m3u8"))}
    checkers["cam, audio alone"] = Checker(renditions(f"{root}/cam/index.m3u8?video=0")[0])
    checkers["yard"] = Checker(renditions(f"{root}/yard/index.m3u8")[0])
    threads = follow(checkers, seconds)
    # The window is full, and so are the caches, after two minutes.
    samples, began = [], time.monotonic()
    while any(thread.is_alive() for thread in threads):
        threads[0].join(5)
        if time.monotonic() - began > 120:
            samples.append(resident(server.process))
    failed = False
    for name, checker in checkers.items():
        for sentence in checker.differences[:5]:
            print(f"        {name}: {sentence}")
        failed = failed or bool(checker.differences) or checker.compared == 0
        print(f"{'BROKEN ' if checker.differences or not checker.compared else 'ok     '} {name}: {checker.summary()}")
    expected = int(seconds / 80)
    if checkers["yard"].last_discontinuity < expected or (expected and not checkers["yard"].gaps):
        print("BROKEN  yard: the publisher has not come and gone often enough")
        failed = True
    if samples:
        # One of five qualities may grow by a segment while another shrinks.
        grown = max(samples) - samples[0]
        failed = failed or grown > 4096
        print(f"{'ok     ' if grown <= 4096 else 'BROKEN '} resident memory after two minutes: {samples[0]} kB, at most {max(samples)} kB, "
              f"at the end {samples[-1]} kB")
    return failed


def check(seconds, urls):
    checkers = {url: Checker(url) for listed in urls for url in renditions(listed)}
    for thread in follow(checkers, seconds):
        thread.join()
    for url, checker in checkers.items():
        for sentence in checker.differences:
            print(f"{url}: {sentence}", file=sys.stderr)
        print(f"{url}: {checker.summary()}")
    return any(checker.differences or checker.compared == 0 for checker in checkers.values())


length = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
try:
    is_wrong = check(length, sys.argv[2:]) if len(sys.argv) > 2 else acceptance(length)
finally:
    end_all()
sys.exit(1 if is_wrong else 0)
