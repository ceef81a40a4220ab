#!/usr/bin/env python3
"""WebRTC on networks that lose packets, become slower or block UDP, and in GStreamer, aiortc and Firefox.

Usage: webrtc.py [loss] [slower] [tcp] [gstreamer] [aiortc] [firefox]; without arguments all.
The page's player in Chromium plays through script/impair with a seed, so that the same packets are always lost. What Chromium calls a
freeze is a frame that is displayed for 150 ms longer than the others, or three times as long. Needs root (script/impair).
"""
import collections
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from streams import end_all, folder, free_port, is_ready, start, wait

ROOT = Path(__file__).resolve().parents[2]
BROWSER_TESTS = ROOT / "Tests/Browser"
PYTHON = ROOT / ".build-python/bin/python"
# The ports of the server in a network namespace of its own.
RTSP, HTTP, WEBRTC = 8554, 8888, 8189
SECONDS = 60
CARD = {"width": 640, "height": 360, "frameRate": 30, "bitrate": 1_000_000, "gopMilliseconds": 4_000}
# Seconds after the first packet at which the link is halved: while the encoder still settles after the join, and later; and how long the
# run lasts then.
HALVED, REST = (8, 9.5, 25), 20
FAST, SLOW = 4.0, 2.0
# Frames of GStreamer and Firefox that must be decoded.
FRAMES = 150
failures = []


def check(what, holds, seen):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}: {seen}", flush=True)
    if not holds:
        failures.append(what)


def configuration(paths, http=HTTP, webrtc=WEBRTC, rtsp=RTSP, **sections):
    """Writes the server's configuration, and returns the command that serves it."""
    file = Path(folder, "apus.json")
    # Apus creates no socket where other users may write.
    private = Path(folder, "private")
    private.mkdir(mode=0o700, exist_ok=True)
    file.write_text(json.dumps({
        "server": {"port": rtsp}, "http": {"port": http}, "webrtc": {"port": webrtc, "singlePort": True, **sections.pop("webrtc_options", {})},
        "rtmp": {"serve": "no"}, "srt": {"serve": "no"}, "access": {"open": True}, "control": {"socket": f"{private}/control"},
        "paths": paths, **sections}))
    return [os.environ["APUS_BINARY"], "serve", "--config", str(file)]


def play(link, seconds, paths, before="true", **sections):
    """What the page's player saw over a link, and what the server's status said meanwhile."""
    server = shlex.join(configuration(paths, **sections))
    status = f"{os.environ['APUS_BINARY']} status --config {folder}/apus.json --json"
    sampling = f'( while sleep 0.2; do date "+%s.%N"; {status} | tr -d "\\n"; echo; done >{folder}/status 2>/dev/null ) & '
    client = f"{before} && {PYTHON} {BROWSER_TESTS}/webrtc_link.py http://$APUS_IMPAIR_SERVER:{HTTP}/cam/ {seconds}"
    up, down = link
    done = subprocess.run(
        [ROOT / "script/impair", "--port", str(HTTP), "--up", up, "--down", down, "--statistics", f"{folder}/statistics",
         "--server", f"{sampling} exec {server} >{folder}/notice 2>{folder}/log", "--client", client],
        env=dict(os.environ, STATE_DIRECTORY=f"{folder}/state"), capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:] + Path(folder, "log").read_text()[-1000:])
    began = json.loads(Path(folder, "statistics").read_text())["began"]
    result = json.loads(done.stdout.strip().splitlines()[-1])
    result["shown"] = [at / 1_000 - began for at in result["shown"]]
    result["samples"] = [{**sample, "at": sample["at"] / 1_000 - began} for sample in result["samples"]]
    return {**result, "status": list(read_status(began))}


def read_status(began):
    """The seconds and contents of the samples."""
    lines = Path(folder, "status").read_text().splitlines()
    for at, text in zip(lines[::2], lines[1::2]):
        try:
            yield float(at) - began, json.loads(text)
        except ValueError:
            # Asked before the server listened, or ended while it answered.
            continue


def longest_gap(result, since=0.0):
    """The longest time between two displayed frames, or from the last one to the end."""
    times = [at for at in result["shown"] if at >= since] + [result["samples"][-1]["at"]]
    return max((later - one for one, later in zip(times, times[1:])), default=float("inf"))


def summary(result):
    # Empty if the page plays by another method.
    last = collections.defaultdict(int, result["samples"][-1])
    return (f"{last['freezeCount']} freezes ({last['totalFreezesDuration']:.2f} s), {len(result['shown'])} frames displayed, longest gap "
            f"{1_000 * longest_gap(result):.0f} ms; {last['packetsLost']} packets lost, {last['nackCount']} requests, "
            f"{last['pliCount']} keyframes asked for; by {result['method']} over {last['protocol'] or 'nothing'}, {result['sessions']} sessions")


def is_webrtc(result, protocol="udp"):
    return result["method"] == "webrtc" and result["samples"][-1].get("protocol") == protocol


def lose():
    paths = {"cam": {"source": "testcard", "video": CARD, "audio": {"enabled": False}}}
    # The loss, the round trip, the delay that the browser may add, and how many freezes there may be.
    for loss, round_trip, delay, limit in (("1%", 5, 0, 0), ("5%", 5, 0, 0), ("1%", 40, 100, 1), ("5%", 40, 100, None)):
        link = f"loss {loss} delay {round_trip / 2:g}ms"
        result = play((link, link), SECONDS, paths, webrtc_options={"maximumDelayMilliseconds": delay})
        allowed = "any number of" if limit is None else f"at most {limit}"
        check(f"{loss} lost in both directions, round trip {round_trip} ms, playout-delay 0–{delay}: {allowed} freezes in {SECONDS} s",
              is_webrtc(result) and len(result["shown"]) > 20 * SECONDS
              and (limit is None or result["samples"][-1]["freezeCount"] <= limit), summary(result))


def slower():
    for halved in HALVED:
        halve(halved)


def halve(halved):
    # The test card needs three quarters of a bitrate if it has noise.
    video = {"width": 1280, "height": 720, "frameRate": 30, "bitrate": 4_000_000, "gopMilliseconds": 4_000}
    path = {"source": "testcard", "rate": "follow", "video": video, "audio": {"enabled": False}, "effects": {"filters": "noise=alls=12:allf=t"}}
    link = f"rate {FAST:g}mbit queue 200ms delay 5ms at {halved}s rate {SLOW:g}mbit"
    end = halved + REST
    result = play(("delay 5ms", link), end, {"cam": path})
    points = [(at, sample["streams"][0]["bytes"]) for at, sample in result["status"]]
    # The mean rate of the half second before each sample, in Mbit/s.
    rates = []
    for at, count in points:
        earlier = next(((then, less) for then, less in reversed(points) if at - then >= 0.5), None)
        if earlier:
            rates.append((at, (count - earlier[1]) * 8e-6 / (at - earlier[0])))
    before = [rate for at, rate in rates if halved - 5 < at < halved]
    followed = next((at for at, rate in rates if at > halved and rate <= SLOW), None)
    after = [rate for at, rate in rates if at > end - 5]
    text = (f"{sum(before) / max(1, len(before)):.1f} Mbit/s before, at most {SLOW:g} after "
            f"{'never' if followed is None else f'{followed - halved:.1f} s'}, {sum(after) / max(1, len(after)):.1f} at the end")
    check(f"link of {FAST:g} halved to {SLOW:g} Mbit/s after {halved:g} s: the encoder follows within 2 s",
          bool(before) and sum(before) / len(before) > SLOW and followed is not None and followed - halved <= 2
          and bool(after) and sum(after) / len(after) <= SLOW, text)
    check(f"link halved after {halved:g} s: no gap of 0.5 s", is_webrtc(result) and longest_gap(result) <= 0.5, summary(result))


def over_tcp():
    paths = {"cam": {"source": "testcard", "video": CARD, "audio": {"enabled": False}}}
    without_udp = ("nft add table inet cut && nft add chain inet cut out '{ type filter hook output priority 0; }' && "
                   "nft add rule inet cut out meta l4proto udp drop")
    result = play(("delay 5ms", "delay 5ms"), 20, paths, before=without_udp)
    check("without UDP: no gap of 0.5 s in 20 s over ICE-TCP",
          is_webrtc(result, "tcp") and len(result["shown"]) > 20 * 20 and longest_gap(result) <= 0.5, summary(result))


def serve_here():
    """Serves a stream with audio on this host; returns the URL of the server."""
    http = free_port()
    command = configuration({"cam": {"source": "testcard", "video": CARD}}, http=http, webrtc=free_port(), rtsp=free_port())
    with open(Path(folder, "log"), "w") as log:
        server = start(command, stderr=log, env=dict(os.environ, STATE_DIRECTORY=f"{folder}/state"))
    if not wait(60, lambda: server.poll() is not None or is_ready(http)) or server.poll() is not None:
        raise SystemExit("the server did not start: " + Path(folder, "log").read_text()[-2000:])
    return server, f"http://127.0.0.1:{http}"


def gstreamer():
    server, url = serve_here()
    # With and without a buffer that holds frames until lost packets are there.
    for latency in (0, 200):
        done = subprocess.run(
            ["/usr/bin/python3", ROOT / "script/acceptance.d/webrtcbin.py", f"{url}/cam/whep", str(FRAMES), str(latency)],
            capture_output=True, text=True, timeout=120)
        result = json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else {"first": None, "frames": 0}
        check(f"GStreamer's webrtcbin, latency {latency} ms: it decodes {FRAMES} frames", result["frames"] >= FRAMES,
              f"{result['frames']} frames, the first {result['first'] or 0:.0f} ms after POST" + done.stderr[-500:])
    server.terminate()
    server.wait()


def aiortc():
    server, url = serve_here()
    for number in range(3):
        done = subprocess.run([PYTHON, ROOT / "script/soak.d/webrtc.py", "watch", f"{url}/cam/whep", "5"], capture_output=True, text=True, timeout=60)
        result = json.loads(done.stdout) if done.returncode == 0 else {"frames": 0, "first": None}
        check(f"aiortc, {number + 1}: the first frame within 300 ms after POST", result["frames"] > 100 and result["first"] <= 300,
              f"{result['first']} ms, {result['frames']} frames in 5 s" + done.stderr[-500:])
    server.terminate()
    server.wait()


# A player without the page, because the page needs H.264, which Debian's Firefox lacks for WebRTC.
FIREFOX_PLAYER = """
    const connection = new page.RTCPeerConnection();
    const hasH264 = page.RTCRtpReceiver.getCapabilities("video").codecs.some(({ mimeType }) => mimeType === "video/H264");
    for (const kind of hasH264 ? ["audio", "video"] : ["audio"]) connection.addTransceiver(kind, page.JSON.parse('{ "direction": "recvonly" }'));
    const offer = await connection.createOffer();
    const response = await page.fetch("/cam/whep", page.JSON.parse(JSON.stringify(
        { method: "POST", body: offer.sdp, headers: { "Content-Type": "application/sdp" } })));
    if (response.status !== 201) throw new Error(await response.text());
    await connection.setLocalDescription(offer);
    await connection.setRemoteDescription(page.JSON.parse(JSON.stringify({ type: "answer", sdp: await response.text() })));
    const audio = page.document.createElement("audio");
    audio.srcObject = new page.MediaStream(connection.getReceivers().map(({ track }) => track));
    await audio.play();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const figures = { samples: 0, frames: 0, hasH264 };
    (await connection.getStats()).forEach((report) => {
        if (report.type !== "inbound-rtp") return;
        if (report.kind === "audio") figures.samples = report.totalSamplesReceived;
        else figures.frames = report.framesDecoded;
    });
    connection.close();
    return figures;
"""


def firefox():
    if not shutil.which("firefox-esr"):
        print("        Firefox: skipped, because firefox-esr is not installed")
        return
    sys.path.append(str(BROWSER_TESTS))
    from firefox import Firefox
    server, url = serve_here()
    browser = Firefox()
    try:
        browser.open(url + "/cam/")
        figures = browser.evaluate(FIREFOX_PLAYER)
    finally:
        browser.close()
    seconds = figures["samples"] / 48_000
    check("Firefox decodes audio for 5 s, and video if it has H.264",
          seconds >= 3 and (figures["frames"] >= 90 or not figures["hasH264"]),
          f"{seconds:.1f} s of audio, {figures['frames']} frames, {'with' if figures['hasH264'] else 'without'} H.264")
    server.terminate()
    server.wait()


parts = {"loss": lose, "slower": slower, "tcp": over_tcp, "gstreamer": gstreamer, "aiortc": aiortc, "firefox": firefox}
try:
    for name in sys.argv[1:] or parts:
        parts[name]()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
