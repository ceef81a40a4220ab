"""Pulls a stream over UDP through a network that loses 2 % of the packets and reorders as many, from Apus and from gst-rtsp-server, and
measures at a viewer of the puller: no frame may come 100 ms later than its distance in time from the frame before. Called by
script/acceptance in the folder for the results. Needs root and TUN devices."""
import json, os, pathlib, subprocess, sys

apus, results = os.environ["APUS_BINARY"], pathlib.Path.cwd()
root = pathlib.Path(__file__).resolve().parents[2]
seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
failures = 0

(results / "loss-origin.yml").write_text(
    "server: { port: 18774 }\ncontrol: { socket: '' }\naccess: { open: true }\n"
    "paths: { cam: { source: testcard, video: { width: 640, height: 360, bitrate: 2000000 } } }\n")
(results / "loss-edge.yml").write_text(
    "server: { port: 18775 }\ncontrol: { socket: '' }\n"
    "paths: { cam: { source: 'rtsp://ORIGIN:18774/cam', pull: { transport: udp } } }\n")
# The puller is started first, so the client waits for its first frame.
client = f"""
sed "s/ORIGIN/$APUS_IMPAIR_SERVER/" {results}/loss-edge.yml >{results}/loss-edge.run.yml
{apus} serve --http-port 0 --config {results}/loss-edge.run.yml >{results}/loss-edge.log 2>&1 & edge=$!
for _ in $(seq 50); do
    {apus} measure rtsp://127.0.0.1:18775/cam --transport tcp --seconds 1 >/dev/null 2>&1 && break
    sleep 0.1
done
{apus} measure rtsp://127.0.0.1:18775/cam --transport tcp --seconds {seconds} --json >{results}/loss.json
status=$?
kill $edge
exit $status"""
servers = {
    "Apus": f"{apus} serve --http-port 0 --config {results}/loss-origin.yml",
    "gst-rtsp-server": f"python3 {root}/script/acceptance.d/gst_server.py 18774 '( videotestsrc is-live=true ! "
    "video/x-raw,width=640,height=360,framerate=30/1 ! openh264enc bitrate=2000000 gop-size=60 ! "
    "h264parse ! rtph264pay name=pay0 pt=96 config-interval=-1 )'",
}
for name, server in servers.items():
    done = subprocess.run(
        [root / "script" / "impair", "--port", "18774", "--down", "loss 2% delay 10ms jitter 2ms reorder 2% by 5ms", "--statistics",
         results / "loss-relay.json", "--server", server, "--client", client], capture_output=True, text=True)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != 0:
        print(f"BROKEN  {name}: {done.stderr[-400:]}")
        failures += 1
        continue
    report = json.loads((results / "loss.json").read_text())
    spacing = report["jitter"]["spacing"]
    holds = spacing["max"] < 100 and report["frames"]["received"] > 20 * float(seconds)
    print(f"{'ok     ' if holds else 'BROKEN '} {name}: {report['frames']['received']} frames in {seconds} s; from frame to frame p50 {spacing['p50']:.1f}, p99 {spacing['p99']:.1f}, max {spacing['max']:.1f} ms", flush=True)
    failures += not holds
sys.exit(1 if failures else 0)
