/** Exchanges of which the quickest counts. */
const keptCount = 8;

/** Milliseconds beyond the uncertainty of both exchanges by which a clock must differ before it counts as set. */
const stepTolerance = 5;

/**
 * The server's clock, as a page knows it from pings and their answers.
 *
 * The answer says the time between the two. If the way there took as long as the way back, it was just in the middle; otherwise the
 * error is at most half of the round trip. So the quickest exchange is the most exact one.
 */
export class ServerClock {
    /** @type {{ahead: number, uncertainty: number}[]} in milliseconds */
    #exchanges = [];

    /**
     * @param {number} sent - when the ping was sent, in milliseconds of this page's monotonic clock
     * @param {number} received - when the answer came, on the same clock
     * @param {number} time - the time in the answer, in milliseconds since 1970
     */
    exchanged(sent, received, time) {
        const exchange = { ahead: time - (sent + received) / 2, uncertainty: (received - sent) / 2 };
        const best = this.#best;
        if (best) {
            const difference = Math.abs(exchange.ahead - best.ahead);
            // The server's clock was set, or this host has slept: what was known before is wrong.
            if (difference > exchange.uncertainty + best.uncertainty + stepTolerance) this.#exchanges = [];
        }
        this.#exchanges.push(exchange);
        if (this.#exchanges.length > keptCount) this.#exchanges.shift();
    }

    /** Whether the server's time is known. */
    get isKnown() {
        return this.#exchanges.length > 0;
    }

    /** Milliseconds by which `time` may be wrong; null if it is unknown. */
    get uncertainty() {
        return this.#best?.uncertainty ?? null;
    }

    /**
     * @param {number} now - in milliseconds of this page's monotonic clock
     * @returns {number | null} milliseconds since 1970 on the server's clock
     */
    time(now) {
        const best = this.#best;
        return best ? now + best.ahead : null;
    }

    get #best() {
        return this.#exchanges.reduce(
            (best, exchange) => (!best || exchange.uncertainty < best.uncertainty ? exchange : best),
            null,
        );
    }
}

/** The clock of the server that this page came from. All connections of the page contribute. */
export const serverClock = new ServerClock();
