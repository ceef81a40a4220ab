import * as api from "../server/api.js";
import { sentence } from "../views/description.js";
import { element, icon, setText } from "../views/element.js";
import { SettingRow } from "./setting-row.js";
import { groupOf } from "./setting.js";

/** The groups of settings by their section, in the order in which they are shown. */
const groups = { video: "Video", camera: "Camera", effects: "Effects", "": "Stream" };

/** Settings of the stream and its source, which an operator can change while the server runs. */
export class SettingsPanel {
    name = "settings";
    title = "Settings";
    element = element("div.settings");
    #path;
    #masksPlace;
    #result = element("p.result", { role: "status" });
    #list = element("div.groups");
    /** @type {Map<string, SettingRow>} by key */
    #rows = new Map();

    /** @param {string} path @param {HTMLElement} masksPlace - over the video */
    constructor(path, masksPlace) {
        this.#path = path;
        this.#masksPlace = masksPlace;
        this.element.append(
            element("div.buttons", {},
                element("button", { type: "button", onclick: () => this.#requestKeyframe() }, "Request a keyframe"),
                element("button", { type: "button", onclick: () => this.#restart() }, icon("restart"), "Restart the source")),
            this.#result, this.#list);
    }

    async shown() {
        try {
            const { settings } = await api.settings(this.#path);
            this.#show(settings);
        } catch (error) {
            this.#say(error.message, true);
        }
    }

    hidden() {
        for (const row of this.#rows.values()) row.close();
        this.#rows.clear();
        this.#list.replaceChildren();
    }

    /** Another stream is shown. @param {string} path */
    changedPath(path) {
        if (path === this.#path) return;
        this.#path = path;
        if (this.element.hidden) return;
        this.hidden();
        this.shown();
    }

    #show(settings) {
        const keys = settings.map((setting) => setting.key).join();
        if (keys !== [...this.#rows.keys()].join()) this.#build(settings);
        for (const setting of settings) this.#rows.get(setting.key).update(setting);
    }

    #build(settings) {
        this.hidden();
        for (const setting of settings) {
            this.#rows.set(setting.key, new SettingRow(setting, (value) => this.#change(setting.key, value), this.#masksPlace));
        }
        const of = (isMember) => settings.filter(({ key }) => isMember(groupOf(key)));
        const named = Object.entries(groups).map(([group, title]) => [title, of((other) => other === group)]);
        this.#list.replaceChildren(
            ...[...named, ["Other", of((group) => !(group in groups))]]
                .filter(([, members]) => members.length > 0)
                .map(([title, members]) => element("section", {}, element("h2", {}, title),
                    members.map((setting) => this.#rows.get(setting.key).element))));
        if (settings.length === 0) this.#say("this source has no settings that can be changed here", false);
    }

    async #change(key, value) {
        try {
            const { lines, settings } = await api.changeSettings(this.#path, { [key]: value });
            this.#say(lines.join("; "), false);
            this.#show(settings);
        } catch (error) {
            this.#say(error.message, true);
            // Shows what the server has, in place of what it has refused.
            this.shown();
        }
    }

    async #requestKeyframe() {
        await this.#order(api.requestKeyframe(this.#path), "a keyframe was requested");
    }

    async #restart() {
        if (!confirm("Restart the source? Viewers stay connected and see no new frames meanwhile.")) return;
        await this.#order(api.restartSource(this.#path), "the source is started again");
    }

    async #order(answer, text) {
        await answer.then(() => this.#say(text, false), (error) => this.#say(error.message, true));
    }

    #say(text, isFailure) {
        this.#result.classList.toggle("failure", isFailure);
        setText(this.#result, text ? sentence(text) : "");
    }
}
