import { hlsPlaylist } from "../server/address.js";
import { pause } from "../server/pause.js";
import { askForStream } from "../server/stream-question.js";

/** Milliseconds between two questions about the stream. */
const interval = 2_000;

/**
 * Whether this browser plays HLS by itself.
 *
 * @param {string} [contentType] - of media that it has to decode
 */
export function playsHLS(contentType) {
    const video = document.createElement("video");
    const plays = (type) => video.canPlayType(type) !== "";
    return plays("application/vnd.apple.mpegurl") && (!contentType || plays(contentType));
}

/** Plays a stream as HLS with the browser's own player, which chooses the quality and how far it stays behind. */
export class HLSPlayer {
    #path;
    #video;
    #owner;
    #stop = new AbortController();

    /**
     * @param {string} path
     * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
     * @param {HTMLVideoElement} video
     * @param {{playing: () => void, advanced: () => void, soundRefused: () => void, failed: (reason: string) => void,
     *     changed: (stream: object) => void, ended: (verdict: import("../server/close-code.js").Verdict, reason: string) => void}} owner
     */
    constructor(path, tracks, video, owner) {
        this.#path = path;
        this.#video = video;
        this.#owner = owner;
        video.addEventListener("playing", this.#owner.playing, { signal: this.#stop.signal });
        video.addEventListener("timeupdate", this.#owner.advanced, { signal: this.#stop.signal });
        video.addEventListener("error", this.#broke, { signal: this.#stop.signal });
        video.src = hlsPlaylist(path, tracks);
        video.play().catch((error) => {
            // Browsers play sound only after a click or a key.
            if (error.name === "NotAllowedError" && !video.muted) owner.soundRefused();
        });
        this.#question();
    }

    /** Seconds between the displayed frame and the newest that the playlist has; null before the first frame. */
    get gap() {
        const { seekable, currentTime } = this.#video;
        return seekable.length > 0 && currentTime > 0 ? Math.max(0, seekable.end(seekable.length - 1) - currentTime) : null;
    }

    /**
     * When the frame that is presented at a time was captured. Only Safari tells the dates of the playlist.
     *
     * @param {number} presented - seconds of the media timeline
     * @returns {number | null} milliseconds since 1970 on the server's clock; null if it is unknown
     */
    captured(presented) {
        const start = this.#video.getStartDate?.().getTime() ?? NaN;
        return Number.isNaN(start) ? null : start + presented * 1_000;
    }

    close() {
        this.#stop.abort();
        this.#video.removeAttribute("src");
        this.#video.load();
    }

    async #question() {
        const { signal } = this.#stop;
        while (!signal.aborted) {
            const { stream, end } = await askForStream(this.#path);
            if (signal.aborted) return;
            if (end) this.#owner.ended(end.verdict, end.reason);
            else this.#owner.changed(stream);
            await pause(interval, signal);
        }
    }

    #broke = () => {
        const { error } = this.#video;
        if (error) this.#owner.failed(`the browser cannot play the media: ${error.message || error.code}`);
    };
}
