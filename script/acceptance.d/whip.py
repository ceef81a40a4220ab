#!/usr/bin/env python3
"""FFmpeg publishes by WHIP, as DTLS server and as DTLS client, and its stream is played by RTSP, HLS, as endless MP4 and on the page.

Video and audio over RTSP must be the published bytes, without a gap. Then it publishes through script/impair where a part of its packets is
lost: what it sends again must fill the gaps. Needs root for that (script/impair); without, this part is skipped.
"""
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import page
from clips import H264_OPUS, ffmpeg_binaries, frames, make, run, unchanged, versions
from streams import Server, end_all, folder, free_port, is_ready, start, wait

ROOT = Path(__file__).resolve().parents[2]
CLIP_SECONDS, LOSS_SECONDS = 60, 20
USER = "studio:garden88"
LOSS = 0.02
ROLES = {"passive": [], "active": ["-whip_flags", "dtls_active"]}
SECTIONS = """webrtc: { port: PORT, singlePort: true }
access: { open: true }
users: { studio: { password: garden88, publish: ["live/*"] } }
paths: { 'live/*': { source: publish } }
"""
failures = []


def check(what, holds, detail=""):
    print(("ok      " if holds else "BROKEN  ") + what + (f"  ({detail})" if detail else ""), flush=True)
    if not holds:
        failures.append(what)


def publishing(url, role):
    return [ffmpeg_binaries["ffmpeg-new"], "-nostdin", "-v", "error", "-re", "-i", str(make(H264_OPUS, CLIP_SECONDS)), "-c", "copy",
            "-f", "whip", *ROLES[role], url]


def publish(role):
    http = free_port()
    server = Server(f"http: {{ port: {http} }}\n" + SECTIONS.replace("PORT", str(free_port())), name=role, has_http=True)
    if not wait(10, lambda: is_ready(http)):
        raise SystemExit("nothing answers: " + server.log())
    what, path = f"FFmpeg, DTLS {role}", f"live/{role}"
    with open(os.path.join(folder, "publisher.log"), "w") as log:
        process = start(publishing(f"http://{USER}@127.0.0.1:{http}/{path}/whip", role), stdout=log, stderr=log)
    begun = wait(10, lambda: "publisher joined" in server.log() or process.poll() is not None) and process.poll() is None
    check(f"{what}: publishes", begun, "" if begun else open(log.name).read()[-300:].strip() + server.log()[-300:])
    if begun:
        originals = {kind: frames(["-i", str(make(H264_OPUS, CLIP_SECONDS))], H264_OPUS, kind, CLIP_SECONDS)[0] for kind in "va"}
        for name, holds, detail in unchanged(H264_OPUS, f"rtsp://{USER}@127.0.0.1:{server.port}/{path}", originals.get):
            check(f"{what}: {name} unchanged over RTSP", holds, detail)
        for name in ("index.m3u8", "index.mp4"):
            url = f"http://{USER}@127.0.0.1:{http}/{path}/{name}"
            status, text, errors = run([ffmpeg_binaries["ffmpeg-new"], "-nostdin", "-v", "error", "-i", url, "-t", "3", "-f", "framemd5", "-"])
            count = sum(not line.startswith("#") for line in text.splitlines())
            check(f"{what}: {name} plays", status == 0 and not errors and count > 50, f"{count} frames of video and sound {errors}".strip())
        wrong = page.problem(f"http://{USER}@127.0.0.1:{http}/{path}/")
        check(f"{what}: the page plays", not wrong, wrong)
    process.terminate()
    process.wait()
    server.process.terminate()
    server.process.wait()


def lose():
    """FFmpeg publishes where packets are lost."""
    sections = Path(folder, "lossy.yml")
    private = Path(folder, "private")
    private.mkdir(mode=0o700, exist_ok=True)
    sections.write_text(f"server: {{ port: 8554 }}\ncontrol: {{ socket: {private}/control }}\n" + SECTIONS.replace("PORT", "8189"))
    apus = shlex.quote(os.environ["APUS_BINARY"])
    sending = shlex.join(publishing(f"http://{USER}@$APUS_IMPAIR_SERVER:8888/live/lossy/whip", "passive")).replace("'", "")
    client = f"( timeout {LOSS_SECONDS + 5} {sending} & sleep {LOSS_SECONDS}; {apus} status --config {sections} --json >{folder}/status; wait ) || true"
    done = subprocess.run(
        [ROOT / "script/impair", "--port", "8888", "--up", f"loss {LOSS:.0%} delay 5ms", "--down", "delay 5ms",
         "--server", f"exec {apus} serve --config {sections} >{folder}/notice 2>{folder}/log", "--client", client],
        env=dict(os.environ, STATE_DIRECTORY=f"{folder}/state"), capture_output=True, text=True)
    if done.returncode == 77:
        return print("skipped lossy network: " + done.stderr.strip())
    try:
        status = json.loads(Path(folder, "status").read_text())
    except ValueError:
        return check(f"{LOSS:.0%} of the packets are lost: FFmpeg publishes", False, done.stderr[-500:] + Path(folder, "log").read_text()[-500:])
    video = next(track for track in status["streams"][0]["input"]["tracks"] if track["codec"] == "H264")
    # FFmpeg sends lost packets of video again, and only once.
    check(f"{LOSS:.0%} of the packets are lost: a tenth of that is missing in the video at most",
          video["packets"] > 1_000 and video["lost"] <= LOSS / 10 * video["packets"],
          f"{video['lost']} of {video['packets']} packets missing, {video['broken']} frames broken")


versions()
try:
    for each in ROLES:
        publish(each)
    lose()
finally:
    end_all()
print(f"{len(failures)} of the checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
