import { snapshot } from "../server/address.js";
import { pause } from "../server/pause.js";
import { serverClock } from "../server/server-clock.js";
import { askForStream } from "../server/stream-question.js";

/** Milliseconds between two snapshots. */
const interval = 1_000;

/** Shows a snapshot each second, if the browser cannot play the stream. */
export class SnapshotPlayer {
    #path;
    #still;
    #owner;
    #stop = new AbortController();
    /** When the shown snapshot was captured, in milliseconds since 1970 on the server's clock; null if it is unknown. */
    #captured = null;

    /**
     * @param {string} path
     * @param {import("./still.js").Still} still - where the snapshots are shown
     * @param {{shown: () => void, changed: (stream: object) => void,
     *     ended: (verdict: import("../server/close-code.js").Verdict, reason: string) => void}} owner
     */
    constructor(path, still, owner) {
        this.#path = path;
        this.#still = still;
        this.#owner = owner;
        this.#run();
    }

    /** How old the shown snapshot is, in milliseconds; null if it is unknown. @param {number} now */
    age(now) {
        return this.#captured === null || !serverClock.isKnown ? null : serverClock.time(now) - this.#captured;
    }

    close() {
        this.#stop.abort();
    }

    async #run() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            await Promise.all([this.#show(signal), this.#question(signal)]);
            await pause(interval, signal);
        }
    }

    async #show(signal) {
        try {
            // As wide as it is shown, in the pixels of the device.
            const width = Math.ceil(this.#still.element.clientWidth * devicePixelRatio) || 640;
            const response = await fetch(snapshot(this.#path, width), { signal });
            if (!response.ok) return;
            const bitmap = await createImageBitmap(await response.blob());
            if (signal.aborted) return;
            this.#still.show(bitmap);
            const captured = Number(response.headers.get("Capture-Time"));
            this.#captured = captured || null;
            this.#owner.shown();
        } catch {
            // The question about the stream says why there is none.
        }
    }

    async #question(signal) {
        const { stream, end } = await askForStream(this.#path);
        if (signal.aborted) return;
        if (end) this.#owner.ended(end.verdict, end.reason);
        else this.#owner.changed(stream);
    }
}
