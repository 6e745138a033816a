/* home-plugin.test.mjs - the home as a plugin of haft serve. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { call, haft, plain, post, startDemo } from "./home.mjs";
import { Server } from "./http-server.mjs";
import { clients, example, until } from "./server.mjs";

const plugin = join(example("."), "..", "lib", "haft", "demo", "home.so");
const serve = (env, ...args) =>
    new Server(haft, ["serve", "--http", "127.0.0.1:0", ...args, plugin], { env: { ...plain, ...env } });

test("lists and calls the tools of the demo home", async () => {
    const server = await serve({}).ready();
    const { result } = await post(server.url, "tools/list");

    assert.equal(result.tools.length, 40);
    const lit = await call(server.url, "control_light", { entity_id: "light.hallway", action: "turn_on", brightness: 9 });

    assert.ok(!lit.isError, JSON.stringify(lit.content));
    assert.equal(lit.structuredContent.attributes.brightness, 9);
    assert.equal((await call(server.url, "list_devices")).isError ?? false, false);
    assert.equal(await server.stop(), 0, server.log());
});

test("a real client calls a tool over standard input and output", async () => {
    const [kind] = clients;
    const client = new kind.Client({ name: "haft-e2e", version: "1.0.0" }, kind.options);

    await client.connect(new kind.Stdio({ command: haft, args: ["serve", "--stdio", plugin], stderr: "ignore" }));
    const { structuredContent } = await client.callTool({
        name: "set_switch",
        arguments: { entity_id: "switch.tv_socket", action: "turn_off" },
    });

    assert.equal(structuredContent.state, "off");
    await client.close();
});

test("uses another Home Assistant by its variables, and hides entities", async () => {
    const demo = await startDemo();
    const server = await serve({ HASS_HOST: demo.url, HASS_TOKEN: "demo", HASS_ENTITIES: "light.*" }).ready();
    const { structuredContent } = await call(server.url, "list_devices");

    assert.ok(structuredContent.devices.length);
    assert.ok(structuredContent.devices.every(({ domain }) => domain === "light"));
    assert.equal((await post(server.url, "tools/list")).result.tools.length, 36);
    assert.equal(await server.stop(), 0, server.log());
    assert.equal(await demo.stop(), 0, demo.log());
});

test("offers the resources and prompts of the home", async () => {
    const server = await serve({}).ready();
    const list = async (method) => (await post(server.url, method)).result;

    assert.deepEqual(
        (await list("resources/list")).resources.map(({ uri }) => uri),
        ["ha://areas", "ha://summary"],
    );
    assert.deepEqual(
        (await list("resources/templates/list")).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ["ha://states/{id}", "ha://camera/{id}"],
    );
    assert.deepEqual((await list("prompts/list")).prompts.map(({ name }) => name), ["whats_on", "good_night"]);
    const { result } = await post(server.url, "resources/read", { uri: "ha://states/light.hallway" });

    assert.equal(JSON.parse(result.contents[0].text).entity_id, "light.hallway");
    const prompt = await post(server.url, "prompts/get", { name: "whats_on", arguments: { area: "Kitchen" } });

    assert.match(prompt.result.messages[0].content.text, /what is on in Kitchen/);
    const suggested = await post(server.url, "completion/complete", {
        ref: { type: "ref/resource", uri: "ha://states/{id}" },
        argument: { name: "id", value: "lock." },
    });

    assert.ok(suggested.result.completion.values.includes("lock.front_door"), JSON.stringify(suggested));
    assert.equal(await server.stop(), 0, server.log());
});

test("is refused with two tokens", async () => {
    const server = serve({ HASS_HOST: "http://127.0.0.1:1", HASS_TOKEN: "x", HASS_TOKEN_FILE: "/nonexistent" });

    assert.notEqual(await server.ended, 0);
    assert.match(server.log(), /HASS_TOKEN and HASS_TOKEN_FILE exclude each other; set one of them/);
});

test("is refused with an empty list of entities", async () => {
    const server = serve({ HASS_ENTITIES: "" });

    assert.notEqual(await server.ended, 0);
    assert.match(server.log(), /HASS_ENTITIES: it is empty; write a list/);
});

test("is refused without a token", async () => {
    const server = serve({ HASS_HOST: "http://127.0.0.1:1" });

    assert.notEqual(await server.ended, 0);
    assert.match(server.log(), /--hass needs a token: set HASS_TOKEN or HASS_TOKEN_FILE/);
});

test("stays while the configuration is read again", async () => {
    const server = await serve({}).ready();

    await call(server.url, "control_light", { entity_id: "light.hallway", action: "turn_on" });
    server.process.kill("SIGHUP");
    await until(() => server.log().split("\n").length > 1, "the log");
    const { structuredContent } = await call(server.url, "entity_state", { entity_id: ["light.hallway"] });

    assert.equal(structuredContent.entities[0].state, "on");
    assert.equal(await server.stop(), 0, server.log());
});
