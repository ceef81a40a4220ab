import { serverClock } from "../server/server-clock.js";
import { refusals } from "../webrtc/refusals.js";
import { DisplayedFrames } from "./displayed-frames.js";
import { HLSPlayer, playsHLS } from "./hls-player.js";
import { MediaFile } from "./media-file.js";
import { MediaSocket } from "./media-socket.js";
import { MSEPlayer, canPlay, playsSegments } from "./mse-player.js";
import { SnapshotPlayer } from "./snapshot-player.js";
import { WebRTCPlayer, playsWebRTC } from "./webrtc-player.js";

/**
 * A way in which a stream is played.
 *
 * @typedef {"webrtc" | "socket" | "file" | "hls" | "snapshots"} Method
 */

/** From the best to the last. @type {Record<Method, string>} */
export const methodNames = {
    webrtc: "WebRTC",
    socket: "MSE over WebSocket",
    file: "MSE over HTTP",
    hls: "HLS by the browser",
    snapshots: "a snapshot each second",
};

/** @type {Method[]} */
const order = Object.keys(methodNames);

/** Milliseconds without media after which a video is said to wait for them. */
const longestSilence = 2_000;

/** Milliseconds in which a second failure of the browser's player leads to another method. */
const repeatedFailure = 60_000;

/**
 * Plays one stream in one video element, in the best way that works, and knows how it is going.
 *
 * While it plays, it only goes on to a later method by itself: a player that goes back and forth between two methods would show less than
 * either. WebRTC that has failed is tried again when the playback is started again, after a minute.
 *
 * | method | used | left if |
 * |---|---|---|
 * | `webrtc` | first, if the browser has it | there is no picture in time, or the server refuses → the first of the others that has not failed |
 * | `socket` | then | WebSockets do not get through → `file`; the browser cannot play the media → `hls` or `snapshots` |
 * | `file` | then | the browser cannot play the media → `hls` or `snapshots` |
 * | `hls` | in browsers that play it, if they have no Media Source Extensions or cannot play the media with them | the same → `snapshots` |
 * | `snapshots` | last | – |
 */
export class Playback {
    #path;
    #video;
    #still;
    #owner;
    /** @type {Method} */
    #method = "webrtc";
    /** Why another method than the first is used; null if it is the first, or the user's choice. */
    #methodReason = null;
    /** Whether the user has chosen the method. */
    #isChosen = false;
    /** The method without WebRTC, and why it is a later one. @type {{method: Method, reason: string | null}} */
    #other = { method: playsSegments ? "socket" : lastResort(), reason: null };
    /** Whether WebRTC may be used. */
    #triesWebRTC;
    #hasSound = false;
    /** @type {object | null} the stream as the server describes it */
    #stream = null;
    #transport = null;
    /** @type {WebRTCPlayer | MSEPlayer | HLSPlayer | SnapshotPlayer | null} */
    #player = null;
    #frames = null;
    /** @type {{verdict: import("../server/close-code.js").Verdict, reason: string} | null} the end of the last connection */
    #end = null;
    #heardAt = 0;
    #isPlaying = false;
    #failedAt = -Infinity;
    /** Why nothing more is tried. */
    #failure = null;
    #droppedFrames = 0;
    #leastTarget;

    /**
     * @param {string} path
     * @param {HTMLVideoElement} video
     * @param {import("./still.js").Still} still
     * @param {{updated: () => void, switched: (method: Method, reason: string) => void, soundRefused?: () => void,
     *     identified?: (hello: object) => void, noted?: (message: object) => void, connected?: () => void}} owner
     * @param {{leastTarget?: number, triesWebRTC?: boolean}} [options] - seconds of media that are kept ahead at least, and whether
     *     WebRTC is used if it can be
     */
    constructor(path, video, still, owner, { leastTarget = 0, triesWebRTC = true } = {}) {
        this.#path = path;
        this.#video = video;
        this.#still = still;
        this.#owner = owner;
        this.#leastTarget = leastTarget;
        this.#triesWebRTC = triesWebRTC && playsWebRTC;
        this.#chooseMethod();
    }

    get path() {
        return this.#path;
    }

    get method() {
        return this.#method;
    }

    get methodReason() {
        return this.#methodReason;
    }

    /** The stream as the server describes it; null until it has. */
    get stream() {
        return this.#stream;
    }

    get isStarted() {
        return this.#player !== null;
    }

    /** Whether it plays with sound, if the stream has any. */
    get hasSound() {
        return this.#hasSound;
    }

    /** Frames that the server has left out because this client was too slow. */
    get droppedFrames() {
        return this.#droppedFrames;
    }

    /**
     * What can be said of the playback now.
     *
     * @returns {{state: "stopped" | "connecting" | "playing" | "waiting" | "failed", reason: string | null}}
     */
    get state() {
        if (this.#failure) return { state: "failed", reason: this.#failure };
        if (!this.isStarted) return { state: "stopped", reason: null };
        if (this.#end) {
            const isFinal = ["refused", "disconnected"].includes(this.#end.verdict);
            return { state: isFinal ? "failed" : "connecting", reason: this.#end.reason };
        }
        if (!this.#isPlaying) return { state: "connecting", reason: null };
        const isSilent = performance.now() - this.#heardAt > longestSilence;
        return isSilent ? { state: "waiting", reason: null } : { state: "playing", reason: null };
    }

    /** How old the displayed frame is, in milliseconds; null if it is unknown. */
    get age() {
        const now = performance.now();
        if (this.#player instanceof SnapshotPlayer) return this.#player.age(now);
        return this.#frames?.age(now) ?? null;
    }

    /** Seconds between the displayed frame and the newest that has come; null if it is unknown. */
    get gap() {
        return this.#player?.gap ?? null;
    }

    /** Seconds that the gap should have; null if it is unknown. */
    get target() {
        return this.#player?.target ?? null;
    }

    /** Begins to play, or plays with other tracks. @param {{hasSound: boolean}} options */
    start({ hasSound }) {
        this.#hasSound = hasSound;
        this.#failure = this.#end = null;
        this.#chooseMethod();
        this.#begin();
    }

    stop() {
        this.#still.take();
        this.#close();
        this.#owner.updated();
    }

    /** Plays another stream in the same place, such as another quality. @param {string} path */
    changePath(path) {
        this.#path = path;
        this.#stream = null;
        if (this.isStarted) this.start({ hasSound: this.#hasSound });
    }

    /** Uses the method that the user has chosen. @param {Method} method */
    choose(method) {
        this.#method = method;
        this.#methodReason = null;
        this.#isChosen = true;
        this.start({ hasSound: this.#hasSound });
    }

    /** Sends a message over the WebSocket, if there is one. @param {object} message */
    send(message) {
        this.#transport?.send(message);
    }

    /** Chooses how a playback begins, unless the user has. */
    #chooseMethod() {
        if (this.#isChosen) return;
        const refusal = refusals.reason(this.#path, this.#hasSound, performance.now());
        const isTried = this.#triesWebRTC && refusal === null;
        this.#method = isTried ? "webrtc" : this.#other.method;
        this.#methodReason = isTried ? null : this.#other.reason ?? (this.#triesWebRTC ? refusal : null);
    }

    #begin() {
        this.#still.take();
        this.#close();
        this.#isPlaying = false;
        this.#video.muted = !this.#hasSound;
        const tracks = { hasAudio: this.#hasSound, hasVideo: true };
        if (this.#method === "snapshots") {
            this.#player = new SnapshotPlayer(this.#path, this.#still, {
                shown: () => this.#continued(),
                changed: (stream) => this.#changed(stream),
                ended: (verdict, reason) => this.#ended(verdict, reason),
            });
        } else if (this.#method === "webrtc") {
            this.#player = new WebRTCPlayer(this.#path, tracks, this.#video, {
                ...this.#playerOwner(),
                playing: () => {
                    refusals.remove(this.#path, this.#hasSound);
                    this.#continued();
                },
                advanced: () => (this.#heardAt = performance.now()),
                interrupted: () => this.#still.take(),
                changed: (stream) => this.#changed(stream),
                unusable: (verdict, reason) => this.#leaveWebRTC(verdict, reason),
                ended: (verdict, reason) => this.#ended(verdict, reason),
            });
            this.#followFrames();
        } else if (this.#method === "hls") {
            this.#player = new HLSPlayer(this.#path, tracks, this.#video, {
                ...this.#playerOwner(),
                playing: () => this.#continued(),
                // Nothing else tells that media still come.
                advanced: () => (this.#heardAt = performance.now()),
                changed: (stream) => this.#changed(stream),
                ended: (verdict, reason) => this.#ended(verdict, reason),
            });
            this.#followFrames();
        } else {
            this.#player = new MSEPlayer(this.#video, this.#playerOwner(), this.#leastTarget);
            this.#followFrames();
            const Transport = this.#method === "socket" ? MediaSocket : MediaFile;
            this.#transport = new Transport(this.#path, tracks, this.#mediaOwner());
        }
        this.#owner.updated();
    }

    #playerOwner() {
        return {
            playing: () => this.#played(),
            soundRefused: () => this.#owner.soundRefused?.(),
            failed: (reason) => this.#failed(reason),
        };
    }

    #followFrames() {
        const player = this.#player;
        this.#frames = new DisplayedFrames(this.#video, (presented, frame) => player.captured(presented, frame), serverClock);
    }

    #close() {
        this.#transport?.close();
        this.#player?.close();
        this.#frames?.stop();
        this.#transport = this.#player = this.#frames = null;
    }

    /** @returns {import("./media-owner.js").MediaOwner} */
    #mediaOwner() {
        return {
            began: () => {
                this.#end = null;
                this.#heardAt = performance.now();
                this.#player.began();
                this.#owner.connected?.();
                this.#owner.updated();
            },
            receivedInit: (bytes, contentType) => {
                if (canPlay(contentType)) this.#player.receivedInit(bytes, contentType);
                else this.#switch(lastResort(contentType), `this browser cannot decode ${contentType}`);
            },
            receivedFragment: (bytes) => {
                this.#heardAt = performance.now();
                this.#player.receivedFragment(bytes);
            },
            dropped: (count) => (this.#droppedFrames += count),
            changed: (stream) => this.#changed(stream),
            identified: (hello) => this.#owner.identified?.(hello),
            noted: (message) => this.#owner.noted?.(message),
            ended: (verdict, reason) => this.#ended(verdict, reason),
        };
    }

    /** It plays, and as there is no connection that begins, this is the only sign that the server is there again. */
    #continued() {
        this.#end = null;
        this.#played();
    }

    /** It plays, maybe what was received before the connection ended. */
    #played() {
        this.#isPlaying = true;
        this.#heardAt = performance.now();
        this.#owner.updated();
    }

    #changed(stream) {
        this.#stream = stream;
        this.#owner.updated();
    }

    #ended(verdict, reason) {
        if (verdict === "blocked") {
            this.#switch("file", reason);
            return;
        }
        // While the stream stays absent, the first reason tells most: that it was removed.
        if (verdict !== "absent" || this.#end?.verdict !== "absent") this.#end = { verdict, reason };
        if (verdict === "absent") this.#stream = null;
        this.#owner.updated();
    }

    /** The browser's player has failed. One failure may be due to a broken frame, so it gets another chance. */
    #failed(reason) {
        const now = performance.now();
        const isRepeated = now - this.#failedAt < repeatedFailure;
        this.#failedAt = now;
        if (isRepeated) this.#switch(this.#method === "hls" ? "snapshots" : lastResort(), reason);
        else this.#begin();
    }

    /** WebRTC does not work here or for this stream, or the server does not have it, which is no news for the user. */
    #leaveWebRTC(verdict, reason) {
        refusals.add(this.#path, this.#hasSound, reason, performance.now());
        const { method, reason: otherReason } = this.#other;
        this.#method = method;
        this.#methodReason = otherReason ?? reason;
        this.#isChosen = false;
        this.#end = null;
        if (verdict === "unusable") this.#owner.switched(method, reason);
        this.#begin();
    }

    /** @param {Method} method - a later one @param {string} reason */
    #switch(method, reason) {
        if (order.indexOf(method) <= order.indexOf(this.#method)) {
            this.#close();
            this.#failure = reason;
            this.#owner.updated();
            return;
        }
        this.#method = method;
        this.#methodReason = reason;
        this.#other = { method, reason };
        this.#owner.switched(method, reason);
        this.#begin();
    }
}

/**
 * How a stream is played without Media Source Extensions, or if these fail.
 *
 * @param {string} [contentType] - of media that could not be decoded with them
 * @returns {Method}
 */
function lastResort(contentType) {
    return playsHLS(contentType) ? "hls" : "snapshots";
}
