/* home-page.test.mjs - the page of the demo home in a browser, before and after a model has used a tool.
 *
 * With HAFT_SCREENSHOTS=DIRECTORY it also writes the pictures of docs/home.md there; in the tree they have 64 colors. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Browser, chromium } from "./browser.mjs";
import { call, rest, startDemo, startHome } from "./home.mjs";
import { freePort } from "./server.mjs";

const keep = process.env.HAFT_SCREENSHOTS;
const at = (id) => `document.querySelector('[data-entity="${id}"]')`;
const state = (id) => `${at(id)}?.dataset.state`;
const connected = `document.querySelector("#status")?.dataset.state === "connected"`;

describe("the page", { skip: chromium ? false : "Chromium is not here" }, () => {
    let demo, home, browser;

    before(async () => {
        demo = await startDemo({ address: `127.0.0.1:${await freePort()}` });
        home = await startHome(["--hass", demo.url], { HASS_TOKEN: "demo" });
        browser = await Browser.start();
    });
    after(async () => {
        await browser?.close();
        assert.equal(await home.stop(), 0, home.log());
        assert.equal(await demo.stop(), 0, demo.log());
    });

    async function picture(name) {
        const png = await browser.screenshot();

        assert.ok(png.length > 10000, "a picture");
        if (keep) writeFileSync(join(keep, `home-${name}.png`), png);
    }

    test("asks for a token, and refuses a wrong one", async () => {
        await browser.goto(`${demo.url}/`);
        await browser.waitFor(`document.activeElement?.id === "token"`, "the form");
        await browser.send("Input.insertText", { text: "wrong" });
        await browser.press("Enter");
        await browser.waitFor(
            `document.querySelector("#status").textContent === "Invalid access token or password"`,
            "the refusal",
        );
        await browser.waitFor(`!document.querySelector("#login").hidden`, "the form");
        await browser.value(`document.querySelector("#token").value = ""; document.querySelector("#token").focus()`);
        await browser.send("Input.insertText", { text: "demo" });
        await browser.press("Enter");
        await browser.waitFor(connected, "the connection");
    });

    test("draws three floors, eight rooms and every entity", async () => {
        await browser.goto("about:blank");
        await browser.goto(`${demo.url}/#token=demo`);
        await browser.waitFor(`${connected} && ${at("light.hallway")} !== null`, "the home");
        const { body } = await rest(demo.url, "GET", "/api/states");
        const drawn = await browser.value(
            `Object.fromEntries([...document.querySelectorAll("[data-entity]")].map((e) => [e.dataset.entity, e.dataset.state]))`,
        );
        const left = body.filter(
            ({ entity_id }) => !/^(zone|device_tracker|tts|notify)\./.test(entity_id) && !(entity_id in drawn),
        );

        assert.deepEqual(left.map(({ entity_id }) => entity_id), []);
        for (const { entity_id, state: is } of body)
            if (entity_id in drawn && !/^(sensor|sun|weather)\./.test(entity_id)) assert.equal(drawn[entity_id], is, entity_id);
        assert.equal(await browser.value(`document.querySelectorAll("[data-area]").length`), 8);
        assert.equal(await browser.value(`document.querySelectorAll(".floor").length`), 3);
        assert.equal(await browser.value(`${at("light.bathroom_mirror")}.classList.contains("is-gone")`), true);
        await picture("before");
    });

    test("shows what a tool does, without being reloaded", async () => {
        assert.equal(await browser.value(state("light.living_room_lamp")), "off");
        assert.equal(await browser.value(state("cover.living_room_blinds")), "open");
        const lit = await call(home.url, "control_light", {
            entity_id: "light.living_room_lamp",
            action: "turn_on",
            rgb_color: [160, 60, 255],
            brightness: 230,
        });

        assert.ok(!lit.isError, JSON.stringify(lit.content));
        await browser.waitFor(`${state("light.living_room_lamp")} === "on"`, "the lamp");
        assert.equal(await browser.value(`${at("light.living_room_lamp")}.dataset.brightness`), "230");
        assert.equal(await browser.value(`${at("light.living_room_lamp")}.querySelector(".bulb").getAttribute("fill")`), "rgb(160,60,255)");
        assert.equal(await browser.value(`${at("light.living_room_lamp")}.getAttribute("aria-checked")`), "true");
        assert.equal(await browser.value(`${at("light.living_room_lamp")}.getAttribute("aria-label")`), "Living room lamp: on, 90 %");
        for (const [name, args, id, expected] of [
            ["control_light", { entity_id: "light.hallway", action: "turn_on", brightness: 255 }, "light.hallway", "on"],
            ["set_switch", { entity_id: "switch.coffee_machine", action: "turn_on" }, "switch.coffee_machine", "on"],
            ["set_climate", { entity_id: "climate.office", mode: "heat", target_temp: 21 }, "climate.office", "heat"],
        ]) {
            const { isError, content } = await call(home.url, name, args);

            assert.ok(!isError, JSON.stringify(content));
            await browser.waitFor(`${state(id)} === ${JSON.stringify(expected)}`, id);
        }
        await browser.waitFor(`document.querySelector("#events").textContent.includes("Living room lamp: on, 90 %")`, "the news");
        await picture("after");
    });

    test("is operated by the keyboard", async () => {
        const was = await browser.value(state("light.bedroom"));

        await browser.value(`${at("light.bedroom")}.focus()`);
        await browser.press("Enter");
        await browser.waitFor(`${state("light.bedroom")} !== ${JSON.stringify(was)}`, "the bedroom");
        /* Everything that can be reached says what it is. */
        assert.deepEqual(
            await browser.value(
                `[...document.querySelectorAll("svg [tabindex]")].filter((e) => !e.getAttribute("aria-label") || !e.getAttribute("role")).map((e) => e.dataset.entity)`,
            ),
            [],
        );
    });

    test("connects again when the home was restarted", async () => {
        const address = new URL(demo.url).host;

        assert.equal(await demo.stop(), 0, demo.log());
        await browser.waitFor(`document.querySelector("#status").dataset.state === "lost"`, "the loss");
        demo = await startDemo({ address });
        await browser.waitFor(`${connected} && ${state("light.hallway")} === "off"`, "the new home");
    });

    test("needs nothing that its policy forbids", async () => {
        assert.deepEqual(browser.faults.filter((text) => !/ERR_CONNECTION_REFUSED|WebSocket connection/.test(text)), []);
    });
});
