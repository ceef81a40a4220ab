// Loaded into pages of tests, so that they run as in a browser without WebRTC, and play by Media Source Extensions first.
delete globalThis.RTCPeerConnection;
