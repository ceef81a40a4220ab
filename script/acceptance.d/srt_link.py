"""The clients at the far end of the link of srt-loss.py. Usage: srt_link.py loss|reference|cut FOLDER VIDEO SECONDS, or srt_link.py watch FOLDER SECONDS

Called in the network namespace of the clients; `watch` in that of the server.
"""
import json
import os
import subprocess
import sys
import threading
import time

# Each namespace has its own ports.
RTSP, SRT, HERE = 8554, 8890, 8555
PUBLISHERS = ("srt-live-transmit", "ffmpeg", "apus")
# Seconds until a client that has ended is started again.
PAUSE = 0.5


def state(folder):
    """The folder in which the server keeps the password of publishers."""
    return f"{folder}/server-state"


def url(stream_id, latency):
    return f"srt://{os.environ['APUS_IMPAIR_SERVER']}:{SRT}?streamid={stream_id}&latency={latency}"


def viewing(path, latency=200):
    return url(f"read:{path}", latency)


def publishing(folder, path, latency=200):
    with open(f"{state(folder)}/publisher-password") as file:
        return url(f"publish:{path}:publisher:{file.read().strip()}", latency)


# ffmpeg counts microseconds, and its packets have 1,316 bytes only on request.
FFMPEG_LATENCY = "200000&pkt_size=1316"


class Repeated:
    """A client that is started again whenever it ends; what it writes to its standard output is passed on in pieces."""

    def __init__(self, command, log, receive=None):
        self.command, self.log, self.receive = command, log, receive
        self.starts, self.process, self.ended = 0, None, threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.ended.is_set():
            with open(self.log, "ab") as log:
                output = subprocess.PIPE if self.receive else subprocess.DEVNULL
                self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=log)
            self.starts += 1
            while self.receive and (data := os.read(self.process.stdout.fileno(), 65536)):
                self.receive(data)
            self.process.wait()
            self.ended.wait(PAUSE)

    def stop(self):
        self.ended.set()
        self.process.terminate()
        self.process.wait()


def until(deadline):
    time.sleep(max(0, deadline - time.monotonic()))


def lose(folder, video, seconds):
    """ffmpeg publishes the video once; two viewers write what they receive."""
    publisher = published(folder, video, publishing(folder, "cam", FFMPEG_LATENCY))
    raw = open(f"{folder}/received.ts", "wb")
    begun = {name: threading.Event() for name in ("srt-live-transmit", "ffmpeg")}
    stream = open(f"{folder}/received.264", "wb")

    def store(name, file):
        def receive(data):
            file.write(data)
            begun[name].set()
        return receive

    # A viewer is rejected until the path has a publisher.
    viewers = [
        Repeated(["srt-live-transmit", "-q", viewing("cam"), "file://con"], f"{folder}/viewer.log", store("srt-live-transmit", raw)),
        Repeated(["ffmpeg", "-nostdin", "-v", "warning", "-i", viewing("cam", FFMPEG_LATENCY), "-map", "0:v", "-c", "copy", "-f", "h264",
                  "-flush_packets", "1", "-"], f"{folder}/viewer.log", store("ffmpeg", stream)),
    ]
    for event in begun.values():
        event.wait(20)
    until(time.monotonic() + seconds)
    for viewer in viewers:
        viewer.stop()
    publisher.terminate()
    publisher.wait()
    raw.close()
    stream.close()


def published(folder, video, target):
    """An ffmpeg that publishes the video once."""
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "warning", "-re", "-i", video, "-c", "copy", "-f", "mpegts", target],
        stdin=subprocess.DEVNULL, stderr=open(f"{folder}/publisher.log", "wb"))


def publish_alone(folder, video, seconds):
    """ffmpeg publishes the video once to a receiver that admits all."""
    publisher = published(folder, video, url("reference", FFMPEG_LATENCY))
    until(time.monotonic() + seconds)
    publisher.terminate()
    publisher.wait()


def watch_rtsp(port, paths, seconds):
    """The instants, in seconds since 1970, at which packets of video came to a viewer of each path."""
    from streams import Frames, Wire, reachable, wait

    wait(10, lambda: reachable(port))
    seen, deadline = {path: Frames() for path in paths}, time.monotonic() + seconds
    for path, frames in seen.items():
        threading.Thread(target=lambda path=path, frames=frames: Wire(port, frames, path, seconds=30), daemon=True).start()
    until(deadline)
    since_1970 = time.time() - time.monotonic()
    return {path: [since_1970 + instant for instant, _ in frames.events] for path, frames in seen.items()}


def start_apus(folder, video):
    """An Apus that forwards a file to the server, and pulls another one."""
    configuration = {
        "server": {"port": HERE}, "rtmp": {"serve": "no"}, "srt": {"serve": "no"}, "control": {"socket": ""}, "access": {"open": True},
        "paths": {"file": {"source": video, "forward": publishing(folder, "apus")}, "pulled": {"source": viewing("file")}},
    }
    with open(f"{folder}/edge.json", "w") as file:
        json.dump(configuration, file)
    command = [os.environ["APUS_BINARY"], "serve", "--http-port", "0", "--config", f"{folder}/edge.json"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(f"{folder}/edge.log", "wb"))


def cut(folder, video, seconds):
    """Publishers and viewers of each kind for so many seconds; writes when data came."""
    arrivals = {}

    def note(name):
        times = arrivals.setdefault(name, [])
        return lambda data: times.append(time.time())

    looped = ["ffmpeg", "-nostdin", "-v", "warning", "-re", "-stream_loop", "-1", "-i", video, "-c", "copy", "-f", "mpegts"]
    apus = start_apus(folder, video)
    clients = {
        "ffmpeg publishes": Repeated([*looped, publishing(folder, "ffmpeg", FFMPEG_LATENCY)], f"{folder}/ffmpeg.log"),
        "srt-live-transmit publishes": Repeated(
            ["srt-live-transmit", "-q", "udp://:5000", publishing(folder, "srt-live-transmit")], f"{folder}/transmitter.log"),
        "its encoder": Repeated([*looped, "udp://127.0.0.1:5000?pkt_size=1316"], f"{folder}/encoder.log"),
        "ffmpeg views": Repeated(
            ["ffmpeg", "-nostdin", "-v", "warning", "-i", viewing("file", FFMPEG_LATENCY), "-c", "copy", "-flush_packets", "1", "-f", "mpegts", "-"],
            f"{folder}/viewer.log", note("ffmpeg views")),
        "srt-live-transmit views": Repeated(
            ["srt-live-transmit", "-q", viewing("file"), "file://con"], f"{folder}/viewer.log", note("srt-live-transmit views")),
    }
    here = subprocess.check_output(["ip", "netns", "identify"], text=True).strip()
    other_side = subprocess.Popen(
        ["ip", "netns", "exec", here.replace("-client", "-server"), sys.executable, __file__, "watch", folder, str(seconds)])
    arrivals.update({"Apus pulls": watch_rtsp(HERE, ["pulled"], seconds)["pulled"]})
    other_side.wait()
    with open(f"{folder}/watched.json") as file:
        arrivals.update({f"{'Apus' if path == 'apus' else path} publishes": times for path, times in json.load(file).items()})
    for client in clients.values():
        client.stop()
    apus.terminate()
    apus.wait()
    with open(f"{folder}/arrivals.json", "w") as file:
        json.dump(arrivals, file)
    with open(f"{folder}/starts.json", "w") as file:
        json.dump({name: client.starts for name, client in clients.items()}, file)


def watch(folder, seconds):
    with open(f"{folder}/watched.json", "w") as file:
        json.dump(watch_rtsp(RTSP, PUBLISHERS, seconds), file)


if __name__ == "__main__":
    role, folder, *rest = sys.argv[1:]
    {"loss": lose, "reference": publish_alone, "cut": cut, "watch": watch}[role](folder, *[int(word) if word.isdigit() else word for word in rest])
