import { audioOf, videoOf } from "../server/stream-list.js";
import * as format from "./format.js";

/** The name of a stream for users: its title, or else its path. @param {object} stream */
export function nameOf(stream) {
    return stream.title || stream.path;
}

/**
 * The name of a stream among the qualities of its family: its size, and of a substream the last part of its path.
 *
 * @param {object} stream
 */
export function qualityOf(stream) {
    const video = videoOf(stream);
    const name = stream.path.split("/").at(-1);
    if (!video?.width) return name;
    const size = format.size(video.width, video.height);
    return stream.substreamOf ? `${size}, ${name}` : size;
}

/** The facts of a stream: `1280 × 720 · 30 fps · 2.01 Mbit/s · 3 viewers`. @param {object} stream @returns {string[]} */
export function factsOf(stream) {
    const [video, audio] = [videoOf(stream), audioOf(stream)];
    const facts = [];
    if (video?.width) facts.push(format.size(video.width, video.height));
    if (video?.frameRate) facts.push(format.frameRate(video.frameRate));
    if (!video && audio) facts.push("audio only", audioText(audio));
    if (stream.bitrate) facts.push(format.bitrate(stream.bitrate));
    facts.push(format.count(stream.viewers, "viewer"));
    return facts;
}

/** `AAC, 48 kHz, stereo`. @param {object} track - an audio track */
export function audioText({ codec, sampleRate, channels }) {
    const parts = [codec];
    if (sampleRate) parts.push(`${Number((sampleRate / 1_000).toFixed(2))} kHz`);
    if (channels) parts.push({ 1: "mono", 2: "stereo" }[channels] ?? `${channels} channels`);
    return parts.join(", ");
}

/**
 * A state in a word, why it is so, and its kind, by which it is drawn.
 *
 * @typedef {object} StateText
 * @property {string} word
 * @property {string | null} reason - a sentence
 * @property {"live" | "busy" | "failing" | "idle"} kind
 */

/**
 * The state of the source of a stream.
 *
 * @param {object} stream
 * @returns {StateText}
 */
export function sourceState({ condition }) {
    switch (condition.state) {
        case "running":
            return { word: "Running", reason: null, kind: "live" };
        case "starting":
            return { word: "Starting", reason: "The source is starting.", kind: "busy" };
        case "sleeping":
            return { word: "Sleeping", reason: "The source starts when the stream is watched.", kind: "idle" };
        case "ended":
            return { word: "Ended", reason: "The source has ended.", kind: "idle" };
        case "failing":
            return { word: "Failing", reason: failure(condition), kind: "failing" };
        default:
            return { word: condition.state, reason: null, kind: "busy" };
    }
}

/** `no camera at /dev/video0. Next try in 4 s.` */
function failure({ reason, secondsToNextTry }) {
    const next = secondsToNextTry === null ? "Trying again now." : `Next try in ${format.duration(secondsToNextTry)}.`;
    return `${sentence(reason ?? "the source has failed")} ${next}`;
}

/**
 * The state of a playback together with that of the source.
 *
 * @param {import("../media/playback.js").Playback} playback
 * @param {object | null} stream
 * @returns {StateText}
 */
export function playbackState(playback, stream) {
    const { state, reason } = playback.state;
    const source = stream ? sourceState(stream) : null;
    switch (state) {
        case "playing":
            return { word: "Live", reason: null, kind: "live" };
        case "failed":
            return { word: "Stopped", reason: sentence(reason), kind: "failing" };
        case "stopped":
            return source && source.kind !== "live" ? source : { word: "Stopped", reason: null, kind: "idle" };
        default:
            // What the source lacks explains more than what the connection lacks.
            if (!reason && source && source.kind !== "live") return source;
            if (state === "waiting") return { word: "Waiting", reason: "No media come from the source.", kind: "busy" };
            return { word: "Connecting", reason: reason ? sentence(`${reason}; trying again`) : null, kind: "busy" };
    }
}

/** With a capital letter and a full stop. @param {string} text */
export function sentence(text) {
    const whole = text.charAt(0).toUpperCase() + text.slice(1);
    return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
