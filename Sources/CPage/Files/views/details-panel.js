import { methodNames } from "../media/playback.js";
import { playsWebRTC } from "../media/webrtc-player.js";
import { serverClock } from "../server/server-clock.js";
import { audioOf, videoOf } from "../server/stream-list.js";
import { audioText, sentence, sourceState } from "./description.js";
import { element, setText } from "./element.js";
import * as format from "./format.js";

/** The names of all facts, in their order. */
const names = [
    "State", "Reason", "Last failure", "Source", "Video", "Audio", "Bitrate", "Viewers", "Published", "Starts after failures",
    "Age of the frame", "Behind live", "Left out",
];

/** The facts of the stream and of its playback. */
export class DetailsPanel {
    name = "details";
    title = "Details";
    element = element("div.details");
    #playback;
    #stream = null;
    #list = element("dl");
    /** @type {{name: string, row: HTMLElement, value: HTMLElement}[]} */
    #rows = names.map((name) => {
        const value = element("dd");
        return { name, row: element("div", {}, element("dt", {}, name), value), value };
    });
    #method = element("select", { "aria-label": "Playback method" },
        Object.entries(methodNames).filter(([value]) => value !== "webrtc" || playsWebRTC)
            .map(([value, name]) => element("option", { value }, name)));
    #methodReason = element("span");
    #methodRow = element("div", {}, element("dt", {}, "Played by"), element("dd", {}, this.#method, this.#methodReason));

    /** @param {import("../media/playback.js").Playback} playback */
    constructor(playback) {
        this.#playback = playback;
        this.#method.addEventListener("change", () => playback.choose(this.#method.value));
        this.#list.append(...this.#rows.map(({ row }) => row), this.#methodRow);
        this.element.append(this.#list);
    }

    /** @param {object | null} stream */
    changed(stream) {
        this.#stream = stream;
        this.update();
    }

    /** Shows the present values. */
    update() {
        if (this.element.hidden) return;
        const facts = { ...this.#streamFacts, ...this.#playbackFacts };
        for (const { name, row, value } of this.#rows) {
            row.hidden = !facts[name];
            setText(value, facts[name] ?? "");
        }
        const { method, methodReason } = this.#playback;
        if (document.activeElement !== this.#method) this.#method.value = method;
        setText(this.#methodReason, methodReason ? sentence(`because ${methodReason}`) : "");
    }

    get #streamFacts() {
        const stream = this.#stream;
        if (!stream) return {};
        const [video, audio, state] = [videoOf(stream), audioOf(stream), sourceState(stream)];
        const past = stream.lastFailure && stream.condition.state !== "failing";
        return {
            State: `${state.word} for ${format.duration(stream.condition.seconds)}`,
            Reason: state.kind === "failing" ? state.reason : null,
            "Last failure": past ? sentence(stream.lastFailure) : null,
            Source: stream.source ?? null,
            Video: video && [video.codec, video.width && format.size(video.width, video.height),
                video.frameRate && format.frameRate(video.frameRate)].filter(Boolean).join(", "),
            Audio: audio && audioText(audio),
            Bitrate: format.bitrate(stream.bitrate),
            Viewers: format.count(stream.viewers, "viewer"),
            Published: `${stream.pictures.toLocaleString("en")} frames, ${format.bytes(stream.bytes)}`,
            "Starts after failures": stream.restarts ? `${stream.restarts}` : null,
        };
    }

    get #playbackFacts() {
        const { isStarted, age, gap, target, droppedFrames } = this.#playback;
        if (!isStarted) return {};
        const { uncertainty } = serverClock;
        return {
            "Age of the frame": age === null
                ? null : `${format.milliseconds(age)}, ± ${format.milliseconds(Math.max(1, uncertainty))}`,
            "Behind live": gap === null ? null : [
                format.milliseconds(gap * 1_000), target === null ? null : `aims at ${format.milliseconds(target * 1_000)}`,
            ].filter(Boolean).join(", "),
            "Left out": droppedFrames ? `${format.count(droppedFrames, "frame")}, because this connection was too slow` : null,
        };
    }
}
