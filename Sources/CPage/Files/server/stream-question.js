import * as api from "./api.js";
import { serverClock } from "./server-clock.js";

/**
 * Asks the server for a stream, and learns the time of the server from the answer. It does not fail.
 *
 * @param {string} path
 * @param {number} [timeout] - in milliseconds
 * @returns {Promise<{stream: object | null, end: {verdict: import("./close-code.js").Verdict, reason: string} | null}>} the stream, or
 *     why there is none
 */
export async function askForStream(path, timeout) {
    const sent = performance.now();
    try {
        const { time, stream } = await api.stream(path, timeout);
        serverClock.exchanged(sent, performance.now(), time);
        return { stream, end: null };
    } catch ({ status, message }) {
        return { stream: null, end: ending(status, message) };
    }
}

/**
 * What an answer other than success means for a player.
 *
 * @param {number} status
 * @param {string} [reason]
 * @returns {{verdict: import("./close-code.js").Verdict, reason: string}}
 */
export function ending(status, reason = `the server answers ${status}`) {
    if (status === 401 || status === 403) return { verdict: "refused", reason };
    if (status === 404) return { verdict: "absent", reason: "there is no such stream now" };
    return { verdict: "again", reason };
}
