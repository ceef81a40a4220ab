// Loaded into the pages of test_webrtc_server.py.

/** The connections of the page. @type {RTCPeerConnection[]} */
const connections = [];

globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...options) {
        super(...options);
        connections.push(this);
    }
};
globalThis.connections = connections;
