import { SliderScale } from "/page/operator/slider-scale.js";
import { groupOf, titleOf, valueText } from "/page/operator/setting.js";
import { equal, holds, near, test } from "./check.js";

test("a slider of close limits is linear", () => {
    const scale = new SliderScale(0, 255, 1);
    equal(scale.attributes, { min: 0, max: 255, step: 1 });
    equal(scale.value(scale.position(140)), 140);
});

test("a slider of limits that are far apart reaches small values, too", () => {
    const scale = new SliderScale(10_000, 200_000_000, 1);
    equal(scale.value(0), 10_000);
    equal(scale.value(1_000), 200_000_000);
    near(scale.position(2_000_000), 535, 1);
    for (const value of [10_000, 64_000, 500_000, 2_000_000, 9_000_000, 200_000_000]) {
        near(scale.value(scale.position(value)) / value, 1, 0.02);
    }
});

test("each position of a logarithmic slider has a value within the limits", () => {
    const scale = new SliderScale(100, 60_000, 1);
    let former = 0;
    for (let position = 0; position <= 1_000; position += 1) {
        const value = scale.value(position);
        holds(value >= 100 && value <= 60_000 && value >= former);
        former = value;
    }
});

test("settings have names for users, and groups", () => {
    equal(["video.bitrate", "video.gopMilliseconds", "effects.blur", "title", "power_line_frequency", "video.newOption"].map(titleOf),
        ["Bitrate", "Time between keyframes", "Blur", "Title", "Power line frequency", "New option"]);
    equal(["video.bitrate", "title"].map(groupOf), ["video", ""]);
});

test("values have their unit", () => {
    const plain = (setting, value) => valueText(setting, value).replaceAll("\u00a0", " ");
    equal(plain({ key: "video.bitrate", type: "integer", unit: "bits per second" }, 4_000_000), "4.0 Mbit/s");
    equal(plain({ key: "video.gopMilliseconds", type: "integer", unit: "milliseconds" }, 2000), "2000 ms");
    equal(plain({ key: "effects.blur", type: "integer", unit: "thousandths" }, 5), "5");
    equal(plain({ key: "effects.mirror", type: "boolean" }, true), "on");
    equal(plain({ key: "effects.privacyMasks", type: "rectangles" }, []), "none");
});
