/* home-table.mjs URL TOKEN_FILE - every tool of haft home against a Home Assistant, the demo home or a real one.
 *
 * It creates what it needs (an area, a scene, an automation, an item of a to-do list) and removes it, and puts
 * back the states of the devices that it has used.  It prints a line for each row: ok, not ok, or skipped with the
 * reason.  A tool without a row is an error.  `./dev home-e2e` runs it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { call, post, rest, Session, startHome } from "./home.mjs";

class Skip extends Error {}

const NAME = "haft-e2e";
const hasColour = ({ attributes }) =>
    attributes.supported_color_modes?.some((mode) => ["hs", "rgb", "rgbw", "rgbww", "xy"].includes(mode));
const isDimmable = ({ attributes }) => attributes.supported_color_modes?.some((mode) => mode !== "onoff");
const supports = (feature) => ({ attributes }) => attributes.supported_features & feature;

class Table {
    constructor(base, token, home, session) {
        Object.assign(this, { base, token, home, session, undo: [] });
    }

    /* The structured result of a tool, which must succeed. */
    async tool(name, args = {}) {
        const { structuredContent, isError, content } = await call(this.home.url, name, args);

        assert.ok(!isError, `${name}: ${content?.[0]?.text}`);
        return structuredContent;
    }

    /* The text of a tool's error. */
    async refusal(name, args = {}) {
        const { isError, content } = await call(this.home.url, name, args);

        assert.equal(isError, true, `${name} ${JSON.stringify(args)} was not refused`);
        return content[0].text;
    }

    async command(type, fields) {
        const { success, result, error } = await this.session.ask(type, fields);

        assert.ok(success, `${type}: ${JSON.stringify(error)}`);
        return result;
    }

    rest(method, path, body, token = this.token) {
        return rest(this.base, method, path, body, token);
    }

    /* An entity of a domain that can be used, or none. */
    async entity(domain, test = () => true, what = "") {
        const { body } = await this.rest("GET", "/api/states");
        const found = body.find(
            (state) =>
                state.entity_id.startsWith(`${domain}.`) &&
                !["unavailable", "unknown"].includes(state.state) &&
                !state.attributes.entity_id &&
                test(state),
        );

        if (!found) throw new Skip(`there is no ${domain} that can be used${what && ` ${what}`}`);
        return found;
    }

    async state(id) {
        return (await this.rest("GET", `/api/states/${id}`)).body;
    }

    async service(domain, service, data) {
        await this.command("call_service", { domain, service, service_data: data });
    }

    /* Has something done when the row is over. */
    later(what) {
        this.undo.unshift(what);
    }

    /* Puts a light back as it was. */
    async light(test = isDimmable, what = "with brightness") {
        const light = await this.entity("light", test, what);
        const { entity_id, state, attributes } = light;

        this.later(() =>
            state === "on"
                ? this.service("light", "turn_on", {
                      entity_id,
                      ...(attributes.brightness ? { brightness: attributes.brightness } : {}),
                      ...(attributes.color_mode === "color_temp" ? { color_temp_kelvin: attributes.color_temp_kelvin } : {}),
                      ...(["hs", "rgb", "rgbw", "xy"].includes(attributes.color_mode) ? { rgb_color: attributes.rgb_color } : {}),
                  })
                : this.service("light", "turn_off", { entity_id }),
        );
        return light;
    }

    async until(probe, what) {
        for (const end = Date.now() + 20000; !(await probe()); )
            assert.ok(Date.now() < end, `waited in vain for ${what}`);
    }
}

const never = (why) => () => {
    throw new Skip(why);
};

/* The tool, what is tried, and how. */
const rows = [
    ["list_devices", "lists what Home Assistant has", async (t) => {
        const { total } = await t.tool("list_devices");

        assert.equal(total, (await t.rest("GET", "/api/states")).body.length);
    }],
    ["list_devices", "finds a light by the area that it was put into", async (t) => {
        const { entity_id } = await t.entity("light");
        const registry = await t.command("config/entity_registry/list");
        const entry = registry.find((one) => one.entity_id === entity_id);

        if (!entry) throw new Skip(`${entity_id} is not in the registry`);
        const area = await t.command("config/area_registry/create", { name: NAME });

        t.later(() => t.command("config/area_registry/delete", { area_id: area.area_id }));
        await t.command("config/entity_registry/update", { entity_id, area_id: area.area_id });
        t.later(() => t.command("config/entity_registry/update", { entity_id, area_id: entry.area_id }));
        await t.until(async () => {
            const { isError, structuredContent } = await call(t.home.url, "list_devices", { area: NAME });

            return !isError && structuredContent.devices.some((one) => one.entity_id === entity_id);
        }, "the light in its area");
    }],
    ["control_light", "sets brightness, and Home Assistant has it", async (t) => {
        const { entity_id } = await t.light();
        const after = await t.tool("control_light", { entity_id, action: "turn_on", brightness: 100 });

        assert.equal(after.state, "on");
        assert.equal((await t.state(entity_id)).attributes.brightness, 100);
        assert.equal((await t.tool("control_light", { entity_id, action: "turn_off" })).state, "off");
    }],
    ["control_light", "sets a color", async (t) => {
        const { entity_id } = await t.light(hasColour, "with colors");
        const { attributes } = await t.tool("control_light", { entity_id, action: "turn_on", rgb_color: [255, 0, 0] });

        assert.ok(attributes.rgb_color[0] > 200 && attributes.rgb_color[1] < 60, `${attributes.rgb_color}`);
    }],
    ["control_light", "refuses an entity that is not there, and one of another domain", async (t) => {
        assert.match(await t.refusal("control_light", { entity_id: "light.haft_e2e_nope", action: "turn_on" }), /^Entity not found: light\.haft_e2e_nope/);
        const { entity_id } = await t.entity("sensor");

        assert.match(await t.refusal("control_light", { entity_id, action: "turn_on" }), new RegExp(entity_id.replace(".", "\\.")));
    }],
    ["control", "turns a light on and off", async (t) => {
        const { entity_id } = await t.light();

        assert.equal((await t.tool("control", { entity_id, action: "turn_on" })).state, "on");
        assert.equal((await t.tool("control", { entity_id, action: "turn_off" })).state, "off");
    }],
    ["light_scenario", "sets a mood", async (t) => {
        const { entity_id } = await t.light();
        const { changed } = await t.tool("light_scenario", { name: "chill", lights: [entity_id] });

        assert.deepEqual(changed.map((one) => one.entity_id), [entity_id]);
        assert.equal((await t.state(entity_id)).state, "on");
    }],
    ["light_showcase", "shows a pattern", async (t) => {
        const { entity_id } = await t.light();

        assert.ok((await t.tool("light_showcase", { lights: [entity_id], duration: 1, pattern: "pulse" })).steps > 0);
    }],
    ["animation_control", "starts and stops an animation", async (t) => {
        const { entity_id } = await t.light();
        const { animations } = await t.tool("animation_control", { action: "start", lights: [entity_id], pattern: "pulse" });

        assert.equal(animations.length, 1);
        await t.tool("animation_control", { action: "stop", id: animations[0].id });
        assert.deepEqual((await t.tool("animation_control", { action: "list" })).animations, []);
    }],
    ["profile_devices", "measures a light, and puts it back", async (t) => {
        const { entity_id } = await t.light();

        assert.ok((await t.tool("profile_devices", { entity_id, iterations: 1 })).latency_ms);
    }],
    ["set_switch", "switches, and switches back", async (t) => {
        const { entity_id, state } = await t.entity("switch", ({ entity_id: id }) => id !== "switch.faulty");

        t.later(() => t.service("switch", `turn_${state}`, { entity_id }));
        const other = state === "on" ? "off" : "on";

        assert.equal((await t.tool("set_switch", { entity_id, action: `turn_${other}` })).state, other);
    }],
    ["set_climate", "sets a temperature", async (t) => {
        const { entity_id, attributes } = await t.entity("climate", (one) => typeof one.attributes.temperature === "number", "with one temperature");
        const goal = attributes.temperature === attributes.max_temp ? attributes.temperature - 1 : attributes.temperature + 1;

        t.later(() => t.service("climate", "set_temperature", { entity_id, temperature: attributes.temperature }));
        assert.equal((await t.tool("set_climate", { entity_id, target_temp: goal })).attributes.temperature, goal);
    }],
    ["control_cover", "moves a cover", async (t) => {
        const { entity_id, attributes } = await t.entity("cover", supports(4), "with a position");
        const was = attributes.current_position;

        t.later(() => t.service("cover", "set_cover_position", { entity_id, position: was }));
        await t.tool("control_cover", { entity_id, action: "set", position: was > 50 ? was - 20 : was + 20 });
        await t.until(async () => (await t.state(entity_id)).attributes.current_position !== was, "the cover to move");
        await t.tool("control_cover", { entity_id, action: "stop" });
    }],
    ["set_fan_speed", "sets a speed", async (t) => {
        const { entity_id, state, attributes } = await t.entity("fan", supports(1), "with speeds");

        t.later(() => state === "on"
            ? t.service("fan", "set_percentage", { entity_id, percentage: attributes.percentage })
            : t.service("fan", "turn_off", { entity_id }));
        assert.equal((await t.tool("set_fan_speed", { entity_id, percentage: 100 })).attributes.percentage, 100);
    }],
    ["lock_control", "locks and unlocks", async (t) => {
        const { entity_id, state } = await t.entity("lock", ({ state: is, attributes }) => ["locked", "unlocked"].includes(is) && !attributes.code_format, "without a code");
        const [first, second] = state === "locked" ? ["unlock", "lock"] : ["lock", "unlock"];

        t.later(() => t.service("lock", second, { entity_id }));
        await t.tool("lock_control", { entity_id, action: first });
        await t.until(async () => (await t.state(entity_id)).state === `${first}ed`, "the lock");
    }],
    ["vacuum_command", "starts and returns", async (t) => {
        const { entity_id } = await t.entity("vacuum", supports(8192), "that starts");

        t.later(() => t.service("vacuum", "return_to_base", { entity_id }));
        await t.tool("vacuum_command", { entity_id, command: "start" });
        await t.until(async () => (await t.state(entity_id)).state === "cleaning", "the vacuum");
    }],
    ["set_alarm_mode", "refuses a wrong code in Home Assistant's words", async (t) => {
        const { entity_id } = await t.entity("alarm_control_panel", ({ state, attributes }) => state === "disarmed" && attributes.code_format && attributes.code_arm_required, "with a code");

        assert.match(await t.refusal("set_alarm_mode", { entity_id, mode: "armed_home", code: "0000000" }), /code/i);
        assert.equal((await t.state(entity_id)).state, "disarmed");
    }],
    ["media_player_command", "sets the volume", async (t) => {
        const { entity_id, attributes } = await t.entity("media_player", (one) => one.attributes.volume_level > 0.1, "with a volume");

        t.later(() => t.service("media_player", "volume_set", { entity_id, volume_level: attributes.volume_level }));
        const after = await t.tool("media_player_command", { entity_id, command: "volume", volume_level: 0.1 });

        assert.equal(after.attributes.volume_level, 0.1);
    }],
    ["activate_scene", "activates a scene", async (t) => {
        const { entity_id } = await t.light();
        const { status, body } = await t.rest("POST", `/api/config/scene/config/${NAME}`, {
            name: NAME,
            entities: { [entity_id]: { state: "on", brightness: 50 } },
        });

        assert.equal(status, 200, JSON.stringify(body));
        t.later(() => t.rest("DELETE", `/api/config/scene/config/${NAME}`));
        await t.service("light", "turn_off", { entity_id });
        const scene = await t.entity("scene", ({ attributes }) => attributes.id === NAME).catch(() => ({ entity_id: "scene.haft_e2e" }));

        await t.until(async () => !(await call(t.home.url, "activate_scene", { entity_id: scene.entity_id })).isError, "the scene");
        await t.until(async () => (await t.state(entity_id)).state === "on", "the light");
    }],
    ["automation_config", "creates, reads, changes and deletes an automation; control_automation and trigger_automation use it", async (t) => {
        const { entity_id } = await t.light();
        const config = {
            alias: NAME,
            triggers: [{ trigger: "event", event_type: "haft_e2e_never" }],
            conditions: [],
            actions: [{ action: "light.turn_on", target: { entity_id } }],
            mode: "single",
        };

        t.later(() => t.rest("DELETE", `/api/config/automation/config/${NAME}`));
        const made = await t.tool("automation_config", { action: "create", automation_id: NAME, config });

        assert.equal((await t.tool("automation_config", { action: "get", automation_id: NAME })).config.alias, NAME);
        let automation;

        await t.until(async () => {
            automation = (await t.rest("GET", "/api/states")).body.find(({ attributes }) => attributes.id === NAME);
            return automation;
        }, "the automation");
        await t.until(async () => !(await call(t.home.url, "entity_state", { entity_id: automation.entity_id })).isError, "the automation, in haft");
        assert.equal((await t.tool("control_automation", { entity_id: automation.entity_id, action: "turn_off" })).state, "off");
        assert.equal((await t.tool("control_automation", { entity_id: automation.entity_id, action: "turn_on" })).state, "on");
        await t.service("light", "turn_off", { entity_id });
        await t.tool("trigger_automation", { entity_id: automation.entity_id });
        await t.until(async () => (await t.state(entity_id)).state === "on", "the light");
        assert.ok(Array.isArray((await t.tool("trace_entity", { entity_id: automation.entity_id })).traces));
        const changed = { ...config, description: "changed" };

        assert.match(await t.refusal("automation_config", { action: "update", automation_id: NAME, config: changed, expected_hash: "0".repeat(made.hash.length) }), /hash|changed/i);
        const { hash } = await t.tool("automation_config", { action: "update", automation_id: NAME, config: changed, expected_hash: made.hash });

        assert.notEqual(hash, made.hash);
        await t.tool("automation_config", { action: "delete", automation_id: NAME, expected_hash: hash });
        assert.equal((await t.rest("GET", `/api/config/automation/config/${NAME}`)).status, 404);
    }],
    ["trigger_automation", "refuses one that is not there", async (t) => {
        assert.match(await t.refusal("trigger_automation", { entity_id: "automation.haft_e2e_nope" }), /^Entity not found/);
    }],
    ["control_automation", "refuses one that is not there", async (t) => {
        assert.match(await t.refusal("control_automation", { entity_id: "automation.haft_e2e_nope", action: "turn_on" }), /^Entity not found/);
    }],
    ["todo", "adds an item, and marks it as done", async (t) => {
        const { entity_id } = await t.entity("todo", supports(1), "that takes items");

        t.later(() => t.service("todo", "remove_item", { entity_id, item: [NAME] }));
        await t.tool("todo", { action: "add", item: NAME, list: entity_id });
        const { items } = await t.tool("todo", { action: "done", item: NAME, list: entity_id });

        assert.equal(items.find(({ summary }) => summary === NAME)?.done, true);
    }],
    ["trace_entity", "tells what changed", async (t) => {
        const { entity_id } = await t.light();

        await t.tool("control_light", { entity_id, action: "toggle" });
        assert.ok(Array.isArray((await t.tool("trace_entity", { entity_id })).changes));
    }],
    ["history", "reads an hour", async (t) => {
        const { entity_id } = await t.entity("sensor");
        const { series } = await t.tool("history", { entity_id, start_time: new Date(Date.now() - 3600000).toISOString() });

        assert.equal(series[0].entity_id, entity_id);
    }],
    ["search_entities", "finds an entity by its id", async (t) => {
        const { entity_id } = await t.entity("light");
        const { results } = await t.tool("search_entities", { query: entity_id });

        assert.ok(results.some((one) => one.entity_id === entity_id));
    }],
    ["entity_state", "reads several", async (t) => {
        const { entity_id, state } = await t.entity("light");
        const { entities, not_found } = await t.tool("entity_state", { entity_id: [entity_id, "light.haft_e2e_nope"] });

        assert.equal(entities[0].state, state);
        assert.deepEqual(not_found, ["light.haft_e2e_nope"]);
    }],
    ["error_log", "reads the log, or says why not", async (t) => {
        const { isError, structuredContent, content } = await call(t.home.url, "error_log", { limit: 5 });

        if (isError) throw new Skip(content[0].text);
        assert.ok(Array.isArray(structuredContent.entries));
    }],
    ["maintenance_report", "reports", async (t) => assert.ok((await t.tool("maintenance_report")).lights_by_area)],
    ["smart_scenarios", "looks without changing anything", async (t) => assert.ok(Array.isArray((await t.tool("smart_scenarios")).found))],
    ["dashboard", "summarizes", async (t) => assert.ok((await t.tool("dashboard")).summary)],
    ["template", "renders a state", async (t) => {
        const { entity_id, state } = await t.entity("light");

        assert.equal((await t.tool("template", { template: `{{state "${entity_id}"}}` })).result, state);
    }],
    ["render_template", "has Home Assistant render", async (t) => {
        assert.equal(String((await t.tool("render_template", { template: "{{ 1 + 1 }}" })).result).trim(), "2");
    }],
    ["subscribe_events", "counts the events of a moment", async (t) => {
        assert.equal(typeof (await t.tool("subscribe_events", { event_type: "state_changed", seconds: 0.5 })).events, "number");
    }],
    ["voice_command_parser", "understands a sentence", async (t) => assert.ok((await t.tool("voice_command_parser", { command: "turn off the kitchen light" })).intent)],
    ["voice_command_executor", "refuses what has no target here", async (t) => {
        const intent = await t.tool("voice_command_parser", { command: "turn on the haft e2e nothing" });

        await t.refusal("voice_command_executor", { intent });
    }],
    ["addon", "lists add-ons, or says that there is no Supervisor", async (t) => {
        const { isError, content } = await call(t.home.url, "addon", { action: "list" });

        if (isError) assert.match(content[0].text, /Supervisor/);
    }],
    ["package", "lists packages, or says that HACS is not there", async (t) => {
        const { isError, content } = await call(t.home.url, "package", { action: "list", category: "integration" });

        if (isError) assert.match(content[0].text, /HACS/);
    }],
    ["example", "answers", async (t) => assert.match((await t.tool("example", { message: "hello" })).message, /hello/)],
    ["sse_stats", "counts", async (t) => assert.ok((await t.tool("sse_stats")).sessions >= 0)],
    ["send_notification", "sends", never("it would reach somebody's phone; tests/home has it")],
    ["text_to_speech", "speaks", never("it would be heard; tests/home has it")],
    ["voice_command_ai_parser", "asks the client's model", never("it needs a client with a model; tests/home has it")],
    ["analyze_audio", "reads a file", never("it does not use Home Assistant; tests/home has it")],
    [null, "no token", async (t) => assert.deepEqual([(await t.rest("GET", "/api/", undefined, null)).status], [401])],
    [null, "cover/open is no service", async (t) => assert.equal((await t.rest("POST", "/api/services/cover/open", {})).status, 400)],
    [null, "color_temp was removed", async (t) => {
        const { entity_id } = await t.entity("light");

        assert.equal((await t.rest("POST", "/api/services/light/turn_on", { entity_id, color_temp: 300 })).status, 400);
    }],
    [null, "an unknown entity is no error", async (t) => {
        const { status, body } = await t.rest("POST", "/api/services/light/turn_on", { entity_id: "light.haft_e2e_nope" });

        assert.deepEqual([status, body], [200, []]);
    }],
    [null, "get_state is no command", async (t) => {
        assert.equal((await t.session.ask("get_state", { entity_id: "light.x" })).error.code, "unknown_command");
    }],
    [null, "trace/contexts wants both or neither", async (t) => {
        assert.equal((await t.session.ask("trace/contexts", { domain: "automation" })).error.code, "invalid_format");
    }],
    [null, "an automation that is not there", async (t) => {
        assert.equal((await t.rest("GET", "/api/config/automation/config/haft-e2e-none")).status, 404);
        assert.equal((await t.rest("DELETE", "/api/config/automation/config/haft-e2e-none")).status, 400);
    }],
];

async function runRow(table, run) {
    let outcome = ["ok"];

    try {
        await run(table);
    } catch (error) {
        outcome = error instanceof Skip ? ["skipped", error.message] : ["not ok", error.message];
    }
    for (const undo of table.undo.splice(0))
        try {
            await undo();
        } catch (error) {
            outcome = ["not ok", `could not put back what the row has changed: ${error.message}`];
        }
    return outcome;
}

/* Runs the table.  Returns how many rows there are of each outcome, and those that are not ok. */
export async function runTable(base, tokenFile, print = console.log) {
    const token = readFileSync(tokenFile, "utf8").trim();
    const home = await startHome(["--hass", base, "--render-template"], {
        HASS_TOKEN_FILE: tokenFile,
        ENABLE_SPEECH_FEATURES: "true",
    });
    const counts = { ok: 0, "not ok": 0, skipped: 0 };
    const failed = [];
    let session;

    try {
        session = await Session.open(base, token);
        assert.equal(session.second.type, "auth_ok", session.second.message);
        const table = new Table(base, token, home, session);
        const { result } = await post(home.url, "tools/list");
        const without = result.tools.map(({ name }) => name).filter((name) => !rows.some(([tool]) => tool === name));

        assert.deepEqual(without, [], "every tool has a row");
        for (const [tool, what, run] of rows) {
            const [outcome, why] = await runRow(table, run);
            const line = `${outcome}: ${tool ?? "Home Assistant"}: ${what}${why ? ` (${why})` : ""}`;

            counts[outcome]++;
            if (outcome === "not ok") failed.push(line);
            print(line);
        }
    } finally {
        await session?.close();
        await home.stop();
    }
    print(`${counts.ok} ok, ${counts["not ok"]} not ok, ${counts.skipped} skipped`);
    return { ...counts, failed };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
    const [base, file] = process.argv.slice(2);

    if (!base || !file) {
        console.error("usage: ./dev home-e2e URL TOKEN_FILE");
        process.exit(2);
    }
    const { failed } = await runTable(base.replace(/\/+$/, ""), file);

    process.exit(failed.length ? 1 : 0);
}
