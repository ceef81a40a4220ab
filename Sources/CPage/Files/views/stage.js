import { Playback, methodNames } from "../media/playback.js";
import { Still } from "../media/still.js";
import { snapshot } from "../server/address.js";
import { audioOf, videoOf } from "../server/stream-list.js";
import { Controls } from "./controls.js";
import { nameOf, playbackState, sentence } from "./description.js";
import { element, icon, setText } from "./element.js";
import * as format from "./format.js";
import { preferences, prefersReducedMotion } from "./preferences.js";

/** Milliseconds from which the age of a frame is marked as late. */
const lateAge = 1_000;

/** Milliseconds between two updates of ages. */
const interval = 250;

/** The large picture with its state, and the controls below it. */
export class Stage {
    #video = element("video", { playsinline: true, tabindex: "-1" });
    #still = new Still(this.#video);
    #poster = element("img.poster", { alt: "", hidden: true });
    #stateWord = element("span");
    #state = element("span.chip.state", {}, this.#stateWord);
    #age = element("span.chip.age", { hidden: true });
    #reason = element("p.reason");
    #start = element("button.start", { type: "button" }, icon("play"), "Play");
    #masks = element("div.masks", { "aria-hidden": "true" });
    #picture;
    #element;
    #announce;
    #controls;
    #playback;
    /** @type {object | null} the stream as the page knows it */
    #stream = null;
    /** @type {object[]} the stream, its parent and the substreams of that */
    #family = [];
    #lastWord = null;
    /** Whether it was stopped because the page is hidden. */
    #isPaused = false;

    /**
     * @param {HTMLElement} place
     * @param {string} path
     * @param {(text: string) => void} announce
     * @param {{identified: (hello: object) => void}} owner
     */
    constructor(place, path, announce, owner) {
        this.#element = place;
        this.#announce = announce;
        this.#playback = new Playback(path, this.#video, this.#still, {
            updated: () => this.#update(),
            switched: (method, reason) => announce(`${sentence(reason)} Now playing by ${methodNames[method]}.`),
            soundRefused: () => this.#soundRefused(),
            identified: (hello) => owner.identified(hello),
        });
        this.#picture = element("div.picture", {}, this.#poster, this.#still.element, this.#video, this.#masks,
            icon("sound"), this.#reason, this.#state, this.#age, this.#start);
        this.#controls = new Controls(this, this.#playback);
        place.append(this.#picture, this.#controls.element);
        this.#start.addEventListener("click", () => this.play());
        this.#poster.addEventListener("load", () => (this.#poster.hidden = false));
        this.#poster.addEventListener("error", () => (this.#poster.hidden = true));
        this.#video.addEventListener("dblclick", () => this.toggleFullScreen());
        this.#video.volume = preferences.value("volume", 1);
        document.addEventListener("visibilitychange", () => this.#visibilityChanged());
        setInterval(() => document.hidden || this.#update(), interval);
        if (prefersReducedMotion()) this.#showPoster();
        else this.play();
        this.#update();
    }

    get playback() {
        return this.#playback;
    }

    get hasSound() {
        return !this.#video.muted;
    }

    get volume() {
        return this.#video.volume;
    }

    /** The place of rectangles over the picture. */
    get masks() {
        return this.#masks;
    }

    /** What the page knows of the stream has changed. @param {object[]} family - with the stream */
    changed(family) {
        this.#family = family;
        this.#stream = family.find((stream) => stream.path === this.#playback.path) ?? null;
        this.#controls.changed(family);
        this.#update();
    }

    play() {
        this.#playback.start({ hasSound: preferences.value("sound", false) || this.#isAudioOnly });
    }

    stop() {
        this.#playback.stop();
    }

    toggle() {
        if (this.#playback.isStarted) this.stop();
        else this.play();
    }

    /** Plays with sound, or without. The muted stream has no audio at all, and so is closer to the live edge. */
    toggleSound() {
        const hasSound = !this.hasSound;
        if (!this.#isAudioOnly) preferences.set("sound", hasSound);
        this.#video.muted = !hasSound;
        if (this.#playback.isStarted) this.play();
        this.#update();
        this.#announce(hasSound ? "Sound on." : "Sound off.");
    }

    /** @param {number} volume - from 0 to 1 */
    set volume(volume) {
        this.#video.volume = volume;
        preferences.set("volume", volume);
        if (volume > 0 && !this.hasSound) this.toggleSound();
    }

    /** Plays another quality. @param {string} path */
    choosePath(path) {
        this.#playback.changePath(path);
        this.changed(this.#family);
    }

    toggleFullScreen() {
        if (document.fullscreenElement) document.exitFullscreen();
        else if (this.#element.requestFullscreen) this.#element.requestFullscreen();
        // iPhones show only the video itself on the whole screen.
        else this.#video.webkitEnterFullscreen?.();
    }

    get #shownStream() {
        return this.#stream ?? this.#playback.stream;
    }

    get #isAudioOnly() {
        const stream = this.#shownStream;
        return stream !== null && !videoOf(stream) && audioOf(stream) !== null;
    }

    #update() {
        const stream = this.#shownStream;
        // A player that began without sound has nothing to play, as it turns out.
        if (this.#isAudioOnly && this.#playback.isStarted && !this.#playback.hasSound) this.play();
        const state = playbackState(this.#playback, stream);
        this.#element.dataset.kind = state.kind;
        this.#element.classList.toggle("audio-only", this.#isAudioOnly);
        setText(this.#stateWord, state.word);
        setText(this.#reason, state.reason ?? "");
        const isStopped = ["stopped", "failed"].includes(this.#playback.state.state);
        this.#start.hidden = !isStopped;
        const { age } = this.#playback;
        this.#age.hidden = age === null || isStopped;
        if (age !== null) setText(this.#age, `${format.milliseconds(age)} old`);
        this.#age.classList.toggle("late", age !== null && age >= lateAge);
        this.#video.setAttribute("aria-label", `Live video of ${stream ? nameOf(stream) : this.#playback.path}`);
        this.#controls.update();
        if (this.#lastWord !== null && this.#lastWord !== state.word) {
            this.#announce(`${state.word}. ${state.reason ?? ""}`.trim());
        }
        this.#lastWord = state.word;
    }

    #showPoster() {
        this.#poster.src = snapshot(this.#playback.path);
    }

    /** The browser plays sound only after a click or a key: it is offered, and the video is played without. */
    #soundRefused() {
        if (this.#isAudioOnly) {
            this.stop();
            return;
        }
        this.#playback.start({ hasSound: false });
        this.#controls.offerSound();
    }

    /** A hidden page plays only what can be heard. */
    #visibilityChanged() {
        if (document.hidden && this.#playback.isStarted && !this.hasSound) {
            this.#isPaused = true;
            this.stop();
        } else if (!document.hidden && this.#isPaused) {
            this.#isPaused = false;
            this.play();
        }
    }
}
