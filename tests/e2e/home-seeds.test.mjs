/* home-seeds.test.mjs - what the documents say of the home's tools, by real clients of haft home. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { call, haft, plain, post, rest, startDemo, startHome, withDemo } from "./home.mjs";
import { assertConforms, clients, listenedTo, until } from "./server.mjs";

const run = promisify(execFile);
const environment = (env) => ({ ...process.env, ...plain, ...env });

/* The names that a client is told over standard input and output. */
async function names(env, ...args) {
    const { stdout } = await run(haft, ["tools", "--names", "--", haft, "home", "--stdio", ...args], {
        env: environment(env),
    });

    return stdout.trim().split("\n").sort();
}

async function withHome(use, args, env) {
    const home = await startHome(args, env);

    try {
        await use(home);
    } finally {
        assert.equal(await home.stop(), 0, home.log());
    }
}

describe("the list of tools", () => {
    test("has forty, and two fewer when two are disabled", async () => {
        const all = await names({});
        const fewer = await names({
            TOOL_TEXT_TO_SPEECH_DISABLED: "true",
            TOOL_VOICE_COMMAND_PARSER_DISABLED: "true",
        });

        assert.equal(all.length, 40);
        assert.equal(fewer.length, 38);
        assert.deepEqual(
            all.filter((name) => !fewer.includes(name)),
            ["text_to_speech", "voice_command_parser"],
        );
    });

    test("has no speech tools unless they are enabled", async () => {
        const speech = ["text_to_speech", "voice_command_ai_parser", "voice_command_executor", "voice_command_parser"];
        const without = await names({ ENABLE_SPEECH_FEATURES: "false" });

        assert.deepEqual(without.filter((name) => speech.includes(name)), []);
        assert.equal(without.length, 36);
        /* A Home Assistant of one's own: they are an option. */
        const real = { HASS_HOST: "http://127.0.0.1:1", HASS_TOKEN: "x" };

        assert.equal((await names(real)).length, 36);
        assert.equal((await names({ ...real, ENABLE_SPEECH_FEATURES: "true" })).length, 40);
    });

    test("has render_template when it is asked for", async () => {
        const all = await names({}, "--render-template");

        assert.equal(all.length, 41);
        assert.ok(all.includes("render_template"));
        await assert.rejects(names({}, "--render-template", "--entities", "light.*"));
    });

    test("has only tools that read with --read-only", () =>
        withHome(async ({ url }) => {
            const { result } = await post(url, "tools/list");
            const writing = result.tools.filter(({ annotations }) => !annotations.readOnlyHint);

            assert.deepEqual(writing, []);
            assert.ok(result.tools.some(({ name }) => name === "list_devices"));
            const { error } = await post(url, "tools/call", {
                name: "control_light",
                arguments: { entity_id: "light.hallway", action: "turn_on" },
            });

            assert.ok(error);
        }, ["--read-only"]));

    test("shows the hints of the documents by a plain POST", () =>
        withHome(async ({ url }) => {
            const { result } = await post(url, "tools/list");
            const hints = Object.fromEntries(result.tools.map(({ name, annotations }) => [name, annotations]));

            assert.equal(hints.list_devices.readOnlyHint, true);
            assert.equal(hints.list_devices.openWorldHint, true);
            assert.equal(hints.control_light.readOnlyHint, false);
            assert.equal(hints.control_light.destructiveHint, true);
            assert.equal(hints.control_light.openWorldHint, true);
            assert.equal(hints.template.readOnlyHint, true);
            assert.equal(hints.template.openWorldHint, false);
            for (const tool of result.tools) {
                assert.equal(typeof tool.description, "string", tool.name);
                assert.equal(tool.inputSchema.type, "object", tool.name);
                assert.ok(tool.annotations, tool.name);
            }
            assert.ok(JSON.stringify(result.tools).length < 40 * 1024, `${JSON.stringify(result.tools).length} bytes`);
        }));
});

test("the sixth profile_devices in a minute is refused", () =>
    withHome(async ({ url }) => {
        const profile = () =>
            post(url, "tools/call", {
                name: "profile_devices",
                arguments: { entity_id: "light.hallway", iterations: 1 },
            });

        for (let i = 1; i <= 5; i++) {
            const { result, error } = await profile();

            assert.ok(result && !result.isError, `${i}: ${JSON.stringify(error ?? result.content)}`);
        }
        const { result, error } = await profile();

        assert.match(error?.message ?? result.content[0].text, /rate limit|too many|limit of 5/i);
    }));

test("--entities hides everything else", () =>
    withHome(async ({ url }) => {
        const { structuredContent } = await call(url, "list_devices");

        assert.ok(structuredContent.devices.length);
        assert.deepEqual(
            structuredContent.devices.filter(
                ({ entity_id }) => !entity_id.startsWith("light.") || entity_id === "light.hallway",
            ),
            [],
        );
        for (const entity_id of ["light.hallway", "lock.front_door", "light.nope"]) {
            const hidden = await call(url, "entity_state", { entity_id });

            assert.equal(hidden.isError, true);
            assert.match(hidden.content[0].text, new RegExp(`^Entity not found: ${entity_id}`));
        }
        const lock = await call(url, "lock_control", { entity_id: "lock.front_door", action: "unlock" });

        assert.equal(lock.isError, true);
        assert.doesNotMatch(JSON.stringify(await call(url, "search_entities", { query: "door" })), /lock\.front_door/);
    }, ["--entities", "light.*,-light.hallway"]));

const refuses = (args, env, status, text) =>
    assert.rejects(run(haft, ["home", ...args], { env: environment(env) }), (error) => {
        assert.equal(error.code, status, args.join(" "));
        assert.match(error.stderr, text);
        assert.equal(error.stderr.trim().split("\n").length, 1, error.stderr);
        return true;
    });

test("an error is said once and clearly", async () => {
    const rows = [
        [["--hass", "http://127.0.0.1:1"], {}, /--hass needs a token: set HASS_TOKEN or HASS_TOKEN_FILE/],
        [["--hass", "ftp://host"], { HASS_TOKEN: "x" }, /--hass: the URL of Home Assistant must begin with http/],
        [["--demo", "--hass", "http://127.0.0.1:1"], { HASS_TOKEN: "x" }, /--demo cannot be combined with --hass/],
        [["--listen", "127.0.0.1:0"], {}, /--listen needs --demo/],
        [["--hass-ca", "x.pem"], {}, /--hass-ca needs --hass/],
        [["--hass", "https://127.0.0.1:1", "--hass-ca", "/nonexistent.pem"], { HASS_TOKEN: "x" }, /--hass-ca: cannot read \/nonexistent.pem: No such file/],
        [["--hass", "foo"], {}, /--hass: the URL of Home Assistant must begin with http/],
        [["--hass", "http://127.0.0.1:99999"], { HASS_TOKEN: "x" }, /--hass: the URL of Home Assistant has an invalid port/],
        [["--audio-dir", "/nonexistent"], {}, /--audio-dir: cannot open \/nonexistent: No such file or directory/],
        [["--audio-dir", "/etc/passwd"], {}, /--audio-dir: cannot open \/etc\/passwd: Not a directory/],
        [["--entities", ""], {}, /--entities/],
        [["--entities", "light.*,-lock"], {}, /--entities: the pattern "lock" matches no entity id/],
        [[], { HASS_ENTITIES: "" }, /HASS_ENTITIES: it is empty; write a list/],
        [[], { HASS_ENTITIES: "-LIGHT.X" }, /the pattern "LIGHT.X" matches no entity id/],
        [["--hass-timeout", "soon"], {}, /--hass-timeout/],
        [["--demo", "--listen", "127.0.0.1:0", "--stdio"], {}, /--stdio: cannot be combined with --listen/],
        [["--demo", "--listen", "127.0.0.1:0", "--http", "0"], {}, /--http: cannot be combined with --listen/],
    ];

    for (const [args, env, text] of rows) await refuses(args, env, 2, text);
});

/* A file or address that cannot be used: as --help says. */
test("what cannot be served ends with status 6", () =>
    withDemo(async (demo) => {
        const { host } = new URL(demo.url);

        for (const [args, text] of [
            [["--http", host], /address already in use/],
            [["--demo", "--listen", host], /address already in use/],
            [["--http", "0.0.0.0:0"], /refusing to listen on 0\.0\.0\.0: endpoint \/mcp has no authentication; serve it through a gateway/],
            [["--demo", "--listen", "0.0.0.0:0"], /--listen: refusing to listen on 0\.0\.0\.0:0 with the token demo, .* set HASS_TOKEN/],
            [["--audit", "/nonexistent/x"], /\/nonexistent\/x: No such file or directory/],
        ])
            await refuses(args, {}, 6, text);
    }));

test("the demo home says where its page is", async () => {
    for (const [token, rest] of [["", "#token=demo"], ["s3cret", ""]]) {
        const demo = await startDemo({ env: { HASS_TOKEN: token } });

        assert.equal(demo.log().trim(), `haft home: listening on ${demo.url}/${rest}`);
        assert.equal(await demo.stop(), 0, demo.log());
    }
});

describe("real clients", () => {
    for (const kind of clients)
        test(`${kind.name} switches a lamp`, async () => {
            const { directory, command, args } = listenedTo(haft, "home");
            const transport = new kind.Stdio({ command, args, stderr: "ignore" });
            const client = new kind.Client({ name: "haft-e2e", version: "1.0.0" }, kind.options);

            await client.connect(transport);
            try {
                assert.equal((await client.listTools()).tools.length, 40);
                const { structuredContent, isError, content } = await client.callTool({
                    name: "control_light",
                    arguments: { entity_id: "light.hallway", action: "turn_on", brightness: 128 },
                });

                assert.ok(!isError, JSON.stringify(content));
                assert.equal(structuredContent.state, "on");
                assert.equal(structuredContent.attributes.brightness, 128);
                assert.deepEqual(JSON.parse(content[0].text), structuredContent);
                const nope = await client.callTool({
                    name: "control_light",
                    arguments: { entity_id: "light.hallwy", action: "turn_on" },
                });

                assert.equal(nope.isError, true);
                assert.match(nope.content[0].text, /^Entity not found: light\.hallwy\..*light\.hallway/);
            } finally {
                await client.close();
            }
            await assertConforms({ directory });
        });
});

test("a call is in the audit once", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-home-"));
    const file = join(directory, "audit");

    await run(haft, ["home", "--call", "example", '{"message":"x"}', "--audit", file], { env: environment({}) });
    assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 1);
    rmSync(directory, { recursive: true });
});

test("SIGHUP opens the audit file again", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-home-"));
    const file = join(directory, "audit");
    const lines = (name) => readFileSync(name, "utf8").trim().split("\n").length;
    const home = await startHome(["--audit", file]);

    await call(home.url, "example", { message: "x" });
    renameSync(file, `${file}.1`);
    home.process.kill("SIGHUP");
    await until(() => existsSync(file), "the new file");
    await call(home.url, "example", { message: "y" });
    assert.equal(await home.stop(), 0, home.log());
    assert.equal(lines(file), 1);
    assert.equal(lines(`${file}.1`), 1);
    rmSync(directory, { recursive: true });
});

async function eventually(probe, what) {
    for (let i = 0; !(await probe()); i++) {
        assert.ok(i < 2000, `waited in vain for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
}

test("a call that outlasts the shutdown is logged, and the lights are restored", async () => {
    const demo = await startDemo();
    const home = await startHome(["--drain", "200ms", "--hass", demo.url], { HASS_TOKEN: "demo" });
    const state = async () => (await rest(demo.url, "GET", "/api/states/light.office_desk")).body;
    const before = await state();
    const cut = assert.rejects(call(home.url, "light_showcase", { lights: ["light.office_desk"], duration: 25 }));

    await eventually(async () => (await state()).last_updated !== before.last_updated, "the first step");
    assert.equal(await home.stop(), 0, home.log());
    await cut;
    assert.match(home.log(), /shutdown: cancelled 1 request that had not been answered in time/);
    await eventually(async () => {
        const { rgb_color, brightness } = (await state()).attributes;

        return rgb_color?.join() === before.attributes.rgb_color.join() && brightness === before.attributes.brightness;
    }, "the look of before");
    assert.equal(await demo.stop(), 0, demo.log());
});
