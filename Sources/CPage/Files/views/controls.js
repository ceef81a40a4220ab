import { snapshot } from "../server/address.js";
import { audioOf } from "../server/stream-list.js";
import { qualityOf } from "./description.js";
import { element, icon, setText } from "./element.js";
import * as format from "./format.js";

/** The controls of the player, and how it is going. */
export class Controls {
    element;
    #stage;
    #playback;
    #playIcon = element("span");
    #playText = element("span.label.needed");
    #play = element("button", { type: "button", "aria-keyshortcuts": "k" }, this.#playIcon, this.#playText);
    #soundIcon = element("span");
    #soundText = element("span.label.needed");
    #sound = element("button", { type: "button", "aria-keyshortcuts": "m" }, this.#soundIcon, this.#soundText);
    #volume = element("input.volume", { type: "range", min: 0, max: 1, step: 0.05, "aria-label": "Volume" });
    #quality = element("select", { "aria-label": "Quality", hidden: true });
    #snapshot = element("a.button", { download: true, "aria-keyshortcuts": "s" }, icon("camera"), element("span.label", {}, "Snapshot"));
    #fullScreen = element("button", { type: "button", "aria-keyshortcuts": "f" }, icon("expand"), element("span.label", {}, "Full screen"));
    #delay = element("span.delay");
    #lastPlay = null;
    #lastSound = null;
    #qualities = null;

    /**
     * @param {import("./stage.js").Stage} stage
     * @param {import("../media/playback.js").Playback} playback
     */
    constructor(stage, playback) {
        this.#stage = stage;
        this.#playback = playback;
        this.#play.addEventListener("click", () => stage.toggle());
        this.#sound.addEventListener("click", () => stage.toggleSound());
        this.#volume.addEventListener("input", () => (stage.volume = Number(this.#volume.value)));
        this.#quality.addEventListener("change", () => stage.choosePath(this.#quality.value));
        this.#fullScreen.addEventListener("click", () => stage.toggleFullScreen());
        this.element = element("div.controls", { role: "group", "aria-label": "Player" },
            this.#play, this.#sound, this.#volume, this.#delay, element("span.space"),
            this.#quality, this.#snapshot, this.#fullScreen);
        addEventListener("keydown", (event) => this.#pressed(event));
    }

    /** @param {object[]} family - the qualities */
    changed(family) {
        const qualities = family.map((stream) => `${stream.path} ${qualityOf(stream)}`).join("\n");
        this.#quality.hidden = family.length < 2;
        if (qualities !== this.#qualities) {
            this.#qualities = qualities;
            this.#quality.replaceChildren(
                ...family.map((stream) => element("option", { value: stream.path }, qualityOf(stream))));
        }
        const stream = family.find((stream) => stream.path === this.#playback.path);
        this.#sound.hidden = this.#volume.hidden = stream !== undefined && audioOf(stream) === null;
        this.update();
    }

    /** Shows the present state. */
    update() {
        const { isStarted, path } = this.#playback;
        if (isStarted !== this.#lastPlay) {
            this.#lastPlay = isStarted;
            this.#playIcon.replaceChildren(icon(isStarted ? "stop" : "play"));
            setText(this.#playText, isStarted ? "Stop" : "Play");
        }
        const { hasSound, volume } = this.#stage;
        if (hasSound !== this.#lastSound) {
            this.#lastSound = hasSound;
            this.#soundIcon.replaceChildren(icon(hasSound ? "sound" : "muted"));
            setText(this.#soundText, hasSound ? "Sound off" : "Sound on");
        }
        if (document.activeElement !== this.#volume) this.#volume.value = hasSound ? volume : 0;
        this.#quality.value = path;
        this.#snapshot.href = snapshot(path);
        this.#snapshot.download = `${path.slice(1).replaceAll("/", "-") || "stream"}.jpg`;
        const { gap } = this.#playback;
        setText(this.#delay, gap === null ? "" : `${format.milliseconds(gap * 1_000)} behind live`);
    }

    /** Draws attention to the button for sound. */
    offerSound() {
        this.#sound.classList.add("primary");
        this.#sound.addEventListener("click", () => this.#sound.classList.remove("primary"), { once: true });
        this.update();
    }

    #pressed(event) {
        const isText = event.target.closest("input, select, textarea, dialog");
        if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
        const action = { k: this.#play, m: this.#sound, s: this.#snapshot, f: this.#fullScreen }[event.key];
        if (!action || action.hidden) return;
        event.preventDefault();
        action.click();
    }
}
