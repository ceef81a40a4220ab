#!/usr/bin/env python3
"""The HTTP API against its own description, by schemathesis, and the metrics against Prometheus' rules, by promtool."""
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx

from streams import end_all, folder, free_port, is_ready, start, wait

APUS = os.environ["APUS_BINARY"]
RTSP, HTTP = free_port(), free_port()
URL = f"http://127.0.0.1:{HTTP}"
# A proxy that uses TLS with its client, so that Basic is accepted.
PROXY = {"Forwarded": "for=192.0.2.9;proto=https"}
failures = []

# Bodies without end, which a tester would wait for. Their headers are tested elsewhere.
ENDLESS = ["/api/v1/events", "/api/stream.mp4"]


def check(what, holds, seen=""):
    print(f"{'ok     ' if holds else 'BROKEN '} {what}{f': {seen}' if seen != '' else ''}", flush=True)
    if not holds:
        failures.append(what)


def start_server():
    Path(folder, "apus.yml").write_text(f"""
http: {{ port: {HTTP}, trustedProxies: [127.0.0.1] }}
users: {{ ann: {{ password: sesame77, read: ['*'], publish: ['*'], control: ['*'], status: true }} }}
# Wrong passwords are part of the test.
access: {{ wrongPasswords: 0, wrongPasswordsPerNetwork: 0, wrongPasswordMilliseconds: 0 }}
paths:
  cam: {{ source: testcard, video: {{ width: 320, height: 180 }} }}
  live: {{ source: publish }}
""")
    with open(Path(folder, "log"), "w") as log:
        start([APUS, "serve", "--config", f"{folder}/apus.yml", "--port", str(RTSP)], stderr=log)
    if not wait(10, lambda: is_ready(HTTP)):
        sys.exit(f"nothing answers: {Path(folder, 'log').read_text()[-2000:]}")


def check_description(name, headers):
    """Sends valid and invalid requests of all kinds, of which each answer must be described."""
    Path(folder, "schemathesis.toml").write_text("""
[checks.not_a_server_error]
# A client asks again after `Retry-After`: a stream without media, and a second snapshot at once.
expected-statuses = ["2xx", "3xx", "4xx", 503]
[checks.negative_data_rejection]
# The standard ones, and that a body or a URL is too long.
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "414", "415", "422", "428", "429", "5xx"]
""")
    options = [f"--exclude-path={path}" for path in ENDLESS] + [f"--header={key}: {value}" for key, value in headers.items()]
    checks = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
              "response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance"]
    process = subprocess.run(
        [str(Path(sys.executable).with_name("schemathesis")), "--config-file", f"{folder}/schemathesis.toml", "run", f"{URL}/api/v1/openapi.json",
         "--checks", ",".join(checks), "--phases", "examples,coverage,fuzzing", "--max-examples", "100", "--seed", "23",
         "--request-timeout", "15", "--suppress-health-check", "all", "--continue-on-failure", *options],
        capture_output=True, text=True, cwd=folder)
    Path(f"schemathesis-{name.replace(' ', '-')}.log").write_text(process.stdout + process.stderr)
    check(f"schemathesis {name}", process.returncode == 0, process.stdout.splitlines()[-1:])


def check_metrics():
    """Metrics while clients watch over RTSP, HTTP and HLS, and one publishes."""
    login = "ann:sesame77@127.0.0.1"
    start(["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x180", "-c:v", "libx264", "-tune", "zerolatency",
           "-f", "rtsp", f"rtsp://{login}:{RTSP}/live"])
    over_http = f"http://{login}:{HTTP}/cam"
    for url in (f"rtsp://{login}:{RTSP}/cam", f"rtsp://{login}:{RTSP}/live", f"{over_http}/index.mp4", f"{over_http}/index.m3u8"):
        start(["ffmpeg", "-nostdin", "-v", "error", "-i", url, "-f", "null", "-"])

    def metrics():
        return httpx.get(f"{URL}/metrics", headers=PROXY, auth=("ann", "sesame77")).text

    viewers = (("/cam", "UDP"), ("/live", "UDP"), ("/cam", "MP4"), ("/cam", "HLS"))
    expected = {f'apus_viewers{{path="{path}",transport="{transport}"}} 1' for path, transport in viewers}
    check("clients watch over RTSP, HTTP and HLS", wait(20, lambda: expected <= set(metrics().splitlines())))
    text = metrics()
    check("a path is published", "apus_input_packets_total" in text)
    process = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    check("promtool finds nothing to correct", process.returncode == 0 and not process.stdout + process.stderr, process.stdout + process.stderr)


try:
    start_server()
    check_metrics()
    check_description("without a password", PROXY)
    # From here on sources are restarted and settings changed.
    check_description("as an operator", PROXY | {"Authorization": "Basic YW5uOnNlc2FtZTc3"})
    check("the server still answers", httpx.get(f"{URL}/healthz").status_code == 200)
    errors = re.findall(r"(?m)^\S+ (?:error|critical) .*", Path(folder, "log").read_text())
    check("the log has no error", not errors, errors[:3] if errors else "")
finally:
    end_all()
sys.exit(1 if failures else 0)
