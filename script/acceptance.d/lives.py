#!/usr/bin/env python3
"""How publishers live and end, in real time.

An ffmpeg that publishes over UDP sends no RTSP for 10 minutes and stays on air. It is killed: the path is off air within 10 s. A
viewer stays connected meanwhile, without another DESCRIBE, and goes on at the first keyframe of the next publisher. A GStreamer that
says goodbye (-e) is off air 2 s after its RTCP BYE, and one that is interrupted at once. Usage: lives.py [SECONDS]
"""
import os
import signal
import sys
import time

from streams import Frames, Relay, Server, Wire, end_all, folder, start, wait

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 600
failures = []


def check(what, holds, detail):
    print(("ok      " if holds else "BROKEN  ") + f"{what}  ({detail})", flush=True)
    if not holds:
        failures.append(what)


def ffmpeg(relay, transport):
    return start(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-re", "-f", "lavfi",
         "-i", "sine=frequency=440:sample_rate=48000", "-ac", "2", "-c:v", "libx264", "-preset", "ultrafast", "-tune",
         "zerolatency", "-g", "50", "-pix_fmt", "yuv420p", "-threads", "1", "-c:a", "aac", "-muxdelay", "0", "-rtsp_transport",
         transport, "-f", "rtsp", f"rtsp://127.0.0.1:{relay.port}/cam"],
        stderr=open(os.path.join(folder, "publisher.log"), "ab"))


def gstreamer(relay, transport, options):
    return start(
        # Programs that are started here may inherit a mask that blocks SIGINT.
        ["env", "--default-signal=INT", "gst-launch-1.0", "-q"] + options + [
            "videotestsrc", "is-live=true", "!", "video/x-raw,width=320,height=180,framerate=25/1", "!", "openh264enc",
            "gop-size=25", "!", "h264parse", "!", "rtspclientsink", f"location=rtsp://127.0.0.1:{relay.port}/cam",
            f"protocols={transport}"],
        stderr=open(os.path.join(folder, "publisher.log"), "ab"))


def hours_without_a_request():
    server = Server("access: { loopback: publish }\npaths: { cam: { source: publish } }")
    relay = Relay(server.port)
    publisher = ffmpeg(relay, "udp")
    viewer = Wire(server.port, Frames())
    # The fast start has passed.
    time.sleep(2)
    viewer.longest_silence = 0
    wait(SECONDS, lambda: publisher.poll() is not None or "publisher left" in server.log())
    on_air = publisher.poll() is None and "publisher left" not in server.log()
    check(f"ffmpeg over UDP is on air for {SECONDS:.0f} s", on_air and viewer.longest_silence < 1,
          f"{relay.bytes_after_record} bytes of RTSP after RECORD, longest silence {viewer.longest_silence * 1000:.0f} ms")
    check("it sends no request", relay.bytes_after_record == 0, f"methods {' '.join(relay.methods)}")
    publisher.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    left = server.logged_at("publisher left", 1, 15)
    check("after kill -9 the path is off air within 10 s", left and left - killed <= 10,
          f"{left - killed:.2f} s" if left else "never")
    time.sleep(3)
    viewer.has_keyframe, viewer.keyframe_at = False, None
    # Inside the connection, so that the relay sees the keyframe.
    relay = Relay(server.port)
    publisher = ffmpeg(relay, "tcp")
    wait(15, lambda: viewer.keyframe_at)
    delay = (viewer.keyframe_at or 1e9) - (relay.keyframe_at or 0)
    check("the viewer goes on at the next publisher's first keyframe", delay < 0.3, f"{delay * 1000:.1f} ms after it passed")
    time.sleep(2)
    joined = server.log().count("info     joined")
    check("without another DESCRIBE, and in order", joined == 1 and not viewer.problems,
          f"{joined} sessions, {len(viewer.problems)} problems{': ' + viewer.problems[0] if viewer.problems else ''}")
    publisher.kill()
    server.process.terminate()
    server.process.wait()


def ends_of_gstreamer():
    server = Server("access: { loopback: publish }\npaths: { cam: { source: publish } }", "ends")
    count = 0
    for transport in ("tcp", "udp"):
        for options, name, limit in ((["-e"], "goodbye", 2.0), ([], "interruption", 0.3)):
            for _ in range(5):
                relay = Relay(server.port)
                publisher = gstreamer(relay, transport, options)
                Wire(server.port, Frames()).socket.close()
                time.sleep(1)
                publisher.send_signal(signal.SIGINT)
                interrupted = time.monotonic()
                count += 1
                left = server.logged_at("publisher left", count, 15)
                # Over UDP the goodbye does not pass the relay. Without one, the end of the connection counts.
                since = relay.goodbye_at or (relay.ended_at if not options else None) or interrupted
                delay = left - since if left else 1e9
                check(f"GStreamer, {transport}, {name}: off air within {limit} s", delay <= limit,
                      f"{delay * 1000:.0f} ms; {' '.join(relay.methods[4:])}{' BYE' if relay.goodbye_at else ''}")
                publisher.kill()
                publisher.wait()
    server.process.terminate()
    server.process.wait()


try:
    ends_of_gstreamer()
    hours_without_a_request()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
