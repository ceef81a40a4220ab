import { statusSocket } from "./address.js";
import * as api from "./api.js";
import { Connection } from "./connection.js";
import { pause } from "./pause.js";
import { serverClock } from "./server-clock.js";

/** Milliseconds between two questions, if WebSockets do not get through. */
const questionInterval = 2_000;

/**
 * What receives the news of the server.
 *
 * @typedef {object} StatusOwner
 * @property {(hello: {server: object, client: object}) => void} hello
 * @property {(message: {isComplete: boolean, streams: object[], removed: string[]}) => void} streams
 * @property {(message: object) => void} noted - a message of another topic
 * @property {() => void} connected
 * @property {(reason: string, isFinal: boolean) => void} lost
 */

/**
 * Tells a page about all streams, and about further topics on request: over a WebSocket, or, if WebSockets do not get through, by
 * asking for the streams again and again.
 */
export class StatusFeed {
    #owner;
    #connection;
    #stop = new AbortController();
    /** The messages by which topics were subscribed to, by topic. */
    #subscriptions = new Map([["streams", { type: "subscribe", topic: "streams" }]]);

    /** @param {StatusOwner} owner */
    constructor(owner) {
        this.#owner = owner;
        this.#connection = new Connection(statusSocket, null, {
            opened: () => this.#subscriptions.forEach((message) => this.#connection.send(message)),
            received: (message) => this.#received(message),
            ended: (verdict, reason) => this.#ended(verdict, reason),
        });
    }

    /**
     * Asks for the messages of a topic, until `unsubscribe`.
     *
     * @param {string} topic
     * @param {Record<string, string>} [about] - such as the path
     */
    subscribe(topic, about = {}) {
        const message = { type: "subscribe", topic, ...about };
        this.#subscriptions.set(topic, message);
        this.#connection.send(message);
    }

    /** @param {string} topic */
    unsubscribe(topic) {
        if (this.#subscriptions.delete(topic)) this.#connection.send({ type: "unsubscribe", topic });
    }

    close() {
        this.#stop.abort();
        this.#connection.close();
    }

    #received(message) {
        switch (message.type) {
            case "hello": return this.#owner.hello(message);
            case "streams":
                this.#owner.connected();
                return this.#owner.streams(message);
            default: return this.#owner.noted(message);
        }
    }

    #ended(verdict, reason) {
        if (verdict === "blocked") this.#ask();
        else this.#owner.lost(reason, ["refused", "disconnected"].includes(verdict));
    }

    async #ask() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            try {
                const sent = performance.now();
                const [{ time, streams }, hello] = await Promise.all([api.streams(), api.session()]);
                if (signal.aborted) return;
                serverClock.exchanged(sent, performance.now(), time);
                this.#owner.hello(hello);
                this.#owner.connected();
                this.#owner.streams({ isComplete: true, streams, removed: [] });
            } catch ({ status, message }) {
                if (signal.aborted) return;
                const isRefused = status === 401 || status === 403;
                this.#owner.lost(message, isRefused);
                if (isRefused) return;
            }
            await pause(questionInterval, signal);
        }
    }
}
