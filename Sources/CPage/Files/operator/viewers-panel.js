import * as api from "../server/api.js";
import { element, setText } from "../views/element.js";
import * as format from "../views/format.js";

/** The viewers of the stream. An operator can disconnect them. */
export class ViewersPanel {
    name = "viewers";
    title = "Viewers";
    element = element("div.viewers");
    #path;
    #feed;
    #mayDisconnect;
    #list = element("ul", { "aria-label": "Viewers of this stream" });
    #empty = element("p", { hidden: true }, "This stream has no viewers now.");
    /** @type {string | null} the viewer that is this page */
    #own = null;
    /** @type {Map<string, HTMLElement>} by id */
    #rows = new Map();

    /**
     * @param {string} path
     * @param {import("../server/status-feed.js").StatusFeed} feed
     * @param {boolean} mayDisconnect
     */
    constructor(path, feed, mayDisconnect) {
        this.#path = path;
        this.#feed = feed;
        this.#mayDisconnect = mayDisconnect;
        this.element.append(this.#list, this.#empty);
    }

    /** The viewer that is this page. @param {string | null} id */
    set own(id) {
        this.#own = id;
    }

    shown() {
        this.#feed.subscribe("viewers", { path: this.#path });
    }

    hidden() {
        this.#feed.unsubscribe("viewers");
    }

    /** @param {string} path */
    changedPath(path) {
        if (path === this.#path) return;
        this.#path = path;
        if (!this.element.hidden) this.shown();
    }

    /** @param {object} message - `viewers` */
    noted(message) {
        if (message.type !== "viewers" || message.path !== this.#path) return;
        const ids = new Set(message.viewers.map((viewer) => viewer.id));
        for (const [id, row] of this.#rows) {
            if (ids.has(id)) continue;
            row.remove();
            this.#rows.delete(id);
        }
        for (const viewer of message.viewers) this.#show(viewer);
        this.#empty.hidden = ids.size > 0;
    }

    #show(viewer) {
        let row = this.#rows.get(viewer.id);
        if (!row) {
            row = element("li", {}, element("div", {}, element("h2"), element("p")), this.#button(viewer));
            this.#rows.set(viewer.id, row);
            this.#list.append(row);
        }
        const name = viewer.user ? `${viewer.user}@${viewer.peer}` : viewer.peer;
        setText(row.querySelector("h2"), viewer.id === this.#own ? `${name} (this page)` : name);
        const facts = [viewer.client ?? "unnamed", viewer.transport, `for ${format.duration(viewer.playing)}`];
        if (viewer.backlog >= 1) facts.push(`${format.milliseconds(viewer.backlog)} behind`);
        if (viewer.droppedUnits > 0) facts.push(`${format.count(viewer.droppedUnits, "frame")} dropped`);
        setText(row.querySelector("p"), facts.join(" · "));
    }

    #button({ id, peer }) {
        if (!this.#mayDisconnect) return null;
        const button = element("button", { type: "button", "aria-label": `Disconnect ${peer}` }, "Disconnect");
        button.addEventListener("click", async () => {
            button.disabled = true;
            await api.disconnectViewer(this.#path, id).catch(() => (button.disabled = false));
        });
        return button;
    }
}
