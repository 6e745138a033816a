/* upstreams-demo.test.mjs - `haft serve --demo=upstreams` as a person meets it: tools of an HTTP API, of programs and of
 * another MCP server behind one endpoint; and configurations with upstreams: what is checked before anything is started,
 * where secrets do not appear, and what a new configuration leaves alone. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { haft, run } from "./cli.mjs";
import { Server } from "./http-server.mjs";
import { until } from "./server.mjs";

const directory = mkdtempSync(join(tmpdir(), "haft-upstreams-"));
after(() => rmSync(directory, { recursive: true }));

const demoFile = new URL("../../examples/upstreams/upstreams.json", import.meta.url);
const demoKey = "bikes-demo-key";

const file = (name, value) => {
    const path = join(directory, name);

    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
};

/* Serves for as long as `use` takes, with a client that is not ours. */
async function served(args, use, env) {
    const server = await new Server(haft, ["serve", "--http", "127.0.0.1:0", ...args], { env }).ready();
    const client = new Client({ name: "test", version: "1" });

    try {
        await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
        await use(client, server);
        await client.close();
    } finally {
        assert.equal(await server.stop(), 0, server.log());
    }
}

const call = async (client, name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });

    return `${isError ? "error: " : ""}${content.map(({ text }) => text).join("\n")}`;
};

const get = async (server, path) => {
    const response = await fetch(new URL(path, server.url));

    return { status: response.status, text: await response.text() };
};

/* ---- the demonstration ---- */

test("the demonstration calls every kind of upstream", () =>
    served(["--demo=upstreams", "--metrics"], async (client, server) => {
        const { tools } = await client.listTools();
        const names = tools.map(({ name }) => name).sort();

        assert.deepEqual(
            names.filter((name) => !name.startsWith("shop__")),
            [
                "bikes__getRental",
                "bikes__getStation",
                "bikes__listStations",
                "bikes__rentBike",
                "bikes__returnBike",
                "programs__date",
                "programs__sort",
            ],
        );
        assert.ok(names.includes("shop__add_numbers"), names.join(" "));

        const { stations } = JSON.parse(await call(client, "bikes__listStations", { city: "Utrecht", minFree: 1 }));

        assert.deepEqual(stations.map(({ id, free }) => [id, free]), [["ut-1", 31], ["ut-2", 1]]);
        assert.deepEqual(JSON.parse(await call(client, "bikes__rentBike", { stationId: "ut-2", hours: 3 })), {
            id: 1,
            stationId: "ut-2",
            hours: 3,
            price: 450,
            returned: false,
        });
        assert.match(await call(client, "bikes__rentBike", { stationId: "ut-2" }), /^error: .*Station ut-2 has no free bike\./);
        assert.equal(JSON.parse(await call(client, "bikes__returnBike", { rentalId: 1, returnTo: "ut-2" })).returned, true);
        assert.match(await call(client, "bikes__returnBike", { rentalId: 1, returnTo: "ut-2" }), /^error: .*back already/);
        assert.match(await call(client, "bikes__getStation", { stationId: "x/y z" }), /^error: .*There is no station x\/y z\./);

        assert.equal((await call(client, "programs__date", { when: "2026-01-01" })).trim(), "Thursday, 01 January 2026");
        assert.match(await call(client, "programs__date"), /^[A-Z][a-z]+day, \d\d /);
        assert.equal((await call(client, "programs__sort", { text: "b\nc\na\n", reverse: true })).trim(), "c\nb\na");

        assert.equal(await call(client, "shop__add_numbers", { a: 5, b: 3 }), "5 + 3 = 8");

        assert.deepEqual(JSON.parse((await get(server, "/readyz")).text), {
            status: "ok",
            upstreams: { bikes: "ready", programs: "ready", shop: "ready" },
        });
        assert.match((await get(server, "/metrics")).text, /^mcp_server_upstream_up\{upstream="shop"\} 1$/m);
        assert.match(server.log(), /haft call URL bikes__listStations/);
    }));

test("the configuration of the demonstration can be copied", async () => {
    const config = JSON.parse(readFileSync(demoFile));

    delete config.gateway.upstreams.shop;
    config.gateway.upstreams.programs.tools = "date";
    const { code, out, err } = await run(["serve", "--demo=upstreams", "--config", file("copy.json", config), "--list"]);

    assert.equal(code, 0, err);
    assert.match(out, /^bikes__rentBike /m);
    assert.match(out, /^programs__date /m);
    assert.doesNotMatch(out, /shop__|programs__sort/);
});

test("the page shows the configuration of the demonstration", () => {
    const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

    assert.ok(page.includes("```json\n" + readFileSync(demoFile, "utf8") + "```\n"));
});

test("an unknown demonstration is refused", async () => {
    const { code, err } = await run(["serve", "--demo=shops"]);

    assert.equal(code, 2);
    assert.equal(err, "haft: --demo: expected shop or upstreams, not shops\n");
});

/* ---- before anything is started ---- */

const upstreams = (entries) => ({ gateway: { upstreams: entries, endpoints: [{}] } });
const marking = (mark) => ({ mcp: { command: ["/bin/sh", "-c", `: >${mark}; exec cat`] } });

test("--check and --print-config start nothing", async () => {
    const mark = join(directory, "started");
    const config = file("marking.json", upstreams({ marks: marking(mark), api: { http: { url: "http://192.0.2.1" } } }));

    for (const verb of ["--check", "--print-config"]) {
        const { code, err } = await run(["serve", "--config", config, verb]);

        assert.equal(code, 0, err);
        assert.ok(!existsSync(mark), verb);
    }
});

const wrong = [
    [{ a: { http: { url: "nonsense" } } }, /gateway\.upstreams\.a\.http\.url: /],
    [{ a: { http: { url: "http://127.0.0.1:1", openapi: "/no/such/file.json" } } }, /gateway\.upstreams\.a\.http\.openapi: .*\/no\/such\/file\.json/],
    [{ a: { http: { url: "http://127.0.0.1:1", auth: { bearer: "@/no/such/token" } } } }, /gateway\.upstreams\.a\.http\.auth.*: .*\/no\/such\/token/],
    [{ a: { http: { url: "${HAFT_T_NONE}" } } }, /gateway\.upstreams\.a\.http\.url: the environment variable HAFT_T_NONE is not set/],
    [{ a: { mcp: {} } }, /gateway\.upstreams\.a\.mcp/],
    [{ a: { command: {} } }, /gateway\.upstreams\.a\.command/],
    [{ a: { htp: {} } }, /gateway\.upstreams\.a: Unrecognized key: "htp".*did you mean "http"\?/],
    [{ a: {} }, /gateway\.upstreams\.a: expected exactly one of http, command and mcp/],
    [{ "a b": { mcp: { command: ["cat"] } } }, /gateway\.upstreams\.a b: the name of an upstream has/],
];

for (const [entries, text] of wrong)
    test(`refused by --check: ${JSON.stringify(entries)}`, async () => {
        const { code, out, err } = await run(["serve", "--config", file("wrong.json", upstreams(entries)), "--check"]);

        assert.equal(code, 2, err);
        assert.equal(out, "");
        assert.match(err, text);
    });

test("with --sandbox there are no upstreams", async () => {
    const mark = join(directory, "sandboxed");
    const config = file("sandboxed.json", upstreams({ marks: marking(mark) }));

    for (const word of ["--sandbox", "--sandbox=best-effort"]) {
        const { code, err } = await run(["serve", "--config", config, word]);

        assert.equal(code, 6, err);
        assert.match(err, /^haft: gateway\.upstreams: a server with --sandbox cannot have upstreams/m);
        assert.ok(!existsSync(mark));
    }
});

/* ---- secrets ---- */

test("no output has a secret", async () => {
    const secrets = ["t0ken-of-a-variable", "t0ken-of-a-file", demoKey];
    const env = { HAFT_T_TOKEN: secrets[0] };
    const token = file("token", `${secrets[1]}\n`);
    const config = file(
        "secrets.json",
        upstreams({
            ...JSON.parse(readFileSync(demoFile)).gateway.upstreams,
            variable: { http: { url: "http://127.0.0.1:1", auth: { bearer: "${HAFT_T_TOKEN}" }, tools: { get: { description: "Gets", path: "/" } } } },
            far: { mcp: { url: "http://127.0.0.1:1/mcp", auth: { bearer: `@${token}` } } },
        }),
    );
    let said = "";

    for (const verbs of [["--check"], ["--print-config"], ["--print-config", "--json"], ["--list", "--json"]]) {
        const { code, out, err } = await run(["serve", "--demo=upstreams", "--config", config, "--log-level", "debug", ...verbs], { env });

        assert.equal(code, 0, err);
        said += out + err;
    }
    await served(
        ["--demo=upstreams", "--config", config, "--log-level", "debug", "--metrics"],
        async (client, server) => {
            said += JSON.stringify(await client.listTools());
            said += await call(client, "variable__get");
            said += await call(client, "bikes__getStation", { stationId: "none" });
            said += (await get(server, "/metrics")).text + (await get(server, "/readyz")).text;
            assert.equal(JSON.parse((await get(server, "/readyz")).text).upstreams.far, "failing");
            said += server.log();
        },
        env,
    );
    assert.match(said, /variable__get/);
    for (const secret of secrets) assert.ok(!said.includes(secret), said);
});

/* ---- another configuration ---- */

async function reload(server, config, value, text) {
    const from = server.log().length;

    file(config, value);
    server.process.kill("SIGHUP");
    await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
    return server.log().slice(from);
}

test("SIGHUP replaces what has changed, or nothing", async () => {
    const log = { level: "notice" };
    const echo = (text) => ({ command: { run: ["echo", text], description: "Says it" } });
    const shop = { mcp: { command: [haft, "serve", "--demo", "--stdio"] } };
    const path = file("reloaded.json", { log, ...upstreams({ shop, say: echo("one") }) });

    let changes = 0;

    await served(["--config", path], async (client, server) => {
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
        /* An item that the shop keeps in memory shows whether it has been restarted. */
        await call(client, "shop__add_todo", { title: "stay" });
        assert.equal((await call(client, "say")).trim(), "one");

        await reload(server, "reloaded.json", { log, ...upstreams({ shop, say: echo("two") }) }, /configuration reloaded/);
        assert.equal((await call(client, "say")).trim(), "two");
        assert.match(await call(client, "shop__list_todos"), /stay/);

        const said = await reload(
            server,
            "reloaded.json",
            { log, ...upstreams({ say: echo("three"), api: { http: { url: "nonsense" } } }) },
            /keeping the old one[^]*gateway\.upstreams/,
        );

        assert.match(said, /gateway\.upstreams\.api\.http\.url: /);
        assert.equal((await call(client, "say")).trim(), "two");
        assert.match(await call(client, "shop__list_todos"), /stay/);

        await reload(server, "reloaded.json", { log, ...upstreams({ say: echo("two") }) }, /configuration reloaded/);
        await until(() => changes >= 2, "two changed lists");
        assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ["say"]);
        const before = changes;

        await reload(server, "reloaded.json", { log, ...upstreams({ shop, say: echo("two") }) }, /configuration reloaded/);
        await until(() => changes > before, "a changed list");
        assert.doesNotMatch(await call(client, "shop__list_todos"), /stay/);
    });
});
