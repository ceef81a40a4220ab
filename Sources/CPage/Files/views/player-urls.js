import { endlessFile, hlsPlaylist, playerPage, snapshot } from "../server/address.js";

/** What stands for the password in an address. The page does not know it. */
const password = "PASSWORD";

/**
 * An address or a command to paste.
 *
 * @typedef {object} PlayerURL
 * @property {string} title
 * @property {string} text
 * @property {string | null} note
 */

/**
 * The addresses of a stream for other programs.
 *
 * @param {object} stream
 * @param {{rtsp: number | null, rtsps: number | null}} ports
 * @param {string | null} user - with which the page was opened
 * @param {string} host - by which the page was reached
 * @returns {PlayerURL[]}
 */
export function playerURLs(stream, ports, user, host) {
    const authority = (port, usual) => {
        const login = user ? `${encodeURIComponent(user)}:${password}@` : "";
        return `${login}${host}${port === usual ? "" : `:${port}`}`;
    };
    const urls = [];
    if (ports.rtsp) {
        const rtsp = `rtsp://${authority(ports.rtsp, 554)}${encodeURI(stream.path)}`;
        urls.push(
            { title: "RTSP", text: rtsp, note: null },
            { title: "VLC", text: `vlc ${quoted(rtsp)}`, note: null },
            { title: "ffplay", text: `ffplay -flags low_delay -framedrop -rtsp_transport udp ${quoted(rtsp)}`, note: null },
            { title: "mpv", text: `mpv --profile=low-latency --rtsp-transport=udp ${quoted(rtsp)}`, note: null },
            {
                title: "GStreamer",
                text: `gst-launch-1.0 rtspsrc location=${quoted(rtsp)} latency=200 ! application/x-rtp,media=video ! decodebin ! autovideosink`,
                note: "video alone",
            },
            { title: "Recorder (NVR)", text: `${rtsp}?join=keyframe`, note: "over TCP; begins at a keyframe" },
        );
    }
    if (ports.rtsps) {
        const rtsps = `rtsps://${authority(ports.rtsps, 322)}${encodeURI(stream.path)}`;
        urls.push({ title: "RTSP inside TLS", text: rtsps, note: null });
    }
    urls.push(
        { title: "Endless MP4", text: `${endlessFile(stream.path)}`, note: null },
        { title: "HLS", text: `${hlsPlaylist(stream.path)}`, note: "for phones and televisions" },
        { title: "Newest frame", text: `${snapshot(stream.path)}`, note: "with ?width=640 smaller" },
        { title: "This page", text: `${playerPage(stream.path)}`, note: "with ?embed the player alone" },
    );
    return urls;
}

/** Whether a host name means the host on which the browser runs. @param {string} host */
export function isLoopback(host) {
    return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}

/** For a shell, in which `?`, `*` and `&` mean something. */
function quoted(url) {
    return /[^\w:/.@%+,-]/.test(url) ? `'${url}'` : url;
}
