/** A link of a header `Link` (RFC 8288): its address, and its parameters as one text. */
const link = /<([^>]*)>((?:\s*;\s*[\w-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;

/** A parameter of a link: its name, and its value in quotes or without. */
const parameter = /;\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))/g;

/**
 * The STUN and TURN servers that a server names for a session (RFC 9725, section 4.6).
 *
 * @param {string | null} header - the value of `Link`, in which a browser joins all headers of the name
 * @returns {RTCIceServer[]} none unless the server's configuration has some
 */
export function iceServers(header) {
    return [...(header ?? "").matchAll(link)]
        .map(([, address, text]) => ({ address, parameters: parametersOf(text) }))
        .filter(({ address, parameters }) => parameters.rel === "ice-server" && /^(stun|turn)s?:/.test(address))
        .map(({ address, parameters: { username, credential } }) =>
            (username === undefined ? { urls: address } : { urls: address, username, credential }));
}

/** @param {string} text @returns {Record<string, string>} */
function parametersOf(text) {
    return Object.fromEntries([...text.matchAll(parameter)].map(([, name, quoted, plain]) =>
        [name.toLowerCase(), plain ?? quoted.replace(/\\(.)/g, "$1")]));
}
