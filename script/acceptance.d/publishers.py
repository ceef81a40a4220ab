"""Publishes with two ffmpegs and GStreamer over all transports, with and without Digest, with a query and with a slash at the end, and
plays each stream with both, ffprobe, GStreamer, mpv and VLC. Video and audio that an ffmpeg receives must be the published bytes, with
the published distances of the presentation times. Called by script/acceptance in the folder for the results."""
import collections, itertools, os, shutil, subprocess, sys, time

from clips import H264, H264_B_FRAMES, H264_G711, H265_OPUS, compare, ffmpeg_binaries, frames, make, results, versions
from playback import commands, problem

apus, port = os.environ["APUS_BINARY"], int(os.environ.get("APUS_PORT", "18754"))
failures = []

CLIPS = [H264, H264_B_FRAMES, H265_OPUS, H264_G711]


def check(what, holds, detail=""):
    print(("ok      " if holds else "BROKEN  ") + what + (f"  ({detail})" if detail else ""), flush=True)
    if not holds:
        failures.append(what)


def trusting(program, url):
    """The options with which an ffmpeg accepts the server's certificate."""
    # Debian's accepts any, and has no option to verify one.
    return ["-ca_file", str(results / "state" / "certificate.pem")] if program == "ffmpeg-new" and url.startswith("rtsps:") else []


def expect_identity(what, clip, url, player="ffmpeg"):
    for kind, name in (("v", "video"), ("a", "audio")):
        viewing = ["-rtsp_transport", "tcp"] + trusting(player, url) + ["-i", url]
        copied, status, errors = frames(viewing, clip, kind, 3, player)
        found = compare(ORIGINALS[clip.name, kind], copied)
        # The file may begin again in between, with a gap of less than a frame of audio.
        holds = status == 0 and not errors and len(copied) > 20 and not found.strangers and found.spread < 30
        check(f"{what}: {name} unchanged at {player}", holds,
              f"{len(copied)} frames, {found.strangers} other, times differ by {found.spread:.1f} ms{', ' + errors if errors else ''}")


def publisher(program, transport, clip, url):
    path = make(clip)
    if program.startswith("ffmpeg"):
        return [ffmpeg_binaries[program], "-nostdin", "-v", "error", "-re", "-i", str(path), "-c", "copy", "-f", "rtsp",
                "-rtsp_transport", transport, "-muxdelay", "0"] + trusting(program, url) + [url]
    video, audio = clip.gst
    return ["gst-launch-1.0", "-q", "rtspclientsink", "name=sink", f"location={url}", f"protocols={transport}",
            "filesrc", f"location={path}", "!", "matroskademux", "name=demux", "demux.video_0", "!", "queue", "!", video, "!", "sink.",
            "demux.audio_0", "!", "queue", "!", audio, "!", "sink."]


def play(what, clip, url):
    """With each player; none may report a decode error."""
    for player, command in commands(url).items():
        wrong = problem(player, command, clip.codecs)
        check(f"{what}: {player} plays", not wrong, wrong)


def serve(name, configuration, at):
    (results / f"{name}.yml").write_text(configuration)
    log = open(results / f"{name}.log", "w")
    return subprocess.Popen([apus, "serve", "--http-port", "0", "--config", str(results / f"{name}.yml")], stdout=log, stderr=log)


def wait_for(log, text, count, process, seconds=10):
    """Until the log has the text so often; false if the process has ended or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if (results / log).read_text(errors="replace").count(text) >= count:
            return True
        time.sleep(0.02)
    return False


shutil.rmtree(results / "vlc", ignore_errors=True)
os.environ["STATE_DIRECTORY"] = str(results / "state")
shutil.rmtree(results / "state", ignore_errors=True)
(results / "state").mkdir()
subprocess.run([apus, "certificate"], check=True, stdout=subprocess.DEVNULL)
versions()
for clip in CLIPS:
    make(clip)
ORIGINALS = {(clip.name, kind): frames(["-i", str(make(clip))], clip, kind, 30)[0] for clip in CLIPS for kind in "va"}
ports = f"server: {{ port: %d }}\ntls: {{ encryption: optional, port: %d }}\ncontrol: {{ socket: '' }}\n"
servers = {
    "open": serve("open", ports % (port, port + 1) + "access: { loopback: publish }\npaths: { 'live/*': { source: publish } }\n", port),
    "digest": serve("digest", ports % (port + 2, port + 3)
                    + "users:\n  pub: { password: 'a b@c', publish: ['*'], read: ['*'] }\npaths: { 'live/*': { source: publish } }\n", port + 2),
}
try:
    time.sleep(1.5)
    joined = collections.Counter()
    forms = {"plain": "", "query": "?token=1&x=y", "slash": "/"}
    ways = [(program, transport) for program in ffmpeg_binaries for transport in ("tcp", "udp", "tls")]
    ways += [("gst", "tcp"), ("gst", "udp")]
    only = os.environ.get("ONLY", "")
    number = 0
    for (program, transport), access, (form, suffix), clip in itertools.product(ways, servers, forms.items(), CLIPS):
        # Each form is tried with one clip; each clip in the plain form.
        if form != "plain" and clip.name != "h264-aac":
            continue
        what = f"{program} {transport} {access} {form} {clip.name}"
        if only not in what:
            continue
        number += 1
        base = port + (0 if access == "open" else 2)
        user = "" if access == "open" else "pub:a%20b%40c@"
        scheme, at = ("rtsps", base + 1) if transport == "tls" else ("rtsp", base)
        url = f"{scheme}://{user}127.0.0.1:{at}/live/s{number}{suffix}"
        viewing = f"rtsp://{user}127.0.0.1:{base}/live/s{number}"
        wire = "tcp" if transport == "tls" else transport
        process = subprocess.Popen(publisher(program, wire, clip, url), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=open(results / "publisher.log", "w"))
        joined[access] += 1
        begun = wait_for(f"{access}.log", "publisher joined", joined[access], process)
        check(f"{what}: publishes", begun, "" if begun else (results / "publisher.log").read_text()[-300:].strip())
        if not begun:
            joined[access] -= 1
        elif form == "plain" and access == "open" and transport != "tls":
            for player in ffmpeg_binaries:
                expect_identity(what, clip, viewing, player)
            play(what, clip, viewing)
        else:
            expect_identity(what, clip, viewing)
            if transport == "tls":
                expect_identity(what, clip, url, "ffmpeg-new")
        process.terminate()
        process.wait()
finally:
    for server in servers.values():
        server.terminate()
        server.wait()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
