import { SessionResource } from "./session-resource.js";

/** A session of WebRTC between this page and the server, from the offer to the end. */
export class PeerSession {
    #connection;
    #resource;

    constructor(connection, resource) {
        this.#connection = connection;
        this.#resource = resource;
    }

    /**
     * Offers a session to the server, and begins it with the answer.
     *
     * The offer has no candidates: the server learns the address of the browser from its checks, and all of the server's are in the
     * answer. The browser looks for its own only after the answer, which may name STUN and TURN servers (RFC 9725, section 4.6).
     *
     * @param {URL} endpoint
     * @param {(connection: RTCPeerConnection) => void} addTracks
     * @param {AbortSignal} [signal] - gives the offer up if its answer has not come
     * @throws {import("../server/api.js").RequestFailure} if the server refuses
     * @throws {Error} if the browser fails, and the reason of the signal
     */
    static async open(endpoint, addTracks, signal) {
        const connection = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
        let resource = null;
        try {
            addTracks(connection);
            const offer = await connection.createOffer();
            resource = await SessionResource.create(endpoint, offer.sdp, signal);
            const { iceServers, answer } = resource;
            if (iceServers.length > 0) connection.setConfiguration({ ...connection.getConfiguration(), iceServers });
            await connection.setLocalDescription(offer);
            await connection.setRemoteDescription({ type: "answer", sdp: answer });
        } catch (error) {
            connection.close();
            resource?.delete();
            throw error;
        }
        return new PeerSession(connection, resource);
    }

    /** The media that the server has agreed to: a subset of those that were offered. @returns {RTCRtpTransceiver[]} */
    get transceivers() {
        return this.#connection.getTransceivers().filter(
            ({ currentDirection }) => currentDirection === "recvonly" || currentDirection === "sendonly");
    }

    /** Whether packets have come through. */
    get isConnected() {
        return this.#connection.connectionState === "connected";
    }

    /** Whether the connection has failed, or one of both sides has closed it. */
    get isLost() {
        const isClosed = this.transceivers.some(({ sender, receiver }) =>
            (receiver.transport ?? sender.transport)?.state === "closed");
        return isClosed || ["failed", "closed"].includes(this.#connection.connectionState);
    }

    /** Where the browser has looked for the server, such as `192.0.2.1:8189 (UDP, TCP)`. */
    get triedAddresses() {
        /** @type {Map<string, Set<string>>} */
        const protocols = new Map();
        for (const [, protocol, host, port] of this.#resource.answer.matchAll(candidate)) {
            const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
            protocols.set(address, (protocols.get(address) ?? new Set()).add(protocol.toUpperCase()));
        }
        return [...protocols].map(([address, names]) => `${address} (${[...names].join(", ")})`).join(", ");
    }

    /** Why the server has ended the session; null if it has not. @see SessionResource.ending */
    ending() {
        return this.#resource.ending();
    }

    close() {
        this.#connection.close();
        this.#resource.delete();
    }
}

/** A candidate in an answer: its protocol, address and port (RFC 8839, section 5.1). */
const candidate = /^a=candidate:\S+ 1 (\w+) \d+ (\S+) (\d+) /gim;
