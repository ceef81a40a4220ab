import { element, icon } from "./element.js";
import { isLoopback, playerURLs } from "./player-urls.js";
import { qrImage } from "./qr-image.js";

/** The addresses of the stream, to paste into other programs or to read with a phone. */
export class AddressesPanel {
    name = "addresses";
    title = "Addresses";
    element = element("div.addresses");
    #announce;
    #shown = null;

    /** @param {(text: string) => void} announce */
    constructor(announce) {
        this.#announce = announce;
    }

    /** @param {object} stream @param {{server: object, client: object}} hello */
    changed(stream, { server, client }) {
        const urls = playerURLs(stream, server.ports, client.user, location.hostname);
        const shown = JSON.stringify(urls);
        if (shown === this.#shown) return;
        this.#shown = shown;
        const notes = [];
        if (isLoopback(location.hostname)) {
            notes.push("These addresses work on this host. For others, replace the host name by an address of this host.");
        }
        if (client.user) notes.push("Replace PASSWORD by the password of the user.");
        this.element.replaceChildren(
            ...notes.map((note) => element("p.note", {}, note)),
            element("ul", {}, urls.map((url) => this.#row(url))));
    }

    #row({ title, text, note }) {
        const code = element("code", {}, text);
        const place = element("div.qr-place", { hidden: true });
        const show = element("button.quiet", {
            type: "button", "aria-expanded": "false", "aria-label": `QR code of ${title}`,
            onclick: () => {
                const isShown = place.hidden;
                // Codes are made when they are wanted.
                if (!place.firstChild) place.append(qrImage(text) ?? element("p", {}, "This address is too long for a QR code."));
                place.hidden = !isShown;
                show.setAttribute("aria-expanded", isShown);
            },
        }, icon("code"));
        const copy = element("button.quiet", {
            type: "button", "aria-label": `Copy ${title}`,
            onclick: async () => this.#announce((await copied(code)) ? `${title} copied.` : "Select the text to copy it."),
        }, icon("copy"));
        return element("li", {}, element("div.heading", {}, element("h2", {}, title), note ? element("span", {}, note) : null),
            element("div.line", {}, code, copy, isURL(text) ? show : null), place);
    }
}

function isURL(text) {
    return /^\w+:\/\//.test(text);
}

/** Copies the text of an element. A page without TLS has no clipboard, so the selected text is copied as by the user. */
async function copied(code) {
    getSelection().selectAllChildren(code);
    try {
        if (!navigator.clipboard) return document.execCommand("copy");
        await navigator.clipboard.writeText(code.textContent);
        return true;
    } catch {
        return false;
    }
}
