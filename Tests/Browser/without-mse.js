// Loaded into pages of tests, so that they run as in a browser without Media Source Extensions.
delete globalThis.MediaSource;
delete globalThis.ManagedMediaSource;
