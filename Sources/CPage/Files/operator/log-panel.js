import { element } from "../views/element.js";
import * as format from "../views/format.js";

/** Lines that are kept at most. */
const maximumCount = 500;

/** Pixels from the end within which the log counts as read to its end, so that it follows new lines. */
const nearEnd = 40;

/** The last lines of the server's log, and new ones as they are written. */
export class LogPanel {
    name = "log";
    title = "Log";
    element = element("div.log");
    #feed;
    #lines = element("ol.lines", { tabindex: "0", "aria-label": "Log of the server" });
    #level = element("select", {},
        element("option", { value: "" }, "all lines"), element("option", { value: "warning" }, "warnings and errors"));

    /** @param {import("../server/status-feed.js").StatusFeed} feed */
    constructor(feed) {
        this.#feed = feed;
        this.#level.addEventListener("change", () => (this.#lines.dataset.level = this.#level.value));
        this.element.append(element("label.level", {}, "Show", this.#level), this.#lines);
    }

    shown() {
        this.#lines.replaceChildren();
        this.#feed.subscribe("log");
    }

    hidden() {
        this.#feed.unsubscribe("log");
    }

    /** @param {object} message - `log` */
    noted(message) {
        if (message.type !== "log") return;
        const { scrollTop, scrollHeight, clientHeight } = this.#lines;
        const follows = scrollHeight - scrollTop - clientHeight < nearEnd;
        this.#lines.append(...message.lines.map(({ time, level, text }) =>
            element("li", { "data-level": level },
                element("time", {}, format.timeOfDay(time)), element("span.level-name", {}, level), element("span", {}, text))));
        while (this.#lines.childElementCount > maximumCount) this.#lines.firstChild.remove();
        if (follows) this.#lines.scrollTop = this.#lines.scrollHeight;
    }
}
