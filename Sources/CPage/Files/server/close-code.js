/**
 * What a connection does after its end.
 *
 * - `again`: it tries again.
 * - `absent`: there is no such stream now. It looks for it every two seconds.
 * - `refused`: the client may not watch, unless it signs in.
 * - `disconnected`: an operator has ended it. The user can connect again.
 * - `unplayable`: the stream has no track that a browser gets. That may change, so it tries again after a while.
 * - `blocked`: the server answers, but WebSockets do not get through.
 *
 * @typedef {"again" | "absent" | "refused" | "disconnected" | "unplayable" | "blocked"} Verdict
 */

/** @type {Record<number, Verdict>} */
const verdicts = {
    4000: "disconnected",
    4001: "refused",
    4004: "absent",
    4006: "unplayable",
};

/** Texts for codes whose reason the server has not sent, or could not. */
const texts = {
    1001: "the server is stopping",
    1006: "the connection was lost",
    1008: "the server refused a message",
    1011: "the server failed",
    4000: "an operator has disconnected you",
    4001: "you may not watch this stream any longer",
    4004: "the stream was removed",
    4006: "the stream has no track that browsers can play",
    4008: "the connection is too slow",
};

/**
 * @param {number} code - of a closed WebSocket
 * @param {string} reason - that the server has sent, perhaps empty
 * @returns {{verdict: Verdict, reason: string}}
 */
export function verdictOn(code, reason) {
    return { verdict: verdicts[code] ?? "again", reason: reason || (texts[code] ?? `the connection was closed (${code})`) };
}
