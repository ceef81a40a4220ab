import { request } from "./address.js";

/** Milliseconds after which a request has failed, unless it says otherwise. A change may try a source for four seconds. */
const usualTimeout = 10_000;

/** A request that the server has refused, or could not receive (status 0). */
export class RequestFailure extends Error {
    /**
     * @param {number} status
     * @param {string} text
     * @param {number | null} [retryAfter] - seconds after which the server wants to be asked again; null if it has not said so
     */
    constructor(status, text, retryAfter = null) {
        super(text);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** The refusal that an answer of the server is. @param {Response} response */
    static async of(response) {
        const answer = await response.json().catch(() => null);
        const text = answer?.detail ?? answer?.title ?? `the server answers ${response.status}`;
        return new RequestFailure(response.status, text, Number(response.headers.get("Retry-After")) || null);
    }
}

/**
 * Sends a request to the API.
 *
 * @param {string} method
 * @param {string} name - such as `streams`
 * @param {Record<string, string>} [query]
 * @param {unknown} [body] - sent as JSON
 * @param {number} [timeout] - in milliseconds
 * @returns {Promise<any>} the JSON of the answer; null if it has none
 * @throws {RequestFailure}
 */
async function send(method, name, query, body, timeout = usualTimeout) {
    let response;
    try {
        response = await fetch(request(name, query), {
            method,
            headers: body === undefined ? {} : { "Content-Type": "application/json" },
            body: body === undefined ? undefined : JSON.stringify(body),
            cache: "no-store",
            signal: AbortSignal.timeout(timeout),
        });
    } catch {
        throw new RequestFailure(0, "the server does not answer");
    }
    if (!response.ok) throw await RequestFailure.of(response);
    return response.json().catch(() => null);
}

/** The server, and what this client may do. */
export function session() {
    return send("GET", "session");
}

/** Makes the browser ask for the password of a user that may do something. @param {string} right */
export function signInWithBrowser(right) {
    return send("GET", "session", { right });
}

/** @param {string} user @param {string} password */
export function signIn(user, password) {
    return send("POST", "session", {}, { user, password });
}

export function signOut() {
    return send("DELETE", "session");
}

/**
 * A stream as the server describes it.
 *
 * @param {string} path
 * @param {number} [timeout] - in milliseconds
 * @returns {Promise<{time: number, stream: object}>}
 */
export async function stream(path, timeout) {
    const answer = await send("GET", "streams", { path }, undefined, timeout);
    return { time: answer.time, stream: answer.streams[0] };
}

/** All streams. @param {number} [timeout] - in milliseconds */
export function streams(timeout) {
    return send("GET", "streams", {}, undefined, timeout);
}

/** @param {string} path */
export function requestKeyframe(path) {
    return send("POST", "sources/keyframe", { path });
}

/** @param {string} path */
export function restartSource(path) {
    return send("POST", "sources/restart", { path });
}

/** @param {string} path @param {string} id - of a viewer of the path, so that the right to the path is enough */
export function disconnectViewer(path, id) {
    return send("DELETE", `viewers/${encodeURIComponent(id)}`, { path });
}

/** @param {string} path */
export function settings(path) {
    return send("GET", "settings", { path });
}

/** @param {string} path @param {Record<string, unknown>} values */
export function changeSettings(path, values) {
    return send("PATCH", "settings", { path }, values);
}

/** The histograms of the stages of a stream. @param {string} path */
export function latency(path) {
    return send("GET", "latency", { path });
}

/** The last lines of the server's log. @param {number} after - the number of the line before */
export function log(after) {
    return send("GET", "log", { after: String(after) });
}
