import { RequestFailure } from "../server/api.js";
import { whipEndpoint } from "../server/address.js";
import { pause } from "../server/pause.js";
import { reachability } from "../server/reachability.js";
import { RetrySchedule } from "../server/retry-schedule.js";
import { PeerSession } from "./peer-session.js";

/** Milliseconds between two looks at a session. */
const tick = 200;

/** Milliseconds after which a connection that does not come about is given up. */
const longestConnecting = 5_000;

/** What is captured, by the name of the source. The browser asks the user, who chooses one. */
const captures = {
    camera: (hasSound) => navigator.mediaDevices.getUserMedia({
        video: { width: { ideal: 1_280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } }, audio: hasSound,
    }),
    screen: (hasSound) => navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { ideal: 30 } }, audio: hasSound }),
};

/** What an encoder gives up last, if it must give up something: a camera its motion, a screen its text. */
const contentHints = { camera: "motion", screen: "detail" };

/** Whether this page gets cameras and screens: browsers give them to pages that came inside TLS, or from their own host. */
export const capturesMedia = "mediaDevices" in navigator && "RTCPeerConnection" in globalThis;

/** Whether this browser can capture a screen, which telephones cannot. */
export const capturesScreens = capturesMedia && "getDisplayMedia" in navigator.mediaDevices;

/**
 * Publishes a camera or a screen of this browser as a stream of the server (WHIP), and connects again if the connection is lost, until
 * the user stops it, the source ends, or the server refuses.
 */
export class Publication {
    #path;
    #owner;
    /** @type {{state: "idle" | "asking" | "connecting" | "live" | "failed", reason: string | null}} */
    #state = { state: "idle", reason: null };
    /** @type {MediaStream | null} */
    #media = null;
    /** Whether the present publication has been received by the server. */
    #wasLive = false;
    /** Ends the present publication. */
    #stop = new AbortController();

    /**
     * @param {string} path
     * @param {{changed: () => void}} owner
     */
    constructor(path, owner) {
        this.#path = path;
        this.#owner = owner;
    }

    get state() {
        return this.#state;
    }

    /** What is published; null if nothing is. */
    get media() {
        return this.#media;
    }

    /** @param {"camera" | "screen"} source @param {{hasSound: boolean}} options */
    async start(source, { hasSound }) {
        this.stop();
        const stop = (this.#stop = new AbortController());
        this.#change("asking");
        let media;
        try {
            media = await captures[source](hasSound);
        } catch (error) {
            if (!stop.signal.aborted) this.#change("failed", reasonOf(error));
            return;
        }
        const end = () => media.getTracks().forEach((track) => track.stop());
        if (stop.signal.aborted) return end();
        stop.signal.addEventListener("abort", end);
        const [picture] = media.getVideoTracks();
        picture.contentHint = contentHints[source];
        // The user has ended it with the browser's own button, or has pulled the camera's cable.
        picture.addEventListener("ended", () => this.#end(stop, "idle", null), { signal: stop.signal });
        this.#media = media;
        this.#wasLive = false;
        const reason = await this.#run(media, stop.signal);
        this.#end(stop, "failed", reason);
    }

    stop() {
        this.#end(this.#stop, "idle", null);
    }

    /** Publishes until it is stopped, or until there is no point in going on. @returns {Promise<string | null>} the reason */
    async #run(media, signal) {
        const schedule = new RetrySchedule();
        let lastReason = null;
        while (!signal.aborted) {
            this.#change("connecting", lastReason);
            let retryAfter = null;
            try {
                const session = await PeerSession.open(whipEndpoint(this.#path), (connection) => offer(connection, media));
                const end = () => session.close();
                addEventListener("pagehide", end, { signal });
                signal.addEventListener("abort", end);
                if (signal.aborted) end();
                const ending = signal.aborted ? null : await this.#follow(session, schedule, signal);
                signal.removeEventListener("abort", end);
                removeEventListener("pagehide", end);
                if (signal.aborted) return null;
                end();
                if (ending && ![0, 404].includes(ending.status)) return ending.message;
                lastReason = ending?.message ?? "the connection was lost";
            } catch (error) {
                if (!(error instanceof RequestFailure)) return error.message;
                // The server may not have noticed yet that its session with this publisher is lost.
                const mayPass = error.status === 0 || this.#wasLive && [409, 503].includes(error.status);
                if (!mayPass) return error.message;
                lastReason = error.message;
                retryAfter = error.retryAfter;
            }
            const usual = schedule.failed(performance.now(), Math.random());
            await pause(Math.max(usual, (retryAfter ?? 0) * 1_000), signal);
            if (!signal.aborted) await reachability.regained();
        }
        return null;
    }

    /** Waits until a session has ended. @returns {Promise<RequestFailure | null>} what the server says of it */
    async #follow(session, schedule, signal) {
        const begun = performance.now();
        for (;;) {
            await pause(tick, signal);
            if (signal.aborted) return null;
            if (session.isConnected) {
                if (this.#state.state !== "live") this.#change("live");
                this.#wasLive = true;
                schedule.succeeded();
            } else if (this.#state.state !== "live") {
                if (performance.now() - begun < longestConnecting) continue;
                return new RequestFailure(1, `WebRTC does not get through to the server at ${session.triedAddresses}`);
            }
            if (!session.isConnected || session.isLost) return session.ending();
        }
    }

    #end(stop, state, reason) {
        if (stop.signal.aborted) return;
        stop.abort();
        this.#media = null;
        this.#change(state, reason);
    }

    #change(state, reason = null) {
        this.#state = { state, reason };
        this.#owner.changed();
    }
}

/** @param {RTCPeerConnection} connection @param {MediaStream} media */
function offer(connection, media) {
    for (const track of media.getTracks()) {
        const transceiver = connection.addTransceiver(track, { direction: "sendonly", streams: [media] });
        if (track.kind === "video") transceiver.setCodecPreferences?.(preferredCodecs());
    }
}

/** The codecs of the browser, with H.264 first: viewers over all protocols can play it. */
function preferredCodecs() {
    const { codecs } = RTCRtpSender.getCapabilities("video");
    const isFirst = ({ mimeType }) => mimeType.toLowerCase() === "video/h264";
    return [...codecs.filter(isFirst), ...codecs.filter((codec) => !isFirst(codec))];
}

/** Why a browser gives no media. @param {DOMException} error */
function reasonOf({ name, message }) {
    switch (name) {
        case "NotAllowedError": return "the browser was not allowed to capture it";
        case "NotFoundError": return "the browser has found no such device";
        case "NotReadableError": return "another program uses the device, or it has failed";
        default: return message;
    }
}
