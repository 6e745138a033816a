/* cli.test.mjs - the program `haft` against our examples, the TypeScript SDK, and servers that misbehave. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { greeting, haft, reply, run, withFake } from "./cli.mjs";
import { Server, start } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const sdk = fileURLToPath(new URL("cli-sdk-server.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "haft-cli-"));
let everything;

before(async () => {
    everything = await start("everything");
});

after(async () => {
    assert.equal(await everything.stop(), 0);
    rmSync(directory, { recursive: true });
});

/* The same words for a server by URL and for one that is started. */
const ways = {
    http: (command, ...words) => [command, everything.url, ...words],
    stdio: (command, ...words) => [command, ...words, "--", example("everything")],
};

for (const [way, line] of Object.entries(ways))
    describe(`over ${way}`, () => {
        for (const revision of [undefined, ...REVISIONS])
            test(`speaks ${revision ?? "the newest"}`, async () => {
                const option = revision ? ["--revision", revision] : [];
                const name = revision ?? "2026-07-28";
                const ping = await run(line("ping", ...option));
                const call = await run(line("call", "test_simple_text", ...option));
                const progress = await run(line("call", "test_tool_with_progress", ...option));

                assert.equal(ping.out, `everything 1.0.0, speaking ${name}\n`, ping.err);
                assert.equal(call.out, "This is a simple text response for testing.\n");
                assert.equal(progress.code, 0);
                assert.ok(!progress.err.includes("50/100"), "progress is for terminals");
            });

        test("lists", async () => {
            const json = await run(line("tools", "--json"));
            const tools = JSON.parse(json.out);
            const names = await run(line("tools", "--names"));

            assert.ok(tools.length > 20 && tools.every((tool) => tool.inputSchema));
            assert.equal(names.out, tools.map((tool) => `${tool.name}\n`).join(""));
            assert.match((await run(line("tools"))).out, /\ntest_sampling\n  .*\n    prompt  string /);
            assert.match((await run(line("prompts"))).out, /\n    arg2  Second/);
            assert.match((await run(line("resources"))).out, /^test:\/\/template\/\{id\}\/data$/m);
            const { resources, resourceTemplates } = JSON.parse(
                (await run(line("resources", "--json"))).out,
            );
            assert.equal(resources.length, 3);
            assert.equal(resourceTemplates.length, 1);
        });

        test("shows what a tool answers", async () => {
            const png = join(directory, `${way}.png`);
            const rows = [
                [["test_error_handling"], 1, /^This tool intentionally/],
                [["test_audio_content"], 0, /^\[audio audio\/wav, \d+ bytes\]\n$/],
                [["test_multiple_content_types"], 0, /test:\n\[image image\/png, 70 bytes\]\n\{"test/],
                [["test_resource_link"], 0, /^\[resource_link /m],
                [["test_x_mcp_header", "region=Zürich"], 0, /region=Zürich/],
                [["test_x_mcp_header", "region= a "], 0, /region= a /],
                [["test_image_content", "--out", png], 0, /^$/],
                [["test_image_content", "--out", "/nowhere/x"], 6, /^$/],
                [["test_simple_text", "--out", png + "2"], 6, /^This is/],
                [["test_image_content", "--json"], 0, /^\{.*"type":"image".*\}\n$/],
            ];

            for (const [words, code, out] of rows) {
                const got = await run(line("call", ...words));

                assert.equal(got.code, code, `${words}: ${got.err}`);
                assert.match(got.out, out, String(words));
            }
            assert.equal(readFileSync(png).subarray(1, 4).toString(), "PNG");
        });

        test("prints what the server logs, if asked to", async () => {
            for (const revision of ["2025-11-25", "2026-07-28"]) {
                const words = ["test_tool_with_logging", "--revision", revision];
                const quiet = await run(line("call", ...words));
                const loud = await run(line("call", "--verbose", ...words));

                assert.ok(!quiet.err.includes("Tool execution started"), quiet.err);
                assert.match(loud.err, new RegExp(`^haft: speaking ${revision}$`, "m"));
                assert.match(loud.err, /^info: Tool execution started$/m);
            }
        });

        test("declines what is asked when there is nobody to answer", async () => {
            const old = ["--revision", "2025-11-25"];
            const first = await run(line("call", "test_elicitation", "message=Who?", ...old));
            const second = await run(line("call", "test_input_required_result_elicitation"));

            assert.match(first.out, /action=decline/);
            assert.match(first.err, /declined because there is no terminal to prompt on: Who\?\n/);
            assert.equal(second.code, 0);
            assert.match(second.err, /declined because there is no terminal to prompt on: /);
        });

        test("asks the person at a terminal", async () => {
            const rows = [
                ["y\nada\nada@example.com\n", /"username":"ada","email":"ada@example.com"/],
                ["n\n", /action=decline/],
                ["y\nada\n\x04", /action=cancel/],
            ];

            for (const [input, expected] of rows) {
                const words = line("call", "test_elicitation", "message=Who", "--revision=2025-11-25");
                const got = await run(["-qec", [haft, ...words].join(" "), "/dev/null"], {
                    program: "script",
                    input,
                    env: { TERM: "xterm" },
                });

                assert.match(got.out, /The server asks: Who\r\n/);
                assert.match(got.out, expected);
            }
        });
    });

test("takes arguments from standard input", async () => {
    const line = ["call", "search", "-", "--", example("catalog")];
    const good = await run(line, { input: '{"query":"mug",\r\n"limit":1\n}\n' });
    const rows = [
        ["[1]", /standard input is not a JSON object/],
        ["{", /standard input is not a JSON object: /],
        ["", /standard input is not a JSON object: /],
    ];

    assert.equal(good.out, "Travel mug\n", good.err);
    for (const [input, expected] of rows) {
        const got = await run(line, { input });

        assert.equal(got.code, 2, got.err);
        assert.match(got.err, expected);
    }
});

test("says what is wrong with the command line", async () => {
    const server = ["--", example("catalog")];
    const rows = [
        [[], /missing command/],
        [["tols"], /unknown command tols; did you mean tools\?/],
        [["serve-all-of-it"], /unknown command serve-all-of-it; `haft help` lists/],
        [["--frobnicate"], /options come after the command/],
        [["tools"], /tools needs the URL of a server/],
        [["tools", "--"], /missing the command that starts the server/],
        [["tools", "catalog"], /catalog is not a URL; a command comes after --/],
        [["tools", "localhost:8808/mcp"], /is not a URL;.* and a URL begins with http:\/\//],
        [["tools", "http://localhost/", "more"], /unexpected argument more for tools/],
        [["tools", "more", ...server], /unexpected argument more for tools/],
        [["tools", "--jsn", ...server], /tools has no option --jsn; did you mean --json\?/],
        [["tools", "--out", "x", ...server], /tools has no option --out/],
        [["tools", "--timeout", ...server], /--timeout needs SECONDS/],
        [["tools", "--timeout", "0", ...server], /--timeout: invalid value 0, expected SECONDS/],
        [["tools", "--revision=2023-01-01", ...server], /--revision: invalid value 2023-01-01, expected one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28\n/],
        [["tools"], /tools needs the URL of a server, or -- and a command that starts one\n/],
        [["login"], /login needs the URL of a server\n/],
        [["logout", "localhost"], /localhost is not a URL; a URL begins with http:\/\/ or https:\/\/\n/],
        [["tools", "--header", "no colon", ...server], /--header: invalid value no colon/],
        [["tools", "--json=yes", ...server], /--json does not take a value/],
        [["call", ...server], /call needs the name of a tool before the --/],
        [["call", "http://localhost/"], /call needs the name of a tool after the URL/],
        [["call", "serch", ...server], /unknown tool serch; did you mean search\?/],
        [["call", "search", "limit=many", ...server], /limit: expected integer, not many/],
        [["call", "search", "qery=a", ...server], /unknown argument qery; did you mean query\?/],
        [["call", "search", "mug", ...server], /mug is not KEY=VALUE/],
        [["completion", "fish"], /no completion script for fish/],
        [["help", "nothing"], /unknown command nothing/],
    ];

    for (const [words, expected] of rows) {
        const got = await run(words);

        assert.equal(got.code, 2, `${words}: ${got.err}`);
        assert.match(got.err, expected);
        assert.equal(got.out, "");
    }
});

test("is silent when nobody reads any more, and not when the disk is full", async () => {
    const slow = ["sh", "-c", 'sleep 1; exec "$0"', example("catalog")];
    const unread = await run(["tools", "--", ...slow], { started: (child) => child.stdout.destroy() });
    const full = await run(["-c", '"$0" tools -- "$1" >/dev/full', haft, example("catalog")], {
        program: "sh",
    });

    assert.deepEqual([unread.code, unread.err], [6, ""]);
    assert.equal(full.code, 6);
    assert.equal(full.err, "haft: cannot write to standard output: No space left on device\n");
});

test("prints its help and version", async () => {
    const help = await run(["--help"]);

    assert.match(help.out, /^usage: haft COMMAND/);
    assert.match(help.out, /  130  interrupted\n/);
    assert.equal((await run(["help"])).out, help.out);
    assert.equal((await run(["help", "call"])).out, (await run(["call", "--help"])).out);
    assert.match((await run(["--version"])).out, /^haft \d+\.\d+\.\d+( \(commit [0-9a-f]{7}\))?\n$/);
});

test("colours only a terminal", async () => {
    const words = ["tools", "--", example("divide")];
    const at = (env) =>
        run(["-qec", [haft, ...words].join(" "), "/dev/null"], { program: "script", env });

    assert.ok(!(await run(words)).out.includes("\x1b"));
    assert.ok((await at({ TERM: "xterm", NO_COLOR: "" })).out.includes("\x1b[1mdivide"));
    assert.ok(!(await at({ TERM: "xterm", NO_COLOR: "1" })).out.includes("\x1b[1m"));
    assert.ok(!(await at({ TERM: "dumb", NO_COLOR: "" })).out.includes("\x1b[1m"));
});

describe("a server of the TypeScript SDK", () => {
    let http;

    before(async () => {
        http = await new Server(process.execPath, [sdk, "0"]).ready();
    });
    after(() => http.stop("SIGKILL"));

    for (const way of ["http", "stdio"])
        test(`over ${way}`, async () => {
            const line = (command, ...words) =>
                way === "http"
                    ? [command, http.url, ...words]
                    : [command, ...words, "--", process.execPath, sdk];

            assert.match((await run(line("ping"))).out, /^sdk 1\.2\.3, speaking 2025-11-25\n$/);
            assert.match((await run(line("tools"))).out, /^add\n  Adds\n    a   number\n    b\?  number\n/);
            assert.equal((await run(line("call", "add", "a=1.5", "b=2"))).out, "3.5\n");
            assert.equal((await run(line("call", "ask"))).out, '{"action":"decline"}\n');
            const wrong = await run(line("call", "add", "b=2"));
            assert.equal(wrong.code, 1);
            assert.match(wrong.out, /Invalid arguments/);
            assert.equal((await run(line("prompts"))).code, 0, "which it does not have");
        });
});

/* ---- servers that misbehave ---- */

test("a schema whose branches all lead back to it is shown and used", () => {
    const many = (one) => Array(20).fill(one);
    const loop = { anyOf: many({ $ref: "#/$defs/loop" }), oneOf: many({ $ref: "#/$defs/loop" }) };
    const nest = Object.fromEntries(many(0).map((_, i) => [`n${i}`, { $ref: "#" }]));
    const inputSchema = { type: "object", properties: { p: { $ref: "#/$defs/loop" }, ...nest }, $defs: { loop } };
    const answer = (m, q, r) =>
        reply(
            r,
            rpc(m.id, {
                "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
                "tools/list": { tools: [{ name: "act", inputSchema }] },
                "tools/call": { content: [{ type: "text", text: JSON.stringify(m.params.arguments) }] },
            }[m.method]),
        );

    return withFake(answer, async (url) => {
        const shown = await run(["tools", url]);

        assert.match(shown.out, /^act\n    p\?  +any\n    n0\? /);
        assert.ok(shown.out.split("\n").length < 1100);
        assert.equal((await run(["call", url, "act", "p=1"])).out, '{"p":1}\n');
    });
});

test("nothing that a server says moves a terminal", async () => {
    /* Marks of direction, separators of lines, and what people do not see. */
    const hidden = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
    const evil =
        "\x1b]0;x\x07\x7f\u009b31m\u0085\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e" +
        "\u2066\u2067\u2068\u2069\u200b\u2060\ufeff\u{e0041}\u{e0100}\u00ad";
    const said = {
        "server/discover": {
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: {} },
            serverInfo: { name: evil, version: evil },
        },
        "tools/list": {
            tools: [
                {
                    name: "act",
                    description: evil,
                    inputSchema: { type: "object", properties: { [evil]: { enum: [evil], description: evil } } },
                },
                { name: evil, description: evil, inputSchema: {} },
            ],
        },
    };
    const calls = {
        answers: { content: [{ type: "text", text: evil }] },
        "has data": { content: [], structuredContent: { [evil]: evil } },
        "has a file": { content: [{ type: `image${evil}`, mimeType: evil, data: "=" }] },
        asks: {
            resultType: "input_required",
            inputRequests: {
                q: {
                    method: "elicitation/create",
                    params: {
                        message: evil,
                        requestedSchema: {
                            type: "object",
                            properties: { f: { title: evil, description: evil, enum: [evil], default: evil } },
                        },
                    },
                },
            },
        },
    };
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: evil, data: evil } };
    const lists = [["tools"], ["tools", "--json"], ["ping"]];
    const lines = [["call", "act", "--verbose"], ["call", "act", "--json"]];

    for (const [name, result] of Object.entries(calls)) {
        const answer = (m, q, r) =>
            said[m.method]
                ? reply(r, rpc(m.id, said[m.method]))
                : m.params.inputResponses
                  ? reply(r, { jsonrpc: "2.0", id: m.id, error: { code: 1, message: evil } })
                  : stream(r, [note, rpc(m.id, result)].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""));

        await withFake(answer, async (url) => {
            for (const [command, ...words] of lines.concat(name === "answers" ? lists : [])) {
                const line = [haft, command, url, ...words].join(" ");
                const got = await run(["-qec", line, "/dev/null"], {
                    program: "script",
                    input: "y\nwrong\n\n",
                    env: { TERM: "xterm", NO_COLOR: "1" },
                });
                const seen = got.out.replaceAll("\r\x1b[K", "");

                assert.doesNotMatch(seen, /[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]/, `${name}: ${line}`);
                assert.doesNotMatch(seen, hidden, `${name}: ${line}`);
                assert.doesNotMatch(seen, /\d{10} bytes|runtime error/, `${name}: ${line}`);
            }
        });
    }
});

const rpc = (id, result) => ({ jsonrpc: "2.0", id, result });
const stream = (response, text) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(text);
};

const faults = {
    "not found": [(m, q, r) => r.writeHead(404).end(), 3, /the server answered 404 Not Found; is the path/],
    "not found, as a message": [
        (m, q, r) => r.writeHead(404, { "Content-Type": "application/json" }).end(`{"jsonrpc":"2.0","id":${m.id},"error":{"code":-32601,"message":"no"}}`),
        3,
        /the server answered 404 Not Found: no; is the path of the URL right\?/,
    ],
    "not allowed": [(m, q, r) => r.writeHead(405).end(), 3, /405 .*; is this the URL of an MCP endpoint\?/],
    "is not one of MCP": [(m, q, r) => r.writeHead(501).end(), 3, /501 Not Implemented; is this the URL of an MCP endpoint\?\n$/],
    "wants a token": [(m, q, r) => r.writeHead(401).end(), 8, /status 401\); `haft login URL` logs in, and --header/],
    forbids: [(m, q, r) => r.writeHead(403).end('{"jsonrpc":"2.0"}'), 8, /answered 403 .*`haft login URL` logs in/],
    breaks: [(m, q, r) => r.writeHead(500).end("oh"), 3, /answered 500/],
    "moves away": [(m, q, r) => r.writeHead(302, { Location: "/x" }).end(), 3, /answered 302/],
    "is a page": [
        (m, q, r) => r.writeHead(200, { "Content-Type": "text/html" }).end("<p>"),
        4,
        /neither JSON nor an event stream/,
    ],
    "is not JSON": [(m, q, r) => reply(r, "garbage\x1b[2J"), 4, /invalid message from the server: .* garbage\?\[2J/],
    "is no message": [(m, q, r) => reply(r, '{"a":1}'), 4, /invalid message from the server/],
    "is half": [(m, q, r) => reply(r, '{"jsonrpc":"2.0","id":1'), 4, /invalid message from the server/],
    "answers another": [(m, q, r) => reply(r, rpc(99, {})), 4, /the response does not belong to the request/],
    "answers a text": [(m, q, r) => reply(r, rpc("1", {})), 4, /the response does not belong to the request/],
    "answers nothing": [(m, q, r) => r.writeHead(202).end(), 4, /202 Accepted without a message/],
    "is empty": [(m, q, r) => reply(r, ""), 4, /200 OK without a message/],
    "is no object": [
        (m, q, r) => (m.method === "initialize" ? reply(r, rpc(m.id, 5)) : r.writeHead(400).end()),
        4,
        /answer to initialize is malformed: the result must be an object, not a number/,
    ],
    "speaks the future": [
        (m, q, r) =>
            m.method === "initialize" ? reply(r, greeting(m.id, "2099-01-01")) : r.writeHead(400).end(),
        4,
        /chose protocol revision 2099-01-01/,
    ],
    "knows no revision": [
        (m, q, r) => reply(r, rpc(m.id, { supportedVersions: ["2099-01-01"] })),
        4,
        /no protocol revision that haft supports/,
    ],
    "hangs up": [(m, q) => q.socket.destroy(), 3, /mcp: /],
    "ends its stream": [(m, q, r) => stream(r, ": nothing\n\n"), 3, /ended the stream before/],
    "streams garbage": [(m, q, r) => stream(r, "data: what\n\n"), 4, /invalid message from the server/],
    "is too large": [(m, q, r) => reply(r, `"${"x".repeat(3 << 20)}"`), 4, /exceeds the limit of 2097152 bytes/],
    "streams too much": [(m, q, r) => stream(r, `data: ${"x".repeat(3 << 20)}`), 4, /exceeds the limit of 2097152 bytes/],
    "is silent": [() => {}, 5, /server\/discover timed out after 2 s/],
    "never ends": [
        (m, q, r) => {
            r.writeHead(200, { "Content-Type": "text/event-stream" });
            const timer = setInterval(() => r.write(": still here\n\n"), 50);
            r.on("close", () => clearInterval(timer));
        },
        5,
        /timed out after 2 s/,
    ],
    "has pages without end": [
        (m, q, r) =>
            reply(
                r,
                m.method === "server/discover"
                    ? rpc(m.id, { supportedVersions: ["2026-07-28"], capabilities: {} })
                    : rpc(m.id, { tools: [], nextCursor: "more" }),
            ),
        4,
        /more than 1,000 pages/,
    ],
    "answers with an error": [
        (m, q, r) =>
            reply(
                r,
                m.method === "server/discover"
                    ? rpc(m.id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
                    : { jsonrpc: "2.0", id: m.id, error: { code: -32603, message: "It is\x1b[5m broken" } },
            ),
        4,
        /^haft: It is \[5m broken \(-32603\)\n$/,
    ],
};

for (const [name, [answer, code, expected]] of Object.entries(faults))
    test(`an HTTP server that ${name}`, () =>
        withFake(answer, async (url) => {
            const got = await run(["tools", "--timeout", "2", "--limit", "2", url]);

            assert.match(got.err, expected);
            assert.equal(got.code, code, got.err);
            assert.equal(got.out, "");
        }));

test("a server that nobody runs", async () => {
    const got = await run(["tools", "http://127.0.0.1:1/mcp"]);

    assert.equal(got.code, 3);
    assert.match(got.err, /127\.0\.0\.1:1/);
});

/* Each is a script for node; `say` writes a line. */
const processes = {
    "cannot be started": ["/nowhere/at/all", 3, /cannot start \/nowhere\/at\/all: no such file/],
    ends: ["process.exit(7)", 3, /the server exited with status 7/],
    "is killed": ["process.kill(process.pid, 'SIGKILL')", 3, /terminated by signal 9/],
    "closes its output": ["require('fs').closeSync(1); setTimeout(() => {}, 9e6)", 3, /closed its output/],
    babbles: ["console.log('Server is ready!')", 3, /exited with status 0 .* also sent a line that is not a message: Server is ready!/],
    "is too loud": ["process.stdout.write('x'.repeat(3 << 20)); setTimeout(() => {}, 9e6)", 4, /exceeds the limit/],
    "ignores everything": ["setTimeout(() => {}, 9e6); process.on('SIGTERM', () => {})", 5, /timed out after 1 s/],
    "answers another": ["say({jsonrpc: '2.0', id: 7, result: {}})", 3, /exited with status 0 .* also answered a request that was not sent: id 7/],
};

for (const [name, [script, code, expected]] of Object.entries(processes))
    test(`a process that ${name}`, async () => {
        const prelude = "const say = (m) => console.log(JSON.stringify(m));";
        const command = script.startsWith("/") ? [script] : [process.execPath, "-e", prelude + script];
        const wait = code === 5 ? "1" : "30";
        const got = await run(["tools", "--timeout", wait, "--limit", "2", "--", ...command]);

        assert.match(got.err, expected);
        assert.equal(got.code, code, got.err);
    });

test("a process that ends before it reads anything is started once", async () => {
    const got = await run(["tools", "--", process.execPath, "-e", "console.error('no database'); process.exit(7)"]);

    assert.equal(got.code, 3);
    assert.equal(got.err.match(/no database/g).length, 1, got.err);
    assert.match(got.err, /the server exited with status 7 before it answered/);
});

test("an old process that ends at what it does not know is started again", async () => {
    const script = `
        require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
            const message = JSON.parse(line);
            if (message.method === "server/discover") process.exit(1);
            if (message.method === "initialize")
                console.log(JSON.stringify(${JSON.stringify(greeting(0))}).replace('"id":0', '"id":' + message.id));
            if (message.method === "tools/list")
                console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools: [] } }));
        });`;
    const got = await run(["tools", "--json", "--", process.execPath, "-e", script]);

    assert.equal(got.out, "[]\n", got.err);
});

test("a session that the server forgets is begun again, once", () => {
    let greetings = 0;

    return withFake(
        (message, request, response) => {
            if (request.method === "DELETE") return response.writeHead(200).end();
            if (message.method === "initialize")
                return reply(response, greeting(message.id), { "Mcp-Session-Id": `s${++greetings}` });
            if (message.method === "notifications/initialized") return response.writeHead(202).end();
            if (message.method === "tools/list" && request.headers["mcp-session-id"] === "s2")
                return reply(response, rpc(message.id, { tools: [] }));
            return response.writeHead(404).end();
        },
        async (url, asked) => {
            const got = await run(["tools", "--json", "--revision", "2025-11-25", "--header", "X-A: b", url]);

            assert.equal(got.out, "[]\n", got.err);
            assert.equal(greetings, 2);
            assert.equal(asked.at(-1).method, "DELETE");
            assert.equal(asked.at(-1).headers["mcp-session-id"], "s2");
            assert.ok(asked.every(({ headers }) => headers["x-a"] === "b"));
        },
    );
});

/* libcurl sends a POST again on a new connection when the one that it reused is closed before the answer. */
test("a call is sent once, whatever becomes of its connection", () => {
    let paid = 0;

    return withFake(
        (message, request, response) => {
            if (message.method === "server/discover")
                return reply(response, rpc(message.id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }));
            if (message.method === "tools/list")
                return reply(response, rpc(message.id, { tools: [{ name: "pay", inputSchema: { type: "object", properties: {} } }] }));
            paid++;
            request.socket.destroy();
        },
        async (url, asked) => {
            const got = await run(["call", url, "pay"]);

            assert.equal(paid, 1);
            assert.equal(got.code, 3);
            assert.equal(got.out, "");
            assert.match(got.err, /the connection was closed before the answer.*; the server may have executed the request/);
            assert.ok(asked.length > 1, "the connection was not used before");
        },
    );
});

test("an old server that answers {} to what it does not know is greeted", () =>
    withFake(
        (message, request, response) => {
            if (message?.method === "initialize") return reply(response, greeting(message.id));
            if (message?.method === "notifications/initialized") return response.writeHead(202).end();
            reply(response, rpc(message.id, message.method === "tools/list" ? { tools: [] } : {}));
        },
        async (url) => {
            const got = await run(["tools", "--json", url]);

            assert.equal(got.out, "[]\n", got.err);
        },
    ));

test("the user name and password of a URL are sent as a header", () =>
    withFake(
        (message, request, response) => reply(response, discovered(message.id)),
        async (url, asked) => {
            const got = await run(["ping", url.replace("//", "//ann%40home:s%3Ac@")]);

            assert.equal(got.code, 0, got.err);
            assert.equal(asked[0].headers.authorization, `Basic ${btoa("ann@home:s:c")}`);
            assert.equal((await run(["ping", url.replace("//", "//a%zz:b@")])).code, 2);
        },
    ));

test("asks a person before it calls a destructive tool", async () => {
    const rows = [
        /* what the server declares, options, what is typed, whether the tool is called */
        [{ destructiveHint: true }, [], "y\n", true],
        [{ destructiveHint: true }, [], "yes\n", true],
        [{ destructiveHint: true }, [], "n\n", false],
        [{ destructiveHint: true }, [], "\n", false],
        [{ destructiveHint: true }, [], "\x04", false],
        [{ destructiveHint: true }, ["--yes"], "", true],
        [{ destructiveHint: false }, [], "", true],
        [undefined, [], "", true],
    ];

    for (const [annotations, options, input, called] of rows)
        await withFake(
            (message, request, response) =>
                reply(
                    response,
                    message.method === "server/discover"
                        ? discovered(message.id)
                        : message.method === "tools/list"
                          ? rpc(message.id, { tools: [{ name: "wipe", inputSchema: { type: "object" }, annotations }] })
                          : rpc(message.id, { content: [{ type: "text", text: "wiped" }] }),
                ),
            async (url, asked) => {
                const row = JSON.stringify([annotations, options, input]);
                const words = ["call", ...options, url, "wipe"];
                const got = await run(["-qec", [haft, ...words].join(" "), "/dev/null"], {
                    program: "script",
                    input,
                    env: { TERM: "xterm" },
                });

                assert.equal(asked.some(({ message }) => message.method === "tools/call"), called, row + got.out);
                assert.equal(got.code, called ? 0 : 7, row + got.out);
                assert.equal(got.out.includes("the server declares wipe destructive"), Boolean(annotations?.destructiveHint && !options.length), row);
                assert.equal((await run(words)).out, "wiped\n", "without a terminal nobody is asked");
            },
        );
});

test("every page of a list", () =>
    withFake(
        (message, request, response) =>
            reply(
                response,
                message.method === "server/discover"
                    ? rpc(message.id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
                    : rpc(message.id, {
                          tools: [{ name: `t${message.params.cursor ?? 0}`, inputSchema: {} }],
                          ...(message.params.cursor === "2"
                              ? {}
                              : { nextCursor: String(Number(message.params.cursor ?? 0) + 1) }),
                      }),
            ),
        async (url) => {
            assert.equal((await run(["tools", "--names", url])).out, "t0\nt1\nt2\n");
        },
    ));

const discovered = (id) => rpc(id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });

test("a tool whose headers are none is left out, over HTTP", async () => {
    const bad = { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } };
    const tools = [{ name: "good", inputSchema: {} }, { name: "bad", inputSchema: bad }];
    const left = "haft: skipping the tool bad: it declares x-mcp-header for a type other than string, integer or boolean\n";

    await withFake(
        (message, request, response) =>
            reply(response, message.method === "tools/list" ? rpc(message.id, { tools }) : discovered(message.id)),
        async (url) => {
            const listed = await run(["tools", "--names", url]);

            assert.equal(listed.out, "good\n");
            assert.equal(listed.err, left);
            const called = await run(["call", url, "bad"]);
            assert.equal(called.code, 2);
            assert.ok(called.err.startsWith(left));
        },
    );
    const script = `
        require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
            const { id, method } = JSON.parse(line);
            const result = method === "tools/list" ? { tools: ${JSON.stringify(tools)} }
                : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
            console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
        });`;
    const piped = await run(["tools", "--names", "--", process.execPath, "-e", script]);
    assert.equal(piped.out, "good\nbad\n", "there are no headers on a pipe");
});

test("an address to open, which was not declared, is refused", () => {
    let ended; /* the call, once its question is answered */

    return withFake(
        (message, request, response) => {
            if (message?.method === "initialize") return reply(response, greeting(message.id));
            if (message?.method === "tools/list")
                return reply(response, rpc(message.id, { tools: [{ name: "t", inputSchema: {} }] }));
            if (message?.id === "q") ended();
            if (message?.method !== "tools/call") return response.writeHead(202).end();
            const params = { mode: "url", message: "m", url: "https://a.example/", elicitationId: "e" };
            const asks = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params };

            response.writeHead(200, { "Content-Type": "text/event-stream" });
            response.write(`data: ${JSON.stringify(asks)}\n\n`);
            ended = () => response.end(`data: ${JSON.stringify(rpc(message.id, { content: [] }))}\n\n`);
        },
        async (url, asked) => {
            const got = await run(["call", "--revision", "2025-11-25", url, "t"]);

            assert.equal(got.code, 0, got.err);
            const answer = asked.find(({ message }) => message?.id === "q")?.message;
            assert.equal(answer?.error?.code, -32602);
        },
    );
});

/* ---- streams that are lost ---- */

test("a stream that ends before the answer is taken up again", async () => {
    const at = [];
    const rest = ["id: b\nretry: 300\ndata:\n\n", undefined];
    const answer = (message, request, response) => {
        if (message?.method === "initialize")
            return reply(response, greeting(message.id), { "Mcp-Session-Id": "s" });
        if (message?.method === "tools/list")
            return reply(response, rpc(message.id, { tools: [{ name: "t", inputSchema: {} }] }));
        if (message?.method === "tools/call") {
            rest[1] = `id: c\ndata: ${JSON.stringify(rpc(message.id, { content: [{ type: "text", text: "late" }] }))}\n\n`;
            at.push(Date.now());
            return stream(response, "id: a\nretry: 400\ndata:\n\n");
        }
        if (request.method === "GET" && request.headers["last-event-id"]) {
            at.push(Date.now());
            return stream(response, rest[at.length - 2]);
        }
        return response.writeHead(request.method === "GET" ? 405 : 202).end();
    };

    await withFake(answer, async (url, asked) => {
        const got = await run(["call", "--revision", "2025-11-25", url, "t"]);
        const gets = asked.filter(({ method, headers }) => method === "GET" && headers["last-event-id"]);

        assert.equal(got.out, "late\n", got.err);
        assert.deepEqual(
            gets.map(({ headers }) => [headers["last-event-id"], headers["mcp-session-id"], headers.accept]),
            [
                ["a", "s", "text/event-stream"],
                ["b", "s", "text/event-stream"],
            ],
        );
        assert.ok(at[1] - at[0] >= 390, "not before the server wants it");
        assert.ok(at[2] - at[1] >= 290);
    });
    /* A server that has no rest of it says so. */
    await withFake(
        (message, request, response) =>
            request.method === "GET"
                ? response.writeHead(405).end()
                : message?.method === "tools/call"
                  ? stream(response, "id: a\nretry: 10\ndata:\n\n")
                  : answer(message, request, response),
        async (url) => {
            const got = await run(["call", "--revision", "2025-11-25", url, "t"]);

            assert.equal(got.code, 3);
            assert.match(got.err, /ended the stream before it answered, and answered 405/);
        },
    );
});

test("a request of a new server is not answered: it has none to make", () =>
    withFake(
        (message, request, response) => {
            if (message.method === "server/discover") return reply(response, discovered(message.id));
            const ping = { jsonrpc: "2.0", id: "p", method: "ping" };

            return stream(
                response,
                `data: ${JSON.stringify(ping)}\n\ndata: ${JSON.stringify(rpc(message.id, { tools: [] }))}\n\n`,
            );
        },
        async (url, asked) => {
            assert.equal((await run(["tools", "--json", url])).out, "[]\n");
            assert.deepEqual(
                asked.map(({ message }) => message.method),
                ["server/discover", "tools/list"],
            );
        },
    ));

test("an interrupt cancels the call", async () => {
    const log = join(directory, "heard");
    const script = `
        require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
            const message = JSON.parse(line);
            require("fs").appendFileSync(${JSON.stringify(log)}, line + "\\n");
            const say = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
            if (message.method === "server/discover")
                say({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
            if (message.method === "tools/list") say({ tools: [{ name: "slow", inputSchema: {} }] });
        });`;
    const heard = () => {
        try {
            return readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line));
        } catch {
            return [];
        }
    };
    let child;
    const ended = run(["call", "slow", "--", process.execPath, "-e", script], {
        started: (process_) => (child = process_),
    });

    await until(() => heard().some(({ method }) => method === "tools/call"), "the call", 30000);
    child.kill("SIGINT");
    const got = await ended;
    const call = heard().find(({ method }) => method === "tools/call");
    const cancelled = heard().find(({ method }) => method === "notifications/cancelled");

    assert.equal(got.code, 130, got.err);
    assert.equal(cancelled?.params.requestId, call.id);
});

test("an interrupt closes the request of a new server and cancels that of an old one", async () => {
    for (const revision of ["2025-11-25", "2026-07-28"]) {
        const old = revision === "2025-11-25";
        let closed = false;
        let child;

        await withFake(
            (message, request, response) => {
                if (message?.method === "initialize") return reply(response, greeting(message.id));
                if (message?.method === "server/discover")
                    return reply(response, rpc(message.id, { supportedVersions: [revision], capabilities: {} }));
                if (message?.method === "tools/list")
                    return reply(response, rpc(message.id, { tools: [{ name: "slow", inputSchema: {} }] }));
                if (message?.method !== "tools/call") return response.writeHead(202).end();
                response.on("close", () => (closed = true));
                return child.kill("SIGINT");
            },
            async (url, asked) => {
                const got = await run(["call", "--revision", revision, url, "slow"], {
                    started: (process_) => (child = process_),
                });
                const methods = asked.map(({ message }) => message?.method);

                assert.equal(got.code, 130, got.err);
                await until(() => closed, "the end of the request");
                assert.equal(methods.includes("notifications/cancelled"), old);
            },
        );
    }
});

test("https, with a certificate that is given", async () => {
    const key = join(directory, "key.pem");
    const cert = join(directory, "cert.pem");

    execFileSync("openssl", [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ], { stdio: "ignore" });
    const server = createSecureServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (request, response) => {
            let body = "";

            request.on("data", (text) => (body += text));
            request.on("end", () => {
                const { id, method } = JSON.parse(body);

                reply(
                    response,
                    method === "server/discover"
                        ? rpc(id, { supportedVersions: ["2026-07-28"], capabilities: {} })
                        : rpc(id, { tools: [] }),
                );
            });
        },
    );

    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${server.address().port}/mcp`;
    try {
        const refused = await run(["tools", url]);
        const trusted = await run(["tools", "--json", "--ca", cert, url]);

        assert.equal(refused.code, 3);
        assert.match(refused.err, /certificate/i);
        assert.equal(trusted.out, "[]\n", trusted.err);
    } finally {
        server.closeAllConnections();
        server.close();
    }
});
