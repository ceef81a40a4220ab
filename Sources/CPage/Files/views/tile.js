import { Playback } from "../media/playback.js";
import { Still } from "../media/still.js";
import { playerPage, snapshot } from "../server/address.js";
import { audioOf, suitable, videoOf } from "../server/stream-list.js";
import { audioText, factsOf, nameOf, playbackState, sourceState } from "./description.js";
import { element, icon, setText } from "./element.js";
import * as format from "./format.js";

/** Milliseconds from which the age of a frame is marked as late. */
const lateAge = 1_000;

/**
 * Seconds of media that a tile keeps ahead. One page decodes many tiles, and none of them is watched as closely as a player. For the same
 * reason a tile does without WebRTC, which keeps nothing ahead, and for which the server encrypts each packet for each viewer.
 */
const leastTarget = 0.25;

/**
 * Milliseconds until an image that could not be had is asked for again, at first and at most. The server makes two at a time, so that a
 * page with many tiles does not get all at once.
 */
const posterPause = { first: 1_000, longest: 30_000 };

/** A stream in the grid: what it shows now, its state and its facts. It leads to the player of the stream. */
export class Tile {
    element;
    #video = element("video", { muted: true, playsinline: true, disablepictureinpicture: true, tabindex: "-1" });
    #still = new Still(this.#video);
    #poster = element("img.poster", { alt: "", decoding: "async", hidden: true });
    #age = element("span.chip.age", { hidden: true });
    #stateWord = element("span");
    #state = element("span.chip.state", {}, this.#stateWord);
    #reason = element("p.reason");
    #name = element("a.name");
    #path = element("span.path");
    #facts = element("p.facts");
    #picture;
    #announce;
    /** @type {object[]} */
    #family = [];
    #playback;
    #isShown = false;
    #isLive = false;
    #lastWord = null;
    #posterPause = posterPause.first;
    #posterTimer;

    /** @param {(text: string) => void} announce - says what has changed to users of screen readers */
    constructor(announce) {
        this.#announce = announce;
        this.#playback = new Playback("", this.#video, this.#still, {
            updated: () => this.update(),
            switched: () => {},
        }, { leastTarget, triesWebRTC: false });
        this.#picture = element("div.picture", {},
            icon("camera"), this.#poster, this.#still.element, this.#video, icon("sound"), this.#reason, this.#state, this.#age);
        this.element = element("article.tile", {}, this.#picture,
            element("div.caption", {}, element("h2", {}, this.#name, this.#path), this.#facts));
        this.#poster.addEventListener("load", () => {
            this.#poster.hidden = false;
            this.#posterPause = posterPause.first;
        });
        this.#poster.addEventListener("error", () => this.#missedPoster());
    }

    /** The stream itself, without its substreams. */
    get stream() {
        return this.#family[0];
    }

    get isLive() {
        return this.#playback.state.state === "playing";
    }

    /** Frames that were displayed. Whether a tile moves is of interest to tests. */
    get playback() {
        return this.#playback;
    }

    /** @param {object[]} family - the stream and its substreams */
    changed(family) {
        const isFirst = this.#family.length === 0;
        this.#family = family;
        const name = nameOf(this.stream);
        this.#name.href = playerPage(this.stream.path);
        setText(this.#name, name);
        setText(this.#path, name === this.stream.path ? "" : this.stream.path);
        setText(this.#facts, factsOf(this.stream).join(" · "));
        this.#video.setAttribute("aria-label", `Live video of ${name}`);
        this.element.classList.toggle("audio-only", this.#isAudioOnly);
        if (isFirst) this.#showPoster();
        this.#apply();
        this.update();
    }

    /** The tile has come into view, or left it. @param {boolean} isShown */
    shown(isShown) {
        this.#isShown = isShown;
        this.#apply();
    }

    /** Whether the tile is live when it is in view. @param {boolean} isLive */
    set live(isLive) {
        this.#isLive = isLive;
        this.#apply();
    }

    /** Shows the present state and age. */
    update() {
        if (!this.stream) return;
        const state = this.#shownState;
        this.element.dataset.kind = state.kind;
        this.#reason.hidden = state.kind === "live" || this.#isAudioOnly && state.kind === "idle";
        setText(this.#stateWord, state.word);
        setText(this.#reason, this.#isAudioOnly && state.kind === "live" ? "" : state.reason ?? "");
        const { age } = this.#playback;
        this.#age.hidden = age === null || !this.#playback.isStarted;
        if (age !== null) setText(this.#age, `${format.milliseconds(age)} old`);
        this.#age.classList.toggle("late", age !== null && age >= lateAge);
        this.#announceState(sourceState(this.stream));
    }

    close() {
        clearTimeout(this.#posterTimer);
        this.#playback.stop();
    }

    get #isAudioOnly() {
        return this.stream !== undefined && !videoOf(this.stream) && audioOf(this.stream) !== null;
    }

    get #shownState() {
        const source = sourceState(this.stream);
        if (this.#isAudioOnly) return { ...source, reason: audioText(audioOf(this.stream)) };
        if (!this.#playback.isStarted) return source;
        return playbackState(this.#playback, this.stream);
    }

    /** Starts or stops, as the tile is in view or not. A source that sleeps is not woken by a look at the grid. */
    #apply() {
        if (!this.stream) return;
        const mayPlay = this.#isShown && this.#isLive && !this.#isAudioOnly && this.stream.condition.state !== "sleeping";
        const { path } = suitable(this.#family, this.#picture.clientWidth * devicePixelRatio);
        if (!mayPlay) {
            if (this.#playback.isStarted) this.#playback.stop();
            if (this.#isShown) this.#showPoster();
        } else if (!this.#playback.isStarted) {
            this.#playback.changePath(path);
            this.#playback.start({ hasSound: false });
        }
    }

    /** Shows the newest frame as an image, until the video moves. */
    #showPoster() {
        if (!videoOf(this.stream) || this.#still.element.width > 0) return;
        const width = Math.ceil(this.#picture.clientWidth * devicePixelRatio) || 640;
        const url = `${snapshot(this.stream.path, width)}`;
        if (this.#poster.src !== url) this.#poster.src = url;
    }

    /** Asks again later, unless the video moves by then or the tile is out of view. */
    #missedPoster() {
        this.#poster.hidden = true;
        this.#poster.removeAttribute("src");
        clearTimeout(this.#posterTimer);
        // At random, so that tiles do not ask at the same time again.
        this.#posterTimer = setTimeout(() => this.#apply(), this.#posterPause * (1 + Math.random()));
        this.#posterPause = Math.min(2 * this.#posterPause, posterPause.longest);
    }

    #announceState(state) {
        if (this.#lastWord !== null && this.#lastWord !== state.word) {
            this.#announce(`${nameOf(this.stream)}: ${state.word}. ${state.reason ?? ""}`.trim());
        }
        this.#lastWord = state.word;
    }
}
