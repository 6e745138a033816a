/* command-tools.test.mjs - programs as tools behind `haft serve`: the configuration of docs/commands.md, what callers
 * try to smuggle in, progress and cancellation, and what is left when the gateway ends, in whatever way. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { haft } from "./cli.mjs";
import { Server } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { until } from "./server.mjs";

async function withClient(server, use) {
    const client = new Client({ name: "commands", version: "1" });

    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", server.base ?? server.url)));
    try {
        await use(client);
    } finally {
        await client.close();
    }
}

const call = async (client, name, args = {}, options) => {
    const result = await client.callTool({ name, arguments: args }, options);

    return { error: result.isError ?? false, text: result.content[0]?.text, content: result.content, ...result };
};

const config = (upstreams) => ({
    gateway: { upstreams, endpoints: [{ endpoint: "/mcp", name: "commands", upstreams: "*" }] },
});

/* Processes with a word among their arguments. */
const processes = (word) =>
    readdirSync("/proc")
        .filter((name) => /^[0-9]+$/.test(name))
        .filter((pid) => {
            try {
                return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
            } catch {
                return false;
            }
        }).length;

/* ---- the page ---- */

/* The sandbox needs a kernel that has it. */
const kernel = (() => {
    try {
        return readFileSync("/sys/kernel/security/lsm", "utf8").includes("landlock");
    } catch {
        return true;
    }
})();

test("the configuration of docs/commands.md works", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "haft-notes-"));
    const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");
    const text = /```json\n([^]*?)```/.exec(page)[1].replaceAll("/srv/notes", directory);

    if (!kernel) return t.skip("the kernel has no Landlock");
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "a.txt"), "milk\nBread -e x\n");
    writeFileSync(join(directory, "sub", "b.txt"), "bread\n");
    try {
        await withGateway(
            "plain",
            (server) =>
                withClient(server, async (client) => {
                    const { tools } = await client.listTools();

                    assert.deepEqual(tools.map((tool) => tool.name).sort(), [
                        "disk_space",
                        "notes__archive",
                        "notes__count_words",
                        "notes__search",
                    ]);
                    assert.equal(tools.find((tool) => tool.name === "disk_space").annotations.readOnlyHint, true);
                    assert.match((await call(client, "disk_space", { paths: ["/", "/tmp"] })).text, /Mounted[^]*%/);
                    assert.equal((await call(client, "notes__search", { pattern: "milk" })).text, "./a.txt:1:milk\n");
                    assert.match((await call(client, "notes__search", { pattern: "BREAD", ignore_case: true })).text, /a.txt[^]*b.txt|b.txt[^]*a.txt/);
                    assert.equal((await call(client, "notes__search", { pattern: "-e x" })).text, "./a.txt:2:Bread -e x\n");
                    assert.deepEqual(
                        (({ text, error }) => [text, error])(await call(client, "notes__search", { pattern: "nothing" })),
                        ["No line matches.", false],
                    );
                    assert.equal((await call(client, "notes__search", { pattern: "(" })).error, false); /* basic */
                    assert.equal((await call(client, "notes__count_words", { text: "a b c" })).text.trim(), "3");

                    const { resource } = (await call(client, "notes__archive")).content[0];

                    assert.equal(resource.mimeType, "application/gzip");
                    assert.match(gunzipSync(Buffer.from(resource.blob, "base64")).toString("latin1"), /sub\/b\.txt/);
                }),
            { config: JSON.parse(text) },
        );
    } finally {
        rmSync(directory, { recursive: true });
    }
});

/* ---- what callers try ---- */

const smuggled = [
    ["; touch PWNED", "; touch PWNED\n"],
    ["$(touch PWNED)", "$(touch PWNED)\n"],
    ["`touch PWNED` && x | y > z", "`touch PWNED` && x | y > z\n"],
    ["a\nb", "a\nb\n"],
    ["{b}", "{b}\n"],
    ["'\"\\", "'\"\\\n"],
    ["--help", /must not begin with "-"/],
    ["-n", /must not begin with "-"/],
    ["a\u0000b", /NUL/],
    ["x".repeat(70000), /over 2048 words or 102400 bytes/],
];

test("a value is one argument, whatever is in it", () =>
    withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                for (const [value, expected] of smuggled) {
                    const { text, error } = await call(client, "say", { a: value });

                    if (expected instanceof RegExp) assert.match(text, expected);
                    else assert.equal(text, expected);
                    assert.equal(error, expected instanceof RegExp, value.slice(0, 40));
                }
                assert.deepEqual(
                    readdirSync(server.directory).filter((name) => name === "PWNED"),
                    [],
                );
            }),
        { config: config({ say: { command: { run: ["printf", "%s\\n", "{a}"], directory: "{DIR}" } } }) },
    ));

/* ---- secrets ---- */

test("a program has no secrets of the gateway but those that its entry names", () =>
    withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                const { text } = await call(client, "show");

                assert.doesNotMatch(text, /hidden/);
                assert.match(text, /^GIVEN=shown$/m);
                assert.match(text, /^HOME=\/tmp$/m);
                assert.match(text, /^WEATHER_UNIT=celsius$/m);
                assert.match(text, /^FROM_FILE=in a file$/m);
                assert.doesNotMatch(JSON.stringify(await client.listTools()), /shown|in a file/);
                assert.doesNotMatch(server.log(), /shown|in a file|hidden/);
            }),
        {
            config: config({
                show: { command: { run: ["env"], env: { GIVEN: "${MY_TOKEN}", FROM_FILE: "@{DIR}/secret" }, directory: "${HOME}" } },
                /* Its credentials are in a variable that does not look like a secret. */
                other: { http: { url: "http://127.0.0.1:9", auth: { bearer: "${WEATHER:-none}" } } },
            }),
            files: { secret: "in a file\n" },
            env: { MY_TOKEN: "shown", OTHER_TOKEN: "hidden", DB_PASSWORD: "hidden", WEATHER: "hidden", WEATHER_UNIT: "celsius", HOME: "/tmp" },
        },
    ));

/* ---- progress, cancellation, many at once ---- */

test("progress reaches the client while the program runs", () =>
    withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                const seen = [];
                const result = await call(client, "steps", {}, { onprogress: ({ progress, total, message }) => seen.push([progress, total, message]) });

                assert.equal(result.text, "done\n");
                assert.deepEqual(seen, [
                    [1, 3, "one"],
                    [2, 3, "two"],
                    [3, 3, "three"],
                ]);
            }),
        {
            config: config({
                steps: {
                    command: {
                        run: ["sh", "-c", "for i in '1/3 one' '2/3 two' noise '3/3 three'; do echo \"$i\" >&2; sleep 0.05; done; echo done"],
                        progress: { pattern: "^(?<done>\\d+)/(?<total>\\d+) (?<message>.*)$" },
                    },
                },
            }),
        },
    ));

const stubborn = "trap '' TERM; setsid sleep {WORD} & (sleep {WORD} &); sleep {WORD}; sleep {WORD}";

test("a cancelled call leaves no process", () =>
    withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                const controller = new AbortController();
                const pending = call(client, "wait", {}, { signal: controller.signal });

                await until(() => processes("400001") >= 3, "processes");
                controller.abort();
                await assert.rejects(pending);
                await until(() => !processes("400001"), "no processes");
            }),
        { config: config({ wait: { command: { run: ["sh", "-c", stubborn.replaceAll("{WORD}", "400001")], grace_ms: 50 } } }) },
    ));

test("a thousand calls of ten clients' tasks are all answered", () =>
    withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                const one = async (task) => {
                    for (let i = 0; i < 100; i++)
                        assert.equal((await call(client, "say", { a: `${task}.${i}` })).text, `${task}.${i}\n`);
                };

                await Promise.all(Array.from({ length: 10 }, (_, task) => one(task)));
            }),
        { config: config({ say: { command: { run: ["echo", "{a}"], max_running: 4 } } }) },
    ));

/* ---- the end of the gateway ---- */

const ends = [
    ["SIGKILL", "400002"],
    ["SIGTERM", "400003"],
    ["SIGSEGV", "400004"],
];

for (const [signal, word] of ends)
    test(`no child or grandchild is left after ${signal}`, async () => {
        const directory = mkdtempSync(join(tmpdir(), "haft-command-"));
        const file = join(directory, "config.json");

        writeFileSync(file, JSON.stringify(config({ wait: { command: { run: ["sh", "-c", stubborn.replaceAll("{WORD}", word)], grace_ms: 50 } } })));

        const server = await new Server(haft, ["serve", "--config", file, "--http", "127.0.0.1:0", "--drain", "100ms"], {
            env: { ASAN_OPTIONS: "handle_segv=0" },
        }).ready();

        await withClient(server, async (client) => {
            const calls = [1, 2, 3].map(() => call(client, "wait").catch(() => {}));

            await until(() => processes(word) >= 9, "processes");
            await server.stop(signal);
            await until(() => !processes(word), `no processes after ${signal}`);
            await Promise.all(calls);
        });
        rmSync(directory, { recursive: true });
    });

test("a call in flight goes on when a configuration changes or no longer has its tool", () => {
    /* Ends when the file is there. */
    const patient = { command: { run: ["sh", "-c", "until test -e {DIR}/go; do sleep 0.02; done; echo went on", "400005"], timeout_ms: 20000 } };

    return withGateway(
        "plain",
        (server) =>
            withClient(server, async (client) => {
                const reload = async (upstreams) => {
                    const before = server.log().split("configuration reloaded").length;
                    const text = JSON.stringify({ log: { level: "notice" }, ...config(upstreams) });

                    writeFileSync(join(server.directory, "config.json"), text.replaceAll("{DIR}", server.directory));
                    server.process.kill("SIGHUP");
                    await until(() => server.log().split("configuration reloaded").length > before, "the reload");
                };
                const pending = [call(client, "wait")];

                await until(() => processes("400005") === 1, "a process");
                await reload({ wait: { command: { ...patient.command, timeout_ms: 21000 } } });
                pending.push(call(client, "wait"));
                await until(() => processes("400005") === 2, "another one");
                await reload({ say: { command: { run: ["echo", "new"] } } });
                assert.equal((await call(client, "say")).text, "new\n");
                writeFileSync(join(server.directory, "go"), "");
                for (const { text } of await Promise.all(pending)) assert.equal(text, "went on\n");
            }),
        { config: { log: { level: "notice" }, ...config({ wait: patient }) } },
    );
});

/* ---- entries that are refused ---- */

test("haft serve --check names the place of what is wrong", () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-command-"));
    const file = join(directory, "config.json");

    writeFileSync(file, JSON.stringify(config({ ls: { command: { run: ["sh", "-c", "ls {path}"] } } })));
    assert.throws(() => execFileSync(haft, ["serve", "--config", file, "--check"], { stdio: "pipe" }), (error) => {
        assert.match(error.stderr.toString(), /upstreams\.ls\.command\.run.*run anything/);
        return true;
    });
    rmSync(directory, { recursive: true });
});
