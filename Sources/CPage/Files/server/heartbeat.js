/** Pings at the start, by which the server's clock gets known, and the milliseconds between them. */
const first = { count: 5, interval: 200 };

/** Milliseconds between further pings. */
const interval = 2_000;

/** Milliseconds after a ping in which something must come, whatever it is. */
const longestSilence = 2_500;

/**
 * Decides when to send a ping, and when a connection is dead. A browser notices a dead connection only after minutes.
 *
 * The time counts from a ping, not from the last message, because browsers run the timers of hidden pages once a minute.
 */
export class Heartbeat {
    #pingCount = 0;
    #pingedAt = -Infinity;
    /** When the first ping was sent to which nothing has come; null if something has. */
    #silentSince = null;
    /** The pings to which no answer has come, by their number. */
    #sent = new Map();

    /** Something has come. */
    heard() {
        this.#silentSince = null;
    }

    /**
     * The answer to a ping has come.
     *
     * @param {number} id
     * @returns {number | null} when the ping was sent; null if there was none
     */
    answered(id) {
        const sent = this.#sent.get(id) ?? null;
        this.#sent.delete(id);
        return sent;
    }

    /**
     * @param {number} now - in milliseconds
     * @returns {{order: "nothing"} | {order: "ping", id: number} | {order: "giveUp"}}
     */
    ticked(now) {
        if (this.#silentSince !== null && now - this.#silentSince > longestSilence) return { order: "giveUp" };
        const pause = this.#pingCount < first.count ? first.interval : interval;
        if (now - this.#pingedAt < pause) return { order: "nothing" };
        this.#pingedAt = now;
        this.#silentSince ??= now;
        this.#pingCount += 1;
        this.#sent.set(this.#pingCount, now);
        if (this.#sent.size > first.count) this.#sent.delete(this.#sent.keys().next().value);
        return { order: "ping", id: this.#pingCount };
    }
}
