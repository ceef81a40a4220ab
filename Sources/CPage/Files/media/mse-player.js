import { CaptureTimes } from "./capture-times.js";
import { tracksOfInitSegment } from "./init-segment.js";
import { LiveEdge } from "./live-edge.js";
import { MediaBuffer } from "./media-buffer.js";
import { Stall } from "./stall.js";

/** The class with which this browser plays segments: of Safari on iPhones only the managed one exists. */
const MediaSourceClass = globalThis.ManagedMediaSource ?? globalThis.MediaSource ?? null;

const isManaged = "ManagedMediaSource" in globalThis;

/** Safari, which alone has managed sources, buffers again after each change of the playback rate. */
const changesRate = !isManaged;

/**
 * When a change of the playback rate leaves the pitch as it is: if it is larger than by half a semitone, and if there are so many seconds
 * beyond the target. Otherwise audio is resampled. To preserve the pitch, Chromium needs 50 ms more audio, and has stalled without.
 */
const preservingPitch = { change: 0.03, seconds: 0.1 };

/** Segments that wait for a media source to open. A browser that opens none, such as for a hidden page, gets no more. */
const maximumEarlyCount = 1024;

/** Whether this browser can play segments at all. */
export const playsSegments = MediaSourceClass !== null;

/**
 * Whether this browser can decode a stream.
 *
 * @param {string} contentType - such as `video/mp4; codecs="avc1.640028"`
 */
export function canPlay(contentType) {
    return MediaSourceClass?.isTypeSupported(contentType) ?? false;
}

/**
 * Plays init segments and fragments in a video element, at the live edge (Media Source Extensions).
 *
 * It knows nothing of the connection. `began` says that another connection's media follow, whose times begin at 0 again.
 */
export class MSEPlayer {
    #video;
    #owner;
    /** @type {MediaSource | null} */
    #source = null;
    /** @type {MediaBuffer | null} null until the media source is open */
    #buffer = null;
    /** What came before the media source was open. */
    #early = [];
    /** @type {import("./init-segment.js").Track[]} */
    #tracks = [];
    #edge = new LiveEdge({ hasAudio: true });
    #captureTimes = new CaptureTimes();
    /** Seconds by which media of this connection are presented later than they say. */
    #offset = 0;
    /** Whether the next init segment is the first of a connection. */
    #isBeginning = true;
    #stall = new Stall();
    #leastTarget;
    #hasPlayed = false;

    /**
     * @param {HTMLVideoElement} video
     * @param {{playing: () => void, soundRefused: () => void, failed: (reason: string) => void}} owner
     * @param {number} leastTarget - seconds of media that are kept ahead at least
     */
    constructor(video, owner, leastTarget) {
        this.#video = video;
        this.#owner = owner;
        this.#leastTarget = leastTarget;
        video.addEventListener("waiting", this.#waited);
        video.addEventListener("playing", this.#played);
        video.addEventListener("error", this.#broke);
    }

    /** Seconds between the displayed frame and the newest that has come; null before the first frame. */
    get gap() {
        const end = this.#buffer?.end;
        return end && this.#hasPlayed ? Math.max(0, end - this.#video.currentTime) : null;
    }

    /** Seconds that the gap should have. */
    get target() {
        return this.#edge.target;
    }

    get hasAudio() {
        return this.#tracks.some((track) => track.kind === "audio");
    }

    get hasVideo() {
        return this.#tracks.some((track) => track.kind === "video");
    }

    /**
     * When the frame that is presented at a time was captured.
     *
     * @param {number} presented - seconds of the media timeline
     * @returns {number | null} milliseconds since 1970 on the server's clock; null if it is unknown
     */
    captured(presented) {
        return this.#captureTimes.captured(presented);
    }

    /** The media that follow come over another connection. */
    began() {
        this.#isBeginning = true;
    }

    /**
     * @param {Uint8Array} bytes
     * @param {string} contentType
     */
    receivedInit(bytes, contentType) {
        const tracks = this.#tracksOf(bytes);
        if (tracks === null) return;
        const kinds = (list) => list.map((track) => track.kind).sort().join();
        const continues = this.#source !== null && kinds(tracks) === kinds(this.#tracks);
        this.#tracks = tracks;
        if (!continues) {
            this.#open(contentType);
        } else if (this.#isBeginning) {
            this.#withBuffer((buffer) => (this.#offset = buffer.beginAgain()));
            this.#edge.restarted();
        }
        this.#isBeginning = false;
        this.#withBuffer((buffer) => buffer.appendInit(bytes, contentType));
    }

    /** @param {Uint8Array} bytes - a fragment that belongs to the last init segment */
    receivedFragment(bytes) {
        if (!this.#source || this.#isBeginning) return;
        const traced = this.#tracks.find((track) => track.kind === "video") ?? this.#tracks[0];
        if (traced) this.#captureTimes.receivedFragment(bytes, traced, this.#offset);
        this.#withBuffer((buffer) => buffer.append(bytes));
    }

    /** Ends the playback and releases the decoder. */
    close() {
        this.#video.removeEventListener("waiting", this.#waited);
        this.#video.removeEventListener("playing", this.#played);
        this.#video.removeEventListener("error", this.#broke);
        this.#detach();
    }

    #tracksOf(bytes) {
        try {
            return tracksOfInitSegment(bytes);
        } catch (error) {
            this.#owner.failed(`the init segment is wrong: ${error.message}`);
            return null;
        }
    }

    #detach() {
        this.#buffer?.close();
        this.#buffer = null;
        this.#early = [];
        this.#captureTimes.clear();
        this.#hasPlayed = false;
        if (!this.#source) return;
        this.#source = null;
        this.#video.srcObject = null;
        this.#video.removeAttribute("src");
        this.#video.load();
    }

    /** Begins with a new media source, because the tracks of one cannot change. */
    #open(contentType) {
        this.#detach();
        this.#offset = 0;
        this.#stall.ended();
        this.#edge = new LiveEdge({ hasAudio: this.hasAudio, changesRate, leastTarget: this.#leastTarget });
        const source = new MediaSourceClass();
        this.#source = source;
        source.addEventListener("sourceopen", () => this.#opened(source, contentType), { once: true });
        attach(source, this.#video);
        this.#play();
    }

    #opened(source, contentType) {
        if (source !== this.#source) return;
        URL.revokeObjectURL(this.#video.src);
        try {
            source.duration = Infinity;
            this.#buffer = new MediaBuffer(source.addSourceBuffer(contentType), this.#video, {
                appended: () => this.#appended(),
                failed: (reason) => this.#owner.failed(reason),
            });
        } catch {
            this.#owner.failed(`the browser cannot decode ${contentType}`);
            return;
        }
        const early = this.#early;
        this.#early = [];
        for (const action of early) action(this.#buffer);
    }

    /** Does something with the buffer, as soon as there is one. */
    #withBuffer(action) {
        if (this.#buffer) action(this.#buffer);
        else if (this.#early.length < maximumEarlyCount) this.#early.push(action);
        else this.#owner.failed("the browser does not begin to play");
    }

    #appended() {
        const { ranges } = this.#buffer;
        const now = performance.now() / 1000;
        this.#stall.mediaCame(now);
        const { rate, jump } = this.#edge.appended({ position: this.#video.currentTime, ranges, now });
        if (jump !== null && !this.#video.seeking) this.#video.currentTime = jump;
        if (this.#video.playbackRate !== rate) this.#changeRate(rate);
        if (this.#video.paused && ranges.length > 0) this.#play();
    }

    #changeRate(rate) {
        const { change, seconds } = preservingPitch;
        this.#video.preservesPitch = Math.abs(rate - 1) > change && this.gap > this.target + seconds;
        this.#video.playbackRate = rate;
    }

    #play() {
        this.#video.play().catch((error) => {
            // Browsers play sound only after a click or a key.
            if (error.name === "NotAllowedError" && !this.#video.muted) this.#owner.soundRefused();
        });
    }

    #waited = () => {
        if (!this.#video.seeking && this.#hasPlayed) this.#stall.waited(performance.now() / 1000);
    };

    #played = () => {
        this.#hasPlayed = true;
        const now = performance.now() / 1000;
        const seconds = this.#stall.played(now);
        if (seconds !== null) this.#edge.stalled(now, seconds);
        this.#owner.playing();
    };

    #broke = () => {
        const { error } = this.#video;
        if (error && this.#source) this.#owner.failed(`the browser cannot play the media: ${error.message || error.code}`);
    };
}

/**
 * @param {MediaSource} source
 * @param {HTMLVideoElement} video
 */
function attach(source, video) {
    if (isManaged) {
        // A managed source is only opened if the video cannot be sent to another device.
        video.disableRemotePlayback = true;
        video.srcObject = source;
    } else {
        video.src = URL.createObjectURL(source);
    }
}
