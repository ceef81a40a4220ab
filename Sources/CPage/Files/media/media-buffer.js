import { joined } from "./segment-reader.js";

/** Seconds behind the position that are kept, and seconds after which older media are removed. */
const kept = { seconds: 5, removedFrom: 10 };

/** Bytes that wait for the source buffer. More mean that the browser does not keep up. */
const maximumWaitingByteCount = 16 << 20;

/**
 * Appends segments to a `SourceBuffer` in their order, one after the other, and removes what has been played.
 *
 * A source buffer does one thing at a time. What comes meanwhile waits here; fragments that wait together are appended together.
 */
export class MediaBuffer {
    #source;
    #video;
    #owner;
    /** @type {({bytes: Uint8Array} | {apply: () => void})[]} */
    #waiting = [];
    #waitingByteCount = 0;
    #isClosed = false;

    /**
     * @param {SourceBuffer} source
     * @param {HTMLVideoElement} video
     * @param {{appended: () => void, failed: (reason: string) => void}} owner
     */
    constructor(source, video, owner) {
        this.#source = source;
        this.#video = video;
        this.#owner = owner;
        source.mode = "segments";
        source.addEventListener("updateend", this.#updated);
        source.addEventListener("error", this.#refused);
    }

    /** The buffered ranges, in seconds. @returns {[number, number][]} */
    get ranges() {
        if (this.#isClosed) return [];
        const { buffered } = this.#source;
        return Array.from({ length: buffered.length }, (_, index) => [buffered.start(index), buffered.end(index)]);
    }

    /** The end of what is buffered, in seconds; 0 if nothing is. */
    get end() {
        return this.ranges.at(-1)?.[1] ?? 0;
    }

    /**
     * Appends an init segment, perhaps of another type than before.
     *
     * @param {Uint8Array} bytes
     * @param {string} contentType
     */
    appendInit(bytes, contentType) {
        this.#enqueue({ apply: () => this.#source.changeType?.(contentType) });
        this.#enqueue({ bytes, isInit: true });
    }

    /**
     * The media that follow begin at 0 again, such as those of another connection. They are presented behind what is buffered, with
     * a gap, so that the two are told apart. What still waits is dropped.
     *
     * @returns {number} seconds by which they are presented later than they say
     */
    beginAgain() {
        this.#waiting = [];
        this.#waitingByteCount = 0;
        // An append that is under way adds less than a second.
        const offset = this.end === 0 ? 0 : Math.ceil(this.end) + 1;
        this.#enqueue({
            apply: () => {
                // Ends a fragment of which only a part has come.
                this.#source.abort();
                this.#source.timestampOffset = offset;
            },
        });
        return offset;
    }

    /** @param {Uint8Array} bytes - a fragment */
    append(bytes) {
        this.#enqueue({ bytes });
    }

    close() {
        this.#isClosed = true;
        this.#waiting = [];
        this.#source.removeEventListener("updateend", this.#updated);
        this.#source.removeEventListener("error", this.#refused);
    }

    #enqueue(item) {
        if (this.#isClosed) return;
        this.#waiting.push(item);
        this.#waitingByteCount += item.bytes?.length ?? 0;
        if (this.#waitingByteCount > maximumWaitingByteCount) {
            this.#fail("the browser takes media more slowly than they come");
            return;
        }
        this.#proceed();
    }

    #updated = () => {
        if (this.#isClosed) return;
        this.#owner.appended();
        this.#proceed();
    };

    #refused = () => this.#fail("the browser cannot decode the media");

    #fail(reason) {
        if (this.#isClosed) return;
        this.close();
        this.#owner.failed(reason);
    }

    /** Does the next thing, unless the source buffer is at work. */
    #proceed() {
        while (!this.#isClosed && !this.#source.updating && this.#waiting.length > 0) {
            if (this.#removePlayed()) return;
            const { apply } = this.#waiting[0];
            try {
                if (apply) {
                    this.#waiting.shift();
                    apply();
                } else {
                    this.#appendWaiting();
                }
            } catch (error) {
                if (error.name === "QuotaExceededError" && this.#removeAllPlayed()) return;
                this.#fail(`the browser does not take the media: ${error.message}`);
            }
        }
    }

    /** Appends all fragments up to the next change. They stay in the queue if the source buffer is full. */
    #appendWaiting() {
        const change = this.#waiting.findIndex((item, index) => item.apply || (item.isInit && index > 0));
        const count = change < 0 ? this.#waiting.length : change;
        const bytes = joined(this.#waiting.slice(0, count).map((item) => item.bytes));
        this.#source.appendBuffer(bytes);
        this.#waiting.splice(0, count);
        this.#waitingByteCount -= bytes.length;
    }

    /** @returns {boolean} whether a removal has begun */
    #removePlayed() {
        const [first] = this.ranges;
        const position = this.#video.currentTime;
        if (!first || position - first[0] < kept.removedFrom) return false;
        this.#source.remove(0, position - kept.seconds);
        return true;
    }

    /** The buffer is full: removes all but the last second. @returns {boolean} whether a removal has begun */
    #removeAllPlayed() {
        const [first] = this.ranges;
        const until = this.#video.currentTime - 1;
        if (!first || until <= first[0]) return false;
        this.#source.remove(0, until);
        return true;
    }
}
