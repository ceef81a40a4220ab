import { ServerClock } from "/page/server/server-clock.js";
import { FrameTimes } from "/page/webrtc/frame-times.js";
import { iceServers } from "/page/webrtc/ice-servers.js";
import { Refusals } from "/page/webrtc/refusals.js";
import { SessionResource } from "/page/webrtc/session-resource.js";
import { equal, near, test } from "./check.js";

/** Milliseconds from 1900 to 1970. */
const ntpEpoch = 2_208_988_800_000;

/** A receiver whose newest frame is told by a test. */
const receiver = () => ({ sources: [], getSynchronizationSources() { return this.sources; } });

/** A clock of a server that is a thousand seconds ahead of the page's. */
function clock() {
    const clock = new ServerClock();
    clock.exchanged(0, 0, 1_000_000);
    return clock;
}

test("without links there are no servers for ICE", () => {
    equal(iceServers(null), []);
    equal(iceServers(""), []);
});

test("servers for ICE are read from all links, with and without a password", () => {
    const header = '<stun:stun.example.net>; rel="ice-server", <turn:turn.example.net?transport=udp>; rel="ice-server"; '
        + 'username="user"; credential="a, \\"b\\"; c"; credential-type="password", <turns:t.example>;rel=ice-server;username=u;credential=p';
    equal(iceServers(header), [
        { urls: "stun:stun.example.net" },
        { urls: "turn:turn.example.net?transport=udp", username: "user", credential: 'a, "b"; c' },
        { urls: "turns:t.example", username: "u", credential: "p" },
    ]);
});

test("other links are no servers for ICE", () => {
    equal(iceServers('<https://example.net/>; rel="ice-server", <stun:a>; rel="help", <stun:b>'), []);
});

test("the capture time of a frame is that of its header extension", () => {
    const source = receiver();
    const times = new FrameTimes(source, clock());
    source.sources = [{ rtpTimestamp: 9_000, captureTimestamp: ntpEpoch + 5_000 }];
    equal(times.displayed({ rtpTimestamp: 9_000, expectedDisplayTime: 0 }), 5_000);
    equal(times.newest, 5_000);
});

test("a frame beside one with a known capture time was captured as much later as its timestamp says", () => {
    const source = receiver();
    const times = new FrameTimes(source, clock());
    source.sources = [{ rtpTimestamp: 4_294_967_000, captureTimestamp: ntpEpoch + 5_000 }];
    times.displayed({ rtpTimestamp: 4_294_967_000, expectedDisplayTime: 0 });
    source.sources = [{ rtpTimestamp: 90_000, captureTimestamp: ntpEpoch + 7_000 }];
    // 2 704 ticks behind the first, beyond the end of 32 bits, and 87 592 before the second.
    near(times.displayed({ rtpTimestamp: 2_408, expectedDisplayTime: 0 }), 5_000 + 2_704 / 90, 0.001);
});

test("without the extension, the browser's own capture time is on the clock of the page", () => {
    const times = new FrameTimes(receiver(), clock());
    equal(times.displayed({ rtpTimestamp: 1, captureTime: 25, expectedDisplayTime: 30 }), 1_000_025);
    equal(times.displayed({ rtpTimestamp: 2, expectedDisplayTime: 30 }), null);
});

test("the delay in the browser is the median of the last frames", () => {
    const times = new FrameTimes(receiver(), clock());
    equal(times.delay, null);
    for (const delay of [3, 90, 5, 4, 4]) times.displayed({ receiveTime: 100, expectedDisplayTime: 100 + delay });
    equal(times.delay, 4);
});

test("a path that was refused is left alone for a minute, with these tracks", () => {
    const refusals = new Refusals();
    refusals.add("/cam", false, "no picture came", 1_000);
    equal(refusals.reason("/cam", false, 60_999), "no picture came");
    equal(refusals.reason("/cam", true, 2_000), null);
    equal(refusals.reason("/yard", false, 2_000), null);
    equal(refusals.reason("/cam", false, 61_000), null);
});

test("a path that was played is no longer refused", () => {
    const refusals = new Refusals();
    refusals.add("/cam", false, "no picture came", 1_000);
    refusals.remove("/cam", false);
    equal(refusals.reason("/cam", false, 1_001), null);
});

/** Runs a test whose requests are answered by it. @param {(requests: {method: string, url: string, answer: (response: Response) => void}[]) => Promise<void>} body */
async function withRequests(body) {
    const usual = globalThis.fetch;
    const requests = [];
    globalThis.fetch = (url, { method = "GET" }) => new Promise((answer) => requests.push({ method, url: `${url}`, answer }));
    try {
        await body(requests);
    } finally {
        globalThis.fetch = usual;
    }
}

/** The answer of a server that has created a session. */
function created() {
    const response = new Response("v=0", { status: 201, headers: { Location: "/sessions/1" } });
    Object.defineProperty(response, "url", { value: "http://apus.test/yard/whep" });
    return response;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits for this number of requests, for a second at most. */
async function arrival(requests, count) {
    for (let rest = 200; requests.length < count && rest > 0; rest -= 1) await pause(5);
}

test("a session that is created after its offer was given up is deleted", () => withRequests(async (requests) => {
    const late = new AbortController();
    const creation = SessionResource.create("/yard/whep", "v=0", late.signal).then(() => null, ({ message }) => message);
    late.abort(new Error("too late"));
    equal(await creation, "too late");
    equal(requests.map(({ method }) => method), ["POST"]);
    requests[0].answer(created());
    await arrival(requests, 2);
    equal(requests.slice(1).map(({ method, url }) => [method, url]), [["DELETE", "http://apus.test/sessions/1"]]);
}));

test("a late refusal leaves nothing to delete", () => withRequests(async (requests) => {
    const late = new AbortController();
    const creation = SessionResource.create("/yard/whep", "v=0", late.signal).then(() => null, ({ message }) => message);
    late.abort(new Error("too late"));
    equal(await creation, "too late");
    requests[0].answer(new Response("{}", { status: 503 }));
    await pause(50);
    equal(requests.length, 1);
}));

test("a session that was created in time outlives the limit of its offer", () => withRequests(async (requests) => {
    const late = new AbortController();
    const creation = SessionResource.create("/yard/whep", "v=0", late.signal);
    requests[0].answer(created());
    equal((await creation).answer, "v=0");
    late.abort(new Error("too late"));
    await pause(50);
    equal(requests.length, 1);
}));
