import { Publication, capturesMedia, capturesScreens } from "../webrtc/publication.js";
import { sentence } from "./description.js";
import { element, icon, setText } from "./element.js";

/** What is said of each state of a publication. */
const texts = {
    idle: "Nothing is published from here.",
    asking: "The browser asks what may be captured.",
    connecting: "Connecting",
    live: "This browser publishes the stream.",
    failed: "Stopped",
};

/** Publishes a camera or a screen of this browser as the stream, for users with the right to publish it. */
export class PublishPanel {
    name = "publish";
    title = "Publish";
    element = element("div.publish");
    #publication;
    #preview = element("video.preview", { muted: true, playsinline: true, "aria-label": "What is published", hidden: true });
    #result = element("p.result", { role: "status" });
    #sound = element("input", { type: "checkbox", checked: true });
    #starts;
    #stop = element("button", { type: "button", hidden: true, onclick: () => this.#publication.stop() }, icon("stop"), "Stop publishing");

    /** @param {string} path */
    constructor(path) {
        this.#publication = new Publication(path, { changed: () => this.#update() });
        this.#starts = [this.#button("camera", "camera", "Publish a camera")];
        if (capturesScreens) this.#starts.push(this.#button("screen", "expand", "Publish a screen"));
        if (!capturesMedia) {
            this.element.append(element("p.note", {},
                "Browsers give cameras and screens only to pages that come over HTTPS, or from localhost. Open this page in such a way to publish."));
            return;
        }
        // An attribute mutes only a video that begins; a property mutes it always.
        this.#preview.muted = true;
        this.element.append(
            element("p.note", {}, "Viewers of all protocols see what this browser captures, in place of another publisher if the path permits it."),
            element("label.switch", {}, this.#sound, "With sound"),
            element("div.buttons", {}, ...this.#starts, this.#stop),
            this.#result, this.#preview);
        this.#update();
    }

    #button(source, image, text) {
        const start = () => this.#publication.start(source, { hasSound: this.#sound.checked });
        return element("button", { type: "button", onclick: start }, icon(image), text);
    }

    #update() {
        const { state, reason } = this.#publication.state;
        const isBusy = ["asking", "connecting", "live"].includes(state);
        for (const button of this.#starts) button.hidden = isBusy;
        this.#stop.hidden = !isBusy;
        this.#sound.disabled = isBusy;
        this.#result.classList.toggle("failure", state === "failed");
        setText(this.#result, reason ? sentence(`${texts[state]}: ${reason}`) : sentence(texts[state]));
        const { media } = this.#publication;
        this.#preview.hidden = media === null;
        if (this.#preview.srcObject === media) return;
        this.#preview.srcObject = media;
        // Without a preview it is published all the same.
        this.#preview.play().catch(() => {});
    }
}
