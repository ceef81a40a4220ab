"""Clips that publishers send, and what an ffmpeg copies of their streams."""
import collections
import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

results = pathlib.Path.cwd()
# Debian's, and a new one.
ffmpeg_binaries = {"ffmpeg": "ffmpeg", "ffmpeg-new": os.environ["FFMPEG_NEW"]}

Clip = collections.namedtuple("Clip", "name video audio options gst codecs")
X265 = "-c:v libx265 -x265-params log-level=none:bframes=3:open-gop=0:keyint=25"
H264 = Clip("h264-aac", "h264", True, "-c:v libx264 -bf 0 -c:a aac -ac 2", ("h264parse", "aacparse"), "h264 aac")
H264_B_FRAMES = Clip("h264-bframes", "h264", True, "-c:v libx264 -bf 3 -c:a aac -ac 2", ("h264parse", "aacparse"), "h264 aac")
H264_G711 = Clip("h264-g711", "h264", True, "-c:v libx264 -bf 0 -ar 8000 -ac 1 -c:a pcm_alaw", ("h264parse", "audio/x-alaw"), "h264 pcm_alaw")
H264_OPUS = Clip("h264-opus", "h264", True, "-c:v libx264 -bf 0 -c:a libopus -ar 48000 -ac 2", ("h264parse", "opusparse"), "h264 opus")
H265_AAC = Clip("h265-aac", "hevc", True, f"{X265} -c:a aac -ac 2", ("h265parse", "aacparse"), "hevc aac")
H265_OPUS = Clip("h265-opus", "hevc", True, f"{X265} -c:a libopus -ac 2", ("h265parse", "opusparse"), "hevc opus")


def run(command, seconds=30):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        decode = lambda text: (text or b"").decode(errors="replace")
        return 124, decode(late.stdout), decode(late.stderr)


def versions():
    for name, binary in ffmpeg_binaries.items():
        print(f"{name}: {run([binary, '-version'])[1].partition(' Copyright')[0]}", flush=True)


def make(clip, seconds=30):
    """A file with a keyframe every second. All frames of its sound differ, too, because the pitch rises."""
    path = results / f"{clip.name}{'' if seconds == 30 else f'-{seconds}'}.mkv"
    if not path.exists():
        preset = "" if "x265" in clip.options else "-g 25 -keyint_min 25 -sc_threshold 0"
        status, _, errors = run(
            f"ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=640x360:r=25 -f lavfi -i aevalsrc=sin(300*t*(1+t/20))/3:s=48000 -t {seconds} -preset ultrafast "
            f"-pix_fmt yuv420p {clip.options} {preset} -y {path}".split(), 60 + seconds)
        assert status == 0, errors
    return path


def frames(source, clip, kind, seconds, player="ffmpeg"):
    """Checksum and presentation time in milliseconds of each frame that an ffmpeg copies."""
    # Parameter sets may be repeated, delimiters are not sent.
    sets = {"h264": "6-9", "hevc": "32-35|39-40"}[clip.video]
    filters = ["-bsf:v", f"filter_units=remove_types={sets}"] if kind == "v" else []
    status, text, errors = run(
        [ffmpeg_binaries[player], "-nostdin", "-v", "error"] + source + ["-map", f"0:{kind}", "-c", "copy", "-t", str(seconds)]
        + filters + ["-f", "framemd5", "-"])
    # What a new viewer gets of the past is compressed in time, of which ffmpeg's muxers complain.
    errors = "\n".join(line for line in errors.splitlines() if "Non-monotonous DTS" not in line)
    base = re.search(r"#tb 0: (\d+)/(\d+)", text)
    scale = 1000 * int(base[1]) / int(base[2]) if base else 1
    lines = [line.split(",") for line in text.splitlines() if line and line[0] != "#"]
    return [(line[5].strip(), int(line[2]) * scale) for line in lines], status, errors.strip()


Identity = collections.namedtuple("Identity", "strangers missing spread")


def compare(originals, copied):
    """How copied frames differ from the original ones: the number of those that are no original, the number of originals that are missing
    between the first and the last copied one, and the spread in milliseconds of the differences of their times."""
    times = dict(originals)
    # Silence repeats its frames, so only frames that occur once tell the place and the time.
    counts = collections.Counter(md5 for md5, _ in originals)
    places = {md5: place for place, (md5, _) in enumerate(originals) if counts[md5] == 1}
    known = [(place, places[md5]) for place, (md5, _) in enumerate(copied) if md5 in places]
    missing = sum(abs((later[1] - former[1]) - (later[0] - former[0])) for former, later in zip(known, known[1:]))
    # The first frames are those of the past, compressed in time.
    offsets = [time - times[md5] for md5, time in copied[len(copied) // 2:] if md5 in places]
    return Identity(sum(md5 not in times for md5, _ in copied), missing, max(offsets) - min(offsets) if offsets else 0)


def unchanged(clip, url, originals, seconds=4):
    """Copies a stream of RTSP, and compares it with the frames of `originals`, which may be known only when it was copied. Yields for video
    and audio the name, whether they are the same, and the details."""
    viewing = ["-rtsp_transport", "tcp", "-i", url]
    with ThreadPoolExecutor() as pool:
        copies = dict(zip("va", pool.map(lambda kind: frames(viewing, clip, kind, seconds), "va")))
    for kind, name in (("v", "video"), ("a", "audio")):
        copied, status, errors = copies[kind]
        found = compare(originals(kind), copied)
        holds = status == 0 and not errors and len(copied) > 20 and not found.strangers and not found.missing and found.spread < 30
        yield name, holds, (f"{len(copied)} frames, {found.strangers} other, {found.missing} missing, times differ by {found.spread:.1f} ms"
                            + (f", {errors}" if errors else ""))
