import { mediaSocket } from "../server/address.js";
import { Connection } from "../server/connection.js";

/** Receives the media of a stream over a WebSocket, and what the server says about the stream. */
export class MediaSocket {
    #connection;
    #owner;
    /** The type of the init segment that comes next; null if a fragment does. */
    #contentType = null;

    /**
     * @param {string} path
     * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
     * @param {import("./media-owner.js").MediaOwner} owner
     */
    constructor(path, tracks, owner) {
        this.#owner = owner;
        this.#connection = new Connection(mediaSocket(path, tracks), path, {
            opened: () => this.#opened(),
            received: (message) => this.#received(message),
            receivedMedia: (bytes) => this.#receivedMedia(bytes),
            ended: (verdict, reason) => owner.ended(verdict, reason),
        });
    }

    /** Sends a message to the server, if it is connected. @param {object} message */
    send(message) {
        this.#connection.send(message);
    }

    close() {
        this.#connection.close();
    }

    #opened() {
        this.#contentType = null;
        this.#owner.began();
    }

    #received(message) {
        switch (message.type) {
            case "hello": return this.#owner.identified(message);
            case "init": this.#contentType = message.contentType; break;
            case "drop": return this.#owner.dropped(message.frames);
            case "stream": return this.#owner.changed(message.stream);
            default: return this.#owner.noted?.(message);
        }
    }

    #receivedMedia(bytes) {
        const contentType = this.#contentType;
        this.#contentType = null;
        if (contentType) this.#owner.receivedInit(bytes, contentType);
        else this.#owner.receivedFragment(bytes);
    }
}
