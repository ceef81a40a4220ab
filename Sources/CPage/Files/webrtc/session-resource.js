import { RequestFailure } from "../server/api.js";
import { iceServers } from "./ice-servers.js";

/** Milliseconds after which a request has failed: an offer may wait for a source that starts, the others are answered at once. */
const timeout = { offer: 5_000, question: 2_000 };

/**
 * A session of WebRTC as a resource of the server (WHEP, and WHIP: RFC 9725): an offer creates it, a question finds out whether it
 * still exists, and a request deletes it.
 */
export class SessionResource {
    #location;
    /** The answer of the server (SDP). */
    answer;
    /** The STUN and TURN servers that it names. @type {RTCIceServer[]} */
    iceServers;

    constructor(location, answer, iceServers) {
        this.#location = location;
        this.answer = answer;
        this.iceServers = iceServers;
    }

    /**
     * @param {URL} endpoint
     * @param {string} offer - SDP
     * @param {AbortSignal} [signal] - gives the offer up. The request goes on, because only its answer names the session: one that is created
     *     all the same is deleted. If no answer comes at all, the server ends the session, because nobody connects to it in 10 s.
     * @returns {Promise<SessionResource>}
     * @throws {RequestFailure} and the reason of the signal
     */
    static async create(endpoint, offer, signal) {
        const creation = createdBy(endpoint, offer);
        if (!signal || !await Promise.race([creation.then(() => false), aborted(signal)])) return creation;
        creation.then((resource) => resource.delete(), () => {
            // There is nothing to delete.
        });
        throw signal.reason;
    }

    /**
     * Why the server has ended the session.
     *
     * @returns {Promise<RequestFailure | null>} null if the session exists, and status 0 if the server does not answer
     */
    async ending() {
        try {
            const response = await answerTo(this.#location, timeout.question, {});
            return [403, 404, 410].includes(response.status) ? RequestFailure.of(response) : null;
        } catch (failure) {
            return failure;
        }
    }

    /** Ends the session, also of a page that is being closed. */
    delete() {
        fetch(this.#location, { method: "DELETE", keepalive: true }).catch(() => {
            // The server ends it when it hears nothing more from this page.
        });
    }
}

/** @returns {Promise<SessionResource>} @throws {RequestFailure} */
async function createdBy(endpoint, offer) {
    const response = await answerTo(endpoint, timeout.offer, {
        method: "POST", headers: { "Content-Type": "application/sdp" }, body: offer,
    });
    if (response.status !== 201) throw await RequestFailure.of(response);
    const { headers } = response;
    const location = new URL(headers.get("Location") ?? "", response.url);
    return new SessionResource(location, await response.text(), iceServers(headers.get("Link")));
}

/** @param {AbortSignal} signal @returns {Promise<true>} settled once it is aborted */
function aborted(signal) {
    return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(true), { once: true });
        if (signal.aborted) resolve(true);
    });
}

/** @throws {RequestFailure} if there is none */
async function answerTo(url, milliseconds, options) {
    try {
        return await fetch(url, { ...options, cache: "no-store", signal: AbortSignal.timeout(milliseconds) });
    } catch {
        throw new RequestFailure(0, "the server does not answer");
    }
}
