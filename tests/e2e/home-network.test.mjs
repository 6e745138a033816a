/* home-network.test.mjs - haft home and a Home Assistant in another process: the same answers, lost connections, TLS,
 * and a token that nobody is told. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createServer as createSecure } from "node:tls";
import { call, rest, startDemo, startHome } from "./home.mjs";
import { freePort } from "./server.mjs";

const secret = "demo-token-0123456789abcdef";

async function withHome(args, env, use) {
    const home = await startHome(args, env);

    try {
        await use(home);
    } finally {
        assert.equal(await home.stop(), 0, home.log());
    }
}

/* A home in another process; `use` gets both. */
async function withBoth(use, { args = [], env = {} } = {}) {
    const demo = await startDemo({ env: { HASS_TOKEN: secret } });

    try {
        await withHome(["--hass", demo.url, ...args], { HASS_TOKEN: secret, ...env }, (home) => use(home, demo));
    } finally {
        assert.equal(await demo.stop(), 0, demo.log());
    }
}

/* Times and ids differ between two homes. */
function settled(value) {
    if (Array.isArray(value)) return value.map(settled);
    if (typeof value === "string")
        return value
            .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)/g, "TIME")
            .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?/g, "TIME")
            .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "ULID");
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, settled(inner)]));
}

const calls = [
    ["list_devices", { area: "kitchen" }],
    ["entity_state", { entity_id: ["light.hallway", "lock.front_door"] }],
    ["control_light", { entity_id: "light.office_desk", action: "turn_on", rgb_color: [255, 0, 0], brightness: 200 }],
    ["control_light", { entity_id: "light.nope", action: "turn_on" }],
    ["control_light", { entity_id: "light.bathroom_mirror", action: "turn_on" }],
    ["control_light", { entity_id: "switch.tv_socket", action: "turn_on" }],
    ["set_switch", { entity_id: "switch.faulty", action: "turn_on" }],
    ["set_switch", { entity_id: "switch.tv_socket", action: "turn_on" }],
    ["todo", { action: "list", list: "todo.shopping" }],
    ["search_entities", { query: "hallway" }],
    ["dashboard", { sections: ["lights"] }],
    ["automation_config", { action: "get", automation_id: "nope" }],
    ["addon", { action: "list" }],
    ["package", { action: "list", category: "integration" }],
];

test("a home in another process gives the same answers as one in this", () =>
    withBoth((far) =>
        withHome([], {}, async (near) => {
            for (const [name, args] of calls) {
                const [one, two] = [await call(near.url, name, args), await call(far.url, name, args)];
                const what = `${name} ${JSON.stringify(args)}`;

                assert.equal(two.isError ?? false, one.isError ?? false, `${what}: ${JSON.stringify([one, two])}`);
                /* The sentence names who answered. */
                assert.deepEqual(
                    settled(two.structuredContent ?? two.content[0].text.replace(/Home Assistant at \S+/, "The demo home")),
                    settled(one.structuredContent ?? one.content[0].text),
                    what,
                );
            }
        }),
    ));

test("what a tool does is seen in the other process", () =>
    withBoth(async (home, demo) => {
        await call(home.url, "control_light", { entity_id: "light.hallway", action: "turn_on", brightness: 77 });
        const { body } = await rest(demo.url, "GET", "/api/states/light.hallway", undefined, secret);

        assert.equal(body.state, "on");
        assert.equal(body.attributes.brightness, 77);
        /* And the other way: an event comes. */
        await rest(demo.url, "POST", "/api/services/light/turn_off", { entity_id: "light.hallway" }, secret);
        let state;

        for (let i = 0; i < 100 && state !== "off"; i++)
            [{ state }] = (await call(home.url, "entity_state", { entity_id: ["light.hallway"] })).structuredContent.entities;
        assert.equal(state, "off");
    }));

test("a home that is not there yet, and one that is restarted", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const read = (home) => call(home.url, "entity_state", { entity_id: ["light.hallway"] });

    await withHome(["--hass", `http://${address}`, "--timeout", "3s"], { HASS_TOKEN: secret }, async (home) => {
        const refused = await read(home);

        assert.equal(refused.isError, true);
        assert.match(refused.content[0].text, new RegExp(`Home Assistant at http://${address}`));
        for (let round = 0; round < 2; round++) {
            const demo = await startDemo({ address, env: { HASS_TOKEN: secret } });
            let answer;

            for (const end = Date.now() + 20000; Date.now() < end; ) {
                answer = await read(home);
                if (!answer.isError) break;
            }
            assert.ok(!answer.isError, JSON.stringify(answer.content));
            demo.process.kill("SIGKILL");
            await demo.ended;
        }
    });
});

test("a wrong token is reported as such", () =>
    withBoth(
        async (home) => {
            const { isError, content } = await call(home.url, "list_devices");

            assert.equal(isError, true);
            assert.match(content[0].text, /token/);
            assert.doesNotMatch(content[0].text, /not-the-token/);
        },
        { env: { HASS_TOKEN: "not-the-token" } },
    ));

test("the token is nowhere in what is logged or answered", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-home-"));
    const file = join(directory, "token");

    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    try {
        await withBoth(
            async (home, demo) => {
                const said = [];

                for (const [name, args] of calls) said.push(JSON.stringify(await call(home.url, name, args)));
                said.push(JSON.stringify(await call(home.url, "error_log", {})));
                demo.process.kill("SIGTERM");
                await demo.ended;
                said.push(JSON.stringify(await call(home.url, "list_devices")));
                for (const text of [...said, home.log(), demo.log()]) assert.ok(!text.includes(secret), text);
                assert.match(home.log(), /tools are registered/);
                const spelled = execFileSync("/bin/sh", ["-c", `tr '\\0' '\\n' </proc/${home.process.pid}/cmdline`]);

                assert.ok(!String(spelled).includes(secret));
            },
            { args: ["--log-level", "debug", "--timeout", "2s"], env: { HASS_TOKEN: undefined, HASS_TOKEN_FILE: file } },
        );
    } finally {
        rmSync(directory, { recursive: true });
    }
});

/* ---- TLS ---- */

describe("TLS", () => {
    const openssl = (...args) => execFileSync("openssl", args, { stdio: "pipe" });

    /* A certificate for 127.0.0.1 by an authority of its own. */
    function certificates(directory, name) {
        const at = (file) => join(directory, `${name}-${file}`);

        writeFileSync(at("ext"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", `/CN=${name} CA`, "-keyout", at("ca.key"), "-out", at("ca.pem"));
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1",
            "-keyout", at("key.pem"), "-out", at("csr.pem"));
        openssl("x509", "-req", "-in", at("csr.pem"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-set_serial", "1",
            "-days", "2", "-extfile", at("ext"), "-out", at("cert.pem"));
        return { ca: at("ca.pem"), key: readFileSync(at("key.pem")), cert: readFileSync(at("cert.pem")) };
    }

    /* A proxy that ends TLS in front of a home. */
    async function withProxy(demo, { key, cert }, use) {
        const { hostname, port } = new URL(demo.url);
        const open = new Set();
        const proxy = createSecure({ key, cert }, (outer) => {
            const inner = connect(port, hostname);

            for (const socket of [inner, outer]) {
                open.add(socket);
                socket.on("error", () => {});
                socket.on("close", () => (inner.destroy(), outer.destroy()));
            }
            outer.pipe(inner).pipe(outer);
        });

        proxy.on("tlsClientError", () => {});
        await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
        try {
            await use(`https://127.0.0.1:${proxy.address().port}`);
        } finally {
            proxy.close();
            for (const socket of open) socket.destroy();
        }
    }

    test("with the right authority, a wrong one, and none", async () => {
        const directory = mkdtempSync(join(tmpdir(), "haft-home-"));
        const demo = await startDemo({ env: { HASS_TOKEN: secret } });

        try {
            const right = certificates(directory, "right");
            const wrong = certificates(directory, "wrong");

            await withProxy(demo, right, async (url) => {
                await withHome(["--hass", `${url}/`, "--hass-ca", right.ca], { HASS_TOKEN: secret }, async (home) => {
                    const lit = await call(home.url, "control_light", { entity_id: "light.hallway", action: "toggle" });
                    const log = await call(home.url, "error_log", {});

                    assert.ok(!lit.isError, JSON.stringify(lit.content));
                    assert.ok(!log.isError, JSON.stringify(log.content));
                });
                for (const args of [["--hass-ca", wrong.ca], []])
                    await withHome(["--hass", url, "--timeout", "3s", ...args], { HASS_TOKEN: secret }, async (home) => {
                        const { isError, content } = await call(home.url, "list_devices");

                        assert.equal(isError, true);
                        assert.match(content[0].text, /certificate/i);
                    });
            });
        } finally {
            assert.equal(await demo.stop(), 0, demo.log());
            rmSync(directory, { recursive: true });
        }
    });
});
