import { statusSocket } from "./address.js";
import * as api from "./api.js";
import { Connection } from "./connection.js";
import { pause } from "./pause.js";
import { serverClock } from "./server-clock.js";

/** Milliseconds between two questions, if WebSockets do not get through. */
const questionInterval = 2_000;

/**
 * Tells a page about all streams: over a WebSocket, or, if WebSockets do not get through, by asking again and again.
 *
 * Its owner learns `streams(message)`, `hello(message)`, `event(event)`, and `connected()` or `lost(reason, isFinal)`.
 */
export class StatusFeed {
    #owner;
    #connection;
    #stop = new AbortController();

    constructor(owner) {
        this.#owner = owner;
        this.#connection = new Connection(statusSocket, null, {
            opened: () => this.#opened(),
            received: (message) => this.#received(message),
            ended: (verdict, reason) => this.#ended(verdict, reason),
        });
    }

    close() {
        this.#stop.abort();
        this.#connection.close();
    }

    #opened() {
        this.#connection.send({ type: "subscribe", topic: "streams" });
    }

    #received(message) {
        switch (message.type) {
            case "hello":
                this.#owner.hello(message);
                if (message.client.rights.includes("status")) {
                    this.#connection.send({ type: "subscribe", topic: "events" });
                }
                break;
            case "streams":
                this.#owner.connected();
                this.#owner.streams(message);
                break;
            case "event":
                this.#owner.event(message.event);
                break;
            // Later servers may send more.
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
                this.#owner.lost(message, false);
            }
            await pause(questionInterval, signal);
        }
    }
}
