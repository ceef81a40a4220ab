import { endlessFile } from "../server/address.js";
import { pause } from "../server/pause.js";
import { reachability } from "../server/reachability.js";
import { RetrySchedule } from "../server/retry-schedule.js";
import { askForStream, ending } from "../server/stream-question.js";
import { SegmentReader } from "./segment-reader.js";

/** Milliseconds between two questions about the stream, and after which one counts as not answered. */
const question = { interval: 2_000, timeout: 2_500 };

/** Milliseconds after which a file that was not closed counts as one that lasts. */
const lastingAfter = 10_000;

/**
 * Receives the media of a stream as an endless file, if WebSockets do not get through. It asks for the state of the stream, because
 * a file says nothing about it; if there is no answer, the connection of the file counts as lost, too.
 */
export class MediaFile {
    #path;
    #tracks;
    #owner;
    #schedule = new RetrySchedule();
    #stop = new AbortController();

    /**
     * @param {string} path
     * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
     * @param {import("./media-owner.js").MediaOwner} owner
     */
    constructor(path, tracks, owner) {
        this.#path = path;
        this.#tracks = tracks;
        this.#owner = owner;
        this.#run();
    }

    /** Does nothing: a file takes no messages. */
    send() {}

    close() {
        this.#stop.abort();
    }

    async #run() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            const attempt = new AbortController();
            const abort = () => attempt.abort();
            signal.addEventListener("abort", abort);
            const end = await Promise.race([this.#receive(attempt.signal), this.#question(attempt.signal)]);
            signal.removeEventListener("abort", abort);
            attempt.abort();
            if (signal.aborted) return;
            this.#owner.ended(end.verdict, end.reason);
            if (end.verdict === "refused") return;
            await pause(this.#schedule.failed(performance.now(), Math.random()), signal);
            if (!signal.aborted) await reachability.regained();
        }
    }

    /** Reads the file up to its end, and says why there are no more. */
    async #receive(signal) {
        const begun = performance.now();
        try {
            const response = await fetch(endlessFile(this.#path, this.#tracks), { cache: "no-store", signal });
            if (!response.ok) return ending(response.status);
            this.#owner.began();
            const contentType = response.headers.get("Content-Type");
            const segments = new SegmentReader();
            for await (const piece of pieces(response.body)) {
                if (signal.aborted) break;
                for (const { isInit, bytes } of segments.read(piece)) {
                    if (isInit) this.#owner.receivedInit(bytes, contentType);
                    else this.#owner.receivedFragment(bytes);
                }
            }
        } catch {
            // Why a request has failed is not told. The question says more, if there is more to say.
        }
        if (performance.now() - begun > lastingAfter) this.#schedule.succeeded();
        return { verdict: "again", reason: "the connection was lost" };
    }

    /** Asks for the state of the stream again and again, until there is no answer. */
    async #question(signal) {
        while (!signal.aborted) {
            const { stream, end } = await askForStream(this.#path, question.timeout);
            if (end) return end;
            if (!signal.aborted) this.#owner.changed(stream);
            await pause(question.interval, signal);
        }
        return { verdict: "again", reason: "closed" };
    }
}

/** The pieces of a body. Not all browsers can iterate over it. @param {ReadableStream<Uint8Array>} body */
async function* pieces(body) {
    const reader = body.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) yield value;
}
