/** The page with the player of one stream. */

import { LatencyPanel } from "./operator/latency-panel.js";
import { LogPanel } from "./operator/log-panel.js";
import { SettingsPanel } from "./operator/settings-panel.js";
import { ViewersPanel } from "./operator/viewers-panel.js";
import { gridPage, streamOf } from "./server/address.js";
import { StatusFeed } from "./server/status-feed.js";
import { StreamList } from "./server/stream-list.js";
import { Account } from "./views/account.js";
import { AddressesPanel } from "./views/addresses-panel.js";
import { Announcer } from "./views/announcer.js";
import { Banner } from "./views/banner.js";
import { factsOf, nameOf } from "./views/description.js";
import { DetailsPanel } from "./views/details-panel.js";
import { setText } from "./views/element.js";
import { PublishPanel } from "./views/publish-panel.js";
import { Stage } from "./views/stage.js";
import { Tabs } from "./views/tabs.js";

const path = streamOf(location);
const isEmbedded = new URLSearchParams(location.search).has("embed");
document.body.classList.toggle("embed", isEmbedded);

const [name, facts, back] = ["name", "facts", "back"].map((id) => document.getElementById(id));
const announcer = new Announcer(document.getElementById("announcements"));
const announce = (text) => announcer.announce(text);
const banner = new Banner(document.getElementById("banner"));
const account = new Account(document.getElementById("account"));
const streams = new StreamList();
/** @type {{server: object, client: object} | null} */
let hello = null;
/** The viewer that is this page. */
let viewer = null;

setText(name, path);
back.href = gridPage;

const stage = new Stage(document.getElementById("stage"), path, announce, {
    identified: (message) => {
        viewer = message.viewer ?? null;
        panels.forEach((panel) => (panel.own = viewer));
    },
});
const { playback } = stage;

const tabs = new Tabs(document.getElementById("panels"), "About this stream");
const details = new DetailsPanel(playback);
const addresses = new AddressesPanel(announce);
/** The panels of operators, which are added as soon as the rights are known. */
const panels = [];
tabs.add(details);
tabs.add(addresses);

/** The stream that is played; a quality of the one that the address names. */
function shown() {
    return streams.stream(playback.path) ?? playback.stream;
}

function update() {
    const stream = shown();
    details.changed(stream);
    if (!stream) return;
    const main = streams.family(path)[0] ?? stream;
    setText(name, nameOf(main));
    document.title = `${nameOf(main)} – Apus`;
    setText(facts, factsOf(stream).join(" · "));
    if (hello) {
        addresses.changed(stream, hello);
        if (hello.server.ports.webrtc && main.rights.includes("publish")) add("publish", () => new PublishPanel(main.path));
        addPanels(stream.rights, hello.client.rights);
    }
    for (const panel of panels) {
        panel.changedPath?.(stream.path);
        panel.changed?.(stream);
    }
}

/** @param {string[]} rights - for the stream @param {string[]} all - for the whole server */
function addPanels(rights, all) {
    const [isOperator, seesStatus] = [rights.includes("control"), rights.includes("status")];
    if (isOperator) add("settings", () => new SettingsPanel(playback.path, stage.masks));
    if (seesStatus) add("viewers", () => new ViewersPanel(playback.path, feed, isOperator));
    if (seesStatus) add("latency", () => new LatencyPanel(playback.path));
    if (isOperator && all.includes("status")) add("log", () => new LogPanel());
}

function add(panel, make) {
    if (tabs.has(panel)) return;
    const made = make();
    made.own = viewer;
    panels.push(made);
    tabs.add(made);
}

const feed = isEmbedded ? null : new StatusFeed({
    hello: (message) => {
        hello = message;
        account.changed(message.client);
    },
    connected: () => banner.hide(),
    streams: (message) => {
        streams.received(message);
        stage.changed(streams.family(path));
        update();
    },
    noted: (message) => panels.forEach((panel) => panel.noted?.(message)),
    lost: (reason, isFinal) => {
        banner.show(reason, isFinal ? null : "Trying again…");
        if (isFinal) account.offer();
    },
});

setInterval(() => {
    if (document.hidden) return;
    details.update();
    // Without a list of all streams, the media come with what the server says of theirs.
    if (!streams.stream(playback.path)) {
        if (playback.stream) stage.changed([playback.stream]);
        update();
    }
}, 500);

// For tests.
globalThis.apus = { stage, playback };
