import { whepEndpoint } from "../server/address.js";
import { RequestFailure } from "../server/api.js";
import { pause } from "../server/pause.js";
import { reachability } from "../server/reachability.js";
import { RetrySchedule } from "../server/retry-schedule.js";
import { serverClock } from "../server/server-clock.js";
import { askForStream } from "../server/stream-question.js";
import { FrameTimes } from "../webrtc/frame-times.js";
import { PeerSession } from "../webrtc/peer-session.js";

/** Whether this browser has WebRTC. */
export const playsWebRTC = "RTCPeerConnection" in globalThis;

/** Milliseconds from the offer in which the first picture, or the first sound of audio alone, must come. */
const longestStart = 1_500;

/** Milliseconds of these in which the server is asked whether the source starts, if the offer has no answer yet. */
const startQuestion = 500;

/** Milliseconds between two looks at a session. */
const tick = 100;

/** Milliseconds without media after which the server is asked whether the session still exists, and between two such questions. */
const silence = { longest: 1_000, interval: 2_000 };

/** Milliseconds between two questions about the stream. */
const questionInterval = 2_000;

/** Attempts without an answer, or with one that asks to come back later, after which another method may do better. */
const attemptCount = 2;

/** Milliseconds until a stream that nobody publishes is looked for again, if the server does not say when. */
const absentPause = 2_000;

/** The header extension by which the server states when a frame was captured. */
const captureTimeExtension = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time";

/** @typedef {{verdict: import("../server/close-code.js").Verdict | "unusable" | "notOffered", reason: string, pause?: number}} End */

/**
 * Plays a stream by WebRTC (WHEP) in a video element, and connects again whenever a session is lost.
 *
 * Its owner learns of the past. After `ended` with the verdicts `refused` and `disconnected` and after `unusable`, it has given up: WebRTC
 * does not work here, or not for this stream, and another method may.
 */
export class WebRTCPlayer {
    #path;
    #tracks;
    #video;
    #owner;
    #stop = new AbortController();
    #schedule = new RetrySchedule();
    /** Attempts in a row that failed and may be repeated. */
    #failedAttempts = 0;
    /** Whether there was a picture, or sound of audio alone. */
    #hasPlayed = false;
    /** @type {FrameTimes | null} */
    #times = null;
    /** The kinds of tracks that the session lacks, although they were offered. @type {string[]} */
    #missing = [];

    /**
     * @param {string} path
     * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
     * @param {HTMLVideoElement} video
     * @param {{playing: () => void, advanced: () => void, interrupted: () => void, soundRefused: () => void,
     *     changed: (stream: object) => void, unusable: (verdict: "unusable" | "notOffered", reason: string) => void,
     *     ended: (verdict: import("../server/close-code.js").Verdict, reason: string) => void}} owner
     */
    constructor(path, tracks, video, owner) {
        this.#path = path;
        this.#tracks = tracks;
        this.#video = video;
        this.#owner = owner;
        this.#run();
    }

    /** Seconds from the arrival of a frame to its display; null if it is unknown. */
    get gap() {
        const delay = this.#times?.delay ?? null;
        return delay === null ? null : delay / 1_000;
    }

    /**
     * When a frame was captured that is displayed now.
     *
     * @param {number} _ - its time on the media timeline, which says nothing
     * @param {VideoFrameCallbackMetadata} [frame] - none for audio alone
     * @returns {number | null} milliseconds since 1970 on the server's clock; null if it is unknown
     */
    captured(_, frame) {
        if (!this.#times) return null;
        return frame ? this.#times.displayed(frame) : this.#times.newest;
    }

    close() {
        this.#stop.abort();
        this.#video.srcObject = null;
    }

    async #run() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            const end = await this.#play();
            if (signal.aborted) return;
            if (["unusable", "notOffered"].includes(end.verdict)) return this.#owner.unusable(end.verdict, end.reason);
            this.#owner.ended(end.verdict, end.reason);
            if (["refused", "disconnected"].includes(end.verdict)) return;
            await pause(end.pause ?? this.#schedule.failed(performance.now(), Math.random()), signal);
            if (!signal.aborted) await reachability.regained();
        }
    }

    /** Plays one session. @returns {Promise<End>} why it has ended, which does not matter if this player was closed */
    async #play() {
        const { signal } = this.#stop;
        let session, longestWait;
        try {
            ({ session, longestWait } = await this.#open());
        } catch (failure) {
            return failure instanceof RequestFailure ? this.#afterRefusal(failure) : { verdict: "unusable", reason: failure.message };
        }
        const end = () => session.close();
        const leave = new AbortController();
        signal.addEventListener("abort", end, { signal: leave.signal });
        addEventListener("pagehide", end, { signal: leave.signal });
        if (signal.aborted) end();
        const result = signal.aborted ? null : (await this.#begin(session, longestWait)) ?? (await this.#follow(session));
        leave.abort();
        if (signal.aborted) return result;
        this.#owner.interrupted();
        session.close();
        this.#video.srcObject = this.#times = null;
        return result;
    }

    /**
     * Offers a session.
     *
     * WebRTC that has played is waited for longer: it works here, and the server may wait until the source is back.
     *
     * @returns {Promise<{session: PeerSession, longestWait: number}>} with the milliseconds that are left for the first picture
     */
    async #open() {
        const begun = performance.now();
        const answered = new AbortController();
        const late = new AbortController();
        let isSourceAwaited = this.#hasPlayed;
        if (!this.#hasPlayed) this.#limitOffer(late, answered.signal).then((isAwaited) => (isSourceAwaited = isAwaited));
        try {
            const session = await PeerSession.open(whepEndpoint(this.#path), (connection) => this.#offer(connection), late.signal);
            const longestWait = isSourceAwaited ? longestStart : longestStart - (performance.now() - begun);
            return { session, longestWait };
        } finally {
            answered.abort();
        }
    }

    /**
     * Gives an offer up whose answer does not come in time, unless the server waits for the source: another method would wait, too.
     *
     * @param {AbortController} late - of the offer
     * @param {AbortSignal} answered
     * @returns {Promise<boolean>} whether the source is waited for
     */
    async #limitOffer(late, answered) {
        await pause(longestStart - startQuestion, answered);
        if (answered.aborted) return false;
        const asked = performance.now();
        const { stream } = await askForStream(this.#path, startQuestion);
        if (stream?.tracks.length === 0) return true;
        await pause(startQuestion - (performance.now() - asked), answered);
        late.abort(new Error("the server does not answer offers of WebRTC in time"));
        return false;
    }

    /** The kinds of tracks that are played. */
    get #wanted() {
        return [this.#tracks.hasVideo && "video", this.#tracks.hasAudio && "audio"].filter(Boolean);
    }

    /** @param {RTCPeerConnection} connection */
    #offer(connection) {
        for (const kind of this.#wanted) {
            const transceiver = connection.addTransceiver(kind, { direction: "recvonly" });
            // Chromium knows the extension, and offers it only at the wish of the page.
            const extensions = transceiver.getHeaderExtensionsToNegotiate?.() ?? [];
            for (const extension of extensions) if (extension.uri === captureTimeExtension) extension.direction = "sendrecv";
            transceiver.setHeaderExtensionsToNegotiate?.(extensions);
        }
    }

    /**
     * Shows a session.
     *
     * @param {PeerSession} session
     * @param {number} longestWait - milliseconds
     * @returns {Promise<End | null>} null as soon as there is a picture, or sound of audio alone
     */
    async #begin(session, longestWait) {
        const receivers = session.transceivers.map(({ receiver }) => receiver);
        if (receivers.length === 0) return { verdict: "unusable", reason: "the server sends none of its tracks by WebRTC" };
        const kinds = receivers.map(({ track }) => track.kind);
        this.#missing = this.#wanted.filter((kind) => !kinds.includes(kind));
        this.#times = new FrameTimes(receivers[Math.max(0, kinds.indexOf("video"))], serverClock);
        this.#video.srcObject = new MediaStream(receivers.map(({ track }) => track));
        const { signal } = this.#stop;
        const started = new AbortController();
        const listening = { once: true, signal: started.signal };
        this.#video.addEventListener("playing", () => started.abort(), listening);
        signal.addEventListener("abort", () => started.abort(), listening);
        this.#video.play().catch((error) => {
            // Browsers play sound only after a click or a key.
            if (error.name === "NotAllowedError" && !this.#video.muted && !signal.aborted) this.#owner.soundRefused();
        });
        await pause(longestWait, started.signal);
        // A hidden page decodes frames, and may display none.
        const hasBegun = started.signal.aborted || newestMedia(session) !== null;
        started.abort();
        if (hasBegun || signal.aborted) return null;
        if (session.isConnected) return { verdict: "unusable", reason: "no picture came by WebRTC in time" };
        return { verdict: "unusable", reason: `WebRTC does not get through to the server at ${session.triedAddresses}` };
    }

    /** Follows a session that plays. @returns {Promise<End | null>} why it has ended; null if this player was closed */
    async #follow(session) {
        const { signal } = this.#stop;
        if (signal.aborted) return null;
        this.#failedAttempts = 0;
        this.#hasPlayed = true;
        this.#schedule.succeeded();
        this.#owner.playing();
        const stop = new AbortController();
        const abort = () => stop.abort();
        signal.addEventListener("abort", abort);
        const end = await Promise.race([this.#watch(session, stop.signal), this.#question(stop.signal)]);
        signal.removeEventListener("abort", abort);
        stop.abort();
        return end;
    }

    /** Waits until the session has ended, or nothing comes through any more. @returns {Promise<End>} */
    async #watch(session, signal) {
        let [newest, advancedAt, askedAt] = [null, performance.now(), -Infinity];
        for (;;) {
            await pause(tick, signal);
            if (signal.aborted) return { verdict: "again", reason: "closed" };
            const now = performance.now();
            const media = newestMedia(session);
            if (media !== newest) {
                newest = media;
                advancedAt = now;
                this.#owner.advanced();
            }
            const isSilent = now - advancedAt > silence.longest;
            if (!session.isLost && !isSilent || now - askedAt < silence.interval) continue;
            askedAt = now;
            const end = await this.#ending(session);
            if (end) return end;
            // The session exists, so a new one leads back to the media soonest.
            if (!session.isConnected) return { verdict: "again", reason: "the connection was lost" };
        }
    }

    /** Why the server has ended the session; null if it has not. @returns {Promise<End | null>} */
    async #ending(session) {
        const failure = await session.ending();
        if (!failure) return null;
        const { status, message } = failure;
        if (status === 0) return { verdict: "again", reason: message };
        if (status === 403) return { verdict: "disconnected", reason: message };
        const { end } = await askForStream(this.#path, questionInterval);
        return { verdict: end?.verdict ?? "again", reason: message };
    }

    /** Asks for the state of the stream again and again. @returns {Promise<End>} that it has a track that the session lacks */
    async #question(signal) {
        while (!signal.aborted) {
            const { stream } = await askForStream(this.#path);
            if (stream && !signal.aborted) {
                this.#owner.changed(stream);
                const missing = stream.tracks.find(({ kind }) => this.#missing.includes(kind));
                if (missing) return { verdict: "unusable", reason: `the server does not send the ${missing.kind} of this stream by WebRTC` };
            }
            await pause(questionInterval, signal);
        }
        return { verdict: "again", reason: "closed" };
    }

    /** What follows from a refused offer. @param {RequestFailure} failure @returns {Promise<End>} */
    async #afterRefusal({ status, message, retryAfter }) {
        const seconds = retryAfter === null ? null : Math.min(Math.max(retryAfter, 0.5), 10);
        if (status === 409) return { verdict: "again", reason: message, pause: seconds === null ? absentPause : seconds * 1_000 };
        if (status === 404 || status === 405) {
            const { end } = await askForStream(this.#path, questionInterval);
            if (end?.verdict === "absent") return { ...end, pause: absentPause };
            return { verdict: "notOffered", reason: "the server does not offer WebRTC" };
        }
        if (status !== 0 && status !== 503) return { verdict: "unusable", reason: message };
        this.#failedAttempts += 1;
        if (this.#failedAttempts >= attemptCount) return { verdict: "unusable", reason: message };
        return { verdict: "again", reason: message, pause: seconds === null ? undefined : seconds * 1_000 };
    }
}

/** When the newest frame or sound of a session was decoded, on a clock of the browser; null if there is none. */
function newestMedia(session) {
    const times = session.transceivers.flatMap(({ receiver }) =>
        receiver.getSynchronizationSources().map(({ timestamp }) => timestamp));
    return times.length > 0 ? Math.max(...times) : null;
}
