/**
 * The addresses of the server, relative to where this module came from.
 */

/** The root of the server. */
const root = new URL("../../", import.meta.url);

/**
 * @param {string} path - a path of a stream, with its leading slash
 * @returns {string} without it, percent-encoded
 */
function relative(path) {
    return path.split("/").map(encodeURIComponent).join("/").slice(1);
}

/**
 * The path of a stream with something behind it, for `/` too.
 *
 * @param {string} path
 * @param {string} last
 */
function below(path, last) {
    return new URL(path === "/" ? last : `${relative(path)}/${last}`, root);
}

/** The page with the player of a stream. @param {string} path */
export function playerPage(path) {
    return path === "/" ? new URL("?player", root) : below(path, "");
}

/** The page with all streams. */
export const gridPage = root;

/**
 * The stream whose player an address shows.
 *
 * @param {URL | Location} location
 */
export function streamOf(location) {
    const path = location.pathname.slice(root.pathname.length - 1);
    return decodeURIComponent(path.length > 1 ? path.replace(/\/$/, "") : path);
}

/** A token in the address of this page, which admits it to the media of its stream; null if there is none. */
const token = new URLSearchParams(location.search).get("token");

/**
 * The WebSocket with the media of a stream.
 *
 * @param {string} path
 * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
 */
export function mediaSocket(path, tracks) {
    const url = withTracks(below(path, "ws"), tracks);
    if (token !== null) url.searchParams.set("token", token);
    return socket(url);
}

/** Where a session of WebRTC begins that plays a stream (WHEP). @param {string} path */
export function whepEndpoint(path) {
    const url = below(path, "whep");
    if (token !== null) url.searchParams.set("token", token);
    return url;
}

/** Where a session of WebRTC begins that publishes a stream (WHIP). @param {string} path */
export function whipEndpoint(path) {
    return below(path, "whip");
}

/** The WebSocket without media. */
export const statusSocket = socket(new URL("api/v1/ws", root));

/**
 * The media of a stream as a file without end.
 *
 * @param {string} path
 * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
 */
export function endlessFile(path, tracks = { hasAudio: true, hasVideo: true }) {
    return withTracks(below(path, "index.mp4"), tracks);
}

/**
 * The playlist of a stream (HLS).
 *
 * @param {string} path
 * @param {{hasAudio: boolean, hasVideo: boolean}} tracks
 */
export function hlsPlaylist(path, tracks = { hasAudio: true, hasVideo: true }) {
    return withTracks(below(path, "index.m3u8"), tracks);
}

/**
 * The newest frame of a stream.
 *
 * @param {string} path
 * @param {number} [width] - in pixels; without it, the frame's own
 */
export function snapshot(path, width) {
    const url = new URL(path === "/" ? "index.jpg" : `${relative(path)}.jpg`, root);
    if (width) url.searchParams.set("width", width);
    return url;
}

/**
 * A request of the API.
 *
 * @param {string} name - such as `streams`
 * @param {Record<string, string>} [query]
 */
export function request(name, query = {}) {
    const url = new URL(`api/v1/${name}`, root);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
}

/** What answers as soon as the server can be reached. */
export const health = new URL("healthz", root);

function socket(url) {
    url.protocol = url.protocol.replace("http", "ws");
    return url;
}

function withTracks(url, { hasAudio, hasVideo }) {
    if (!hasAudio) url.searchParams.set("audio", "0");
    if (!hasVideo) url.searchParams.set("video", "0");
    return url;
}
