/** The page with all streams. */

import { StatusFeed } from "./server/status-feed.js";
import { Account } from "./views/account.js";
import { Announcer } from "./views/announcer.js";
import { Banner } from "./views/banner.js";
import { setText } from "./views/element.js";
import * as format from "./views/format.js";
import { Grid } from "./views/grid.js";
import { preferences, prefersReducedMotion } from "./views/preferences.js";

const [main, filter, live, summary, sizes] = ["streams", "filter", "live", "summary", "sizes"].map((id) =>
    document.getElementById(id),
);
const announcer = new Announcer(document.getElementById("announcements"));
const banner = new Banner(document.getElementById("banner"));
const account = new Account(document.getElementById("account"));
const grid = new Grid(main, (text) => announcer.announce(text));

filter.addEventListener("input", () => (grid.filter = filter.value));
addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    filter.focus();
});

live.checked = preferences.value("live", !prefersReducedMotion());
grid.isLive = live.checked;
live.addEventListener("change", () => {
    grid.isLive = live.checked;
    preferences.set("live", live.checked);
});

const size = preferences.value("size", "medium");
main.dataset.size = size;
for (const input of sizes.querySelectorAll("input")) {
    input.checked = input.value === size;
    input.addEventListener("change", () => {
        main.dataset.size = input.value;
        preferences.set("size", input.value);
    });
}

let feed = null;

/** Receives the list of streams while the page is visible. */
function follow() {
    if (document.hidden) {
        feed?.close();
        feed = null;
    } else {
        feed ??= new StatusFeed({
            hello: ({ client }) => {
                account.changed(client);
                if (client.rights.includes("status")) feed.subscribe("events");
            },
            connected: () => banner.hide(),
            streams: (message) => {
                grid.received(message);
                main.setAttribute("aria-busy", "false");
            },
            noted: ({ type, event }) => type === "event" && announcer.announce(event.text),
            lost: (reason, isFinal) => {
                banner.show(reason, isFinal ? null : "Trying again…");
                if (isFinal) account.offer();
            },
        });
    }
}

document.addEventListener("visibilitychange", follow);
follow();

setInterval(() => {
    const { all, live } = grid.counts;
    setText(summary, all === 0 ? "" : `${format.count(all, "stream")}, ${live} live here`);
}, 1_000);

// For tests.
globalThis.apus = { grid };
