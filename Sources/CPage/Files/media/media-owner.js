/**
 * What receives the media of a stream, whichever way they come.
 *
 * @typedef {object} MediaOwner
 * @property {() => void} began - a connection was opened; its first init segment follows
 * @property {(bytes: Uint8Array, contentType: string) => void} receivedInit
 * @property {(bytes: Uint8Array) => void} receivedFragment
 * @property {(frameCount: number) => void} dropped - the server has left out frames, because this client was too slow
 * @property {(stream: object) => void} changed - the stream as the server describes it
 * @property {(hello: {server: object, client: object}) => void} identified - the server, and the client as the server knows it
 * @property {(message: object) => void} [noted] - any other message
 * @property {(verdict: import("../server/close-code.js").Verdict, reason: string) => void} ended
 */
export {};
