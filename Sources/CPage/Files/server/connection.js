import * as api from "./api.js";
import { verdictOn } from "./close-code.js";
import { Heartbeat } from "./heartbeat.js";
import { pause } from "./pause.js";
import { reachability } from "./reachability.js";
import { RetrySchedule } from "./retry-schedule.js";
import { serverClock } from "./server-clock.js";

/** Milliseconds between two looks at the heartbeat. */
const tick = 100;

/** Milliseconds after which an attempt to connect is given up. */
const longestAttempt = 2_000;

/** Milliseconds after which the question why a handshake has failed is given up. */
const longestExplanation = 2_000;

/** Milliseconds after which a connection counts as one that lasts. */
const lastingAfter = 10_000;

/** Milliseconds between two looks for a stream that is absent, and for one that cannot be played. */
const absentPause = 2_000;
const unplayablePause = 10_000;

/** Handshakes that fail although the server answers, after which WebSockets count as blocked. */
const blockedAfter = 2;

/**
 * A WebSocket to the server that connects again whenever it is lost, until it is closed or the server says that there is no point.
 *
 * Its owner learns of the past: `opened()`, `received(message)`, `receivedMedia(bytes)`, and `ended(verdict, reason)` after each end.
 * After the verdicts `refused`, `disconnected` and `blocked` it does not connect again.
 */
export class Connection {
    #url;
    #path;
    #owner;
    /** @type {WebSocket | null} */
    #socket = null;
    #schedule = new RetrySchedule();
    #stop = new AbortController();
    #failedHandshakes = 0;
    /** Ends the present attempt or connection. */
    #end = () => {};

    /**
     * @param {URL} url
     * @param {string | null} path - the stream whose media it carries
     * @param {{opened: () => void, received: (message: object) => void, receivedMedia?: (bytes: Uint8Array) => void,
     *     ended: (verdict: import("./close-code.js").Verdict, reason: string) => void}} owner
     */
    constructor(url, path, owner) {
        this.#url = url;
        this.#path = path;
        this.#owner = owner;
        this.#run();
    }

    /** Sends a message, if it is connected. @param {object} message */
    send(message) {
        if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
    }

    close() {
        this.#stop.abort();
        this.#end(1000, "");
    }

    async #run() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            const { code, reason, wasOpened } = await this.#connect();
            if (signal.aborted) return;
            const end = wasOpened ? verdictOn(code, reason) : await this.#explanation();
            if (signal.aborted) return;
            this.#owner.ended(end.verdict, end.reason);
            if (["refused", "disconnected", "blocked"].includes(end.verdict)) return;
            await pause(this.#pauseAfter(end.verdict), signal);
            if (!signal.aborted) await reachability.regained();
        }
    }

    #pauseAfter(verdict) {
        switch (verdict) {
            case "absent": return absentPause;
            case "unplayable": return unplayablePause;
            default: return this.#schedule.failed(performance.now(), Math.random());
        }
    }

    /** Connects. @returns {Promise<{code: number, reason: string, wasOpened: boolean}>} when the connection has ended */
    #connect() {
        return new Promise((resolve) => {
            const socket = new WebSocket(this.#url);
            const heartbeat = new Heartbeat();
            const begun = performance.now();
            let openedAt = null;
            const end = (code, reason) => {
                clearInterval(timer);
                socket.onopen = socket.onmessage = socket.onclose = null;
                socket.close();
                resolve({ code, reason, wasOpened: openedAt !== null });
            };
            const timer = setInterval(() => {
                const now = performance.now();
                if (openedAt === null) {
                    if (now - begun > longestAttempt) end(1006, "");
                    return;
                }
                if (now - openedAt > lastingAfter) this.#schedule.succeeded();
                const { order, id } = heartbeat.ticked(now);
                if (order === "ping") this.send({ type: "ping", id });
                if (order === "giveUp") end(1006, "the server does not answer");
            }, tick);
            this.#end = end;
            socket.binaryType = "arraybuffer";
            socket.onopen = () => {
                openedAt = performance.now();
                this.#failedHandshakes = 0;
                this.#owner.opened();
            };
            socket.onmessage = ({ data }) => {
                heartbeat.heard();
                this.#received(data, heartbeat);
            };
            socket.onclose = ({ code, reason }) => end(code, reason);
            this.#socket = socket;
        });
    }

    #received(data, heartbeat) {
        if (typeof data !== "string") {
            this.#owner.receivedMedia?.(new Uint8Array(data));
            return;
        }
        const message = JSON.parse(data);
        if (message.type === "pong") {
            const sent = heartbeat.answered(message.id);
            if (sent !== null) serverClock.exchanged(sent, performance.now(), message.time);
        } else {
            this.#owner.received(message);
        }
    }

    /** Why the server has refused the handshake, which a page is not told. */
    async #explanation() {
        try {
            if (this.#path === null) await api.streams(longestExplanation);
            else await api.stream(this.#path, longestExplanation);
        } catch ({ status, message }) {
            if (status === 401 || status === 403) return { verdict: "refused", reason: message };
            if (status === 404) return { verdict: "absent", reason: "there is no such stream now" };
            return { verdict: "again", reason: message };
        }
        this.#failedHandshakes += 1;
        if (this.#failedHandshakes < blockedAfter) return { verdict: "again", reason: "the connection failed" };
        return { verdict: "blocked", reason: "WebSockets do not get through to the server" };
    }
}
