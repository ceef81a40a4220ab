import { Stall } from "/page/media/stall.js";
import { equal, near, test } from "./check.js";

test("a stall lasts until media come, however long the player takes to play them", () => {
    const stall = new Stall();
    stall.waited(10);
    stall.mediaCame(10.03);
    stall.mediaCame(10.06);
    near(stall.played(10.4), 0.03, 1e-9);
    equal(stall.played(11), null);
});

test("a player that says for some milliseconds that it waits is no stall", () => {
    const stall = new Stall();
    stall.waited(10);
    stall.mediaCame(10.001);
    equal(stall.played(10.004), null);
    stall.waited(11);
    equal(stall.played(11.004), null);
});

test("a player that waits although it has media has stalled for all that time", () => {
    const stall = new Stall();
    stall.waited(10);
    stall.waited(10.01);
    near(stall.played(10.02), 0.02, 1e-9);
});

test("a source that has ended is no stall", () => {
    const stall = new Stall();
    stall.waited(10);
    stall.mediaCame(12);
    equal(stall.played(12.1), null);
});

test("a player that begins with other media has not stalled", () => {
    const stall = new Stall();
    stall.waited(10);
    stall.ended();
    stall.mediaCame(10.5);
    equal(stall.played(10.6), null);
});
