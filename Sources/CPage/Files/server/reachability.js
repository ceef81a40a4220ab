import { health, statusSocket } from "./address.js";
import { RetrySchedule } from "./retry-schedule.js";

/**
 * Milliseconds after which an attempt is given up. If a network loses packets, the packet of an old attempt is repeated after ever
 * longer times, and that of a new one at once.
 */
const longestAttempt = 1_000;

/**
 * Finds out when the server can be reached again. All connections of a page wait for one series of attempts: a browser opens few
 * connections at once, and delays WebSockets after many failures.
 */
class Reachability {
    /** @type {Promise<void> | null} the series that is under way */
    #regained = null;
    /** Ends the present pause. */
    #wake = () => {};

    constructor() {
        addEventListener("online", () => this.#wake());
        document.addEventListener("visibilitychange", () => this.#wake());
    }

    /** Settles when the server has answered a request that was sent after this call. */
    regained() {
        this.#regained ??= this.#attempts().finally(() => (this.#regained = null));
        return this.#regained;
    }

    async #attempts() {
        const schedule = new RetrySchedule();
        while (!(await answers())) {
            await this.#pause(schedule.failed(performance.now(), Math.random()));
        }
    }

    #pause(milliseconds) {
        return new Promise((resolve) => {
            const timer = setTimeout(resolve, milliseconds);
            this.#wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
    }
}

export const reachability = new Reachability();

/**
 * Whether the server answers now.
 *
 * The attempt is a WebSocket, because a browser closes its connection with it. That of a request that was given up stays, and
 * later requests wait for it: after 40 s without a network, the first answer came 6 s late. A WebSocket that fails at once may only
 * have been refused, which a request finds out.
 *
 * @returns {Promise<boolean>}
 */
async function answers() {
    const result = await handshake();
    if (result !== "failed") return result === "opened";
    try {
        await fetch(health, { cache: "no-store", signal: AbortSignal.timeout(longestAttempt) });
        return true;
    } catch {
        return false;
    }
}

/** @returns {Promise<"opened" | "failed" | "late">} */
function handshake() {
    return new Promise((resolve) => {
        const socket = new WebSocket(statusSocket);
        const end = (result) => {
            clearTimeout(timer);
            socket.onopen = socket.onclose = null;
            socket.close();
            resolve(result);
        };
        const timer = setTimeout(end, longestAttempt, "late");
        socket.onopen = () => end("opened");
        socket.onclose = () => end("failed");
    });
}
