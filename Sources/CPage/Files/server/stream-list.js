/**
 * The streams of the server, kept up to date by its messages.
 *
 * A family is a stream with its substreams, which show the same in other sizes: one tile, and the qualities of one player.
 */
export class StreamList {
    /** @type {Map<string, object>} by path */
    #streams = new Map();

    /**
     * Applies a message `streams`.
     *
     * @param {{isComplete: boolean, streams: object[], removed: string[]}} message
     */
    received({ isComplete, streams, removed }) {
        if (isComplete) this.#streams.clear();
        for (const path of removed ?? []) this.#streams.delete(path);
        for (const stream of streams) this.#streams.set(stream.path, stream);
    }

    /** @param {string} path @returns {object | null} */
    stream(path) {
        return this.#streams.get(path) ?? null;
    }

    get count() {
        return this.#streams.size;
    }

    /**
     * All families, by the path of their first stream. A substream whose parent is not listed is a family of its own.
     *
     * @returns {object[][]} in each the stream itself, and then its substreams, the largest first
     */
    get families() {
        const main = [...this.#streams.values()].filter((stream) => !this.#streams.has(stream.substreamOf));
        return main
            .sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }))
            .map((stream) => this.family(stream.path));
    }

    /**
     * The family of a stream.
     *
     * @param {string} path
     * @returns {object[]} none if there is no such stream
     */
    family(path) {
        const stream = this.#streams.get(path);
        if (!stream) return [];
        if (this.#streams.has(stream.substreamOf)) return this.family(stream.substreamOf);
        const substreams = [...this.#streams.values()].filter((other) => other.substreamOf === path);
        return [stream, ...substreams.sort((a, b) => area(b) - area(a))];
    }
}

/** The video track of a stream; null if it has none. @param {object} stream */
export function videoOf(stream) {
    return stream.tracks.find((track) => track.kind === "video") ?? null;
}

/** The audio track of a stream; null if it has none. @param {object} stream */
export function audioOf(stream) {
    return stream.tracks.find((track) => track.kind === "audio") ?? null;
}

/**
 * The stream of a family that suits a place: the smallest that need not be enlarged much, else the largest.
 *
 * @param {object[]} family
 * @param {number} width - in pixels of the device
 */
export function suitable(family, width) {
    const enough = family.filter((stream) => (videoOf(stream)?.width ?? 0) >= width * 0.75);
    return enough.at(-1) ?? family[0];
}

function area(stream) {
    const video = videoOf(stream);
    return video ? (video.width ?? 0) * (video.height ?? 0) : 0;
}
