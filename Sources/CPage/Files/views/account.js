import * as api from "../server/api.js";
import { element } from "./element.js";

/** Says as which user the page was opened, and lets another one sign in. */
export class Account {
    #place;
    #client = { user: null, rights: [], signIn: null };
    #dialog = null;

    /** @param {HTMLElement} place */
    constructor(place) {
        this.#place = place;
    }

    /** @param {{user: string | null, signIn: "form" | "browser" | null}} client */
    changed(client) {
        this.#client = client;
        const name = client.user ? element("span.user", {}, client.user) : null;
        this.#place.replaceChildren(...[name, this.#button()].filter(Boolean));
    }

    /** The page may not be used as it was opened: offers to sign in. */
    async offer() {
        const client = await api.session().then((session) => session.client, () => null);
        if (client) this.changed(client);
        if (client?.signIn === "form") this.#openDialog();
    }

    #button() {
        const { user, signIn } = this.#client;
        if (signIn === null) return null;
        if (user && signIn === "form") return element("button", { type: "button", onclick: () => this.#signOut() }, "Sign out");
        const open = () => (signIn === "form" ? this.#openDialog() : this.#askBrowser());
        return user ? null : element("button", { type: "button", onclick: open }, "Sign in");
    }

    async #signOut() {
        await api.signOut().catch(() => {});
        location.reload();
    }

    async #askBrowser() {
        await api.signInWithBrowser("control").then(() => location.reload(), () => {});
    }

    #openDialog() {
        this.#dialog ??= this.#newDialog();
        if (!this.#dialog.open) this.#dialog.showModal();
    }

    #newDialog() {
        const user = element("input", { name: "user", autocomplete: "username", required: true, autofocus: true });
        const password = element("input", {
            name: "password", type: "password", autocomplete: "current-password", required: true,
        });
        const failure = element("p.failure", { role: "alert" });
        const dialog = element("dialog", { "aria-labelledby": "sign-in" },
            element("form", {
                method: "dialog",
                onsubmit: async (event) => {
                    event.preventDefault();
                    failure.textContent = "";
                    await api.signIn(user.value, password.value).then(
                        () => location.reload(),
                        (error) => (failure.textContent = error.status === 401 ? "Wrong user or password." : error.message),
                    );
                },
            },
            element("h2", { id: "sign-in" }, "Sign in"),
            element("label", {}, "User", user),
            element("label", {}, "Password", password),
            failure,
            element("div.buttons", {},
                element("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
                element("button.primary", { type: "submit" }, "Sign in"))));
        document.body.append(dialog);
        return dialog;
    }
}
