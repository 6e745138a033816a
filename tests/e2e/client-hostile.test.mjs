/* client-hostile.test.mjs - servers that break the rules: each wait of a client on the library ends in time, with
 * a status and a reason in words, no call is sent twice, and the client can go on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withDriver } from "./client-driver.mjs";
import {
    ECLOSED,
    EDENIED,
    EPROTOCOL,
    ETIMEOUT,
    ETOOBIG,
    replies,
    runsOut,
} from "./client-hostile-replies.mjs";
import { Hostile, event, forever, result, stream, whole } from "./client-hostile.mjs";

const TIMEOUT = 1500; /* of a request that is to run into it */
const LIMIT = 10000; /* of such a case, on a busy machine */
const LONG = 20000; /* of others, both */
const TOO_BIG = 1 << 20;

const MODERN = "2026-07-28";
const OLD = "2025-11-25";
const CLEAN = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f]+$/;

/* ---- how a case is judged ---- */

async function judge(driver, server, name, command, expected, { calls = 1, limit = runsOut(expected) ? LIMIT : LONG } = {}) {
    const begun = Date.now();
    const answer = await driver.do(name, command);
    const took = Date.now() - begun;
    const wanted = [expected].flat();
    const all = JSON.stringify(answer);

    assert.ok(wanted.includes(answer.status), `status ${all}`);
    assert.ok(took < limit, `it took ${took} ms`);
    if (answer.status) {
        assert.ok(answer.why?.length > 5, `a reason: ${all}`);
        assert.match(answer.why, CLEAN);
    }
    assert.ok(server.count("tools/call") <= calls, `calls: ${server.seen.join()}`);
    return answer;
}

async function withHostile(rules, use, options = {}) {
    const server = await new Hostile(rules).listen();

    try {
        await withDriver(async (driver) => use(driver, server), options.environment);
    } finally {
        server.close();
    }
}

/* Options of a client whose request ends as expected. */
const target = (server, expected, more = {}) => {
    const timeout = runsOut(expected) ? TIMEOUT : LONG;

    return { url: server.url, revision: MODERN, timeout, max_ms: 2 * timeout, max_message: TOO_BIG, close_ms: 500, ...more };
};

/* Many only wait. */
describe("a call", { concurrency: 3 }, () => {
    for (const [what, reply, expected, options] of replies)
        for (const revision of [MODERN, OLD])
            test(`${revision}: ${what}`, () => {
                let broken = true;
                const rules = {
                    "tools/call": (socket, message, request) =>
                        broken ? reply(socket, message, request) : socket.write(whole(result(message))),
                };

                return withHostile(rules, async (driver, server) => {
                    const modern = revision === MODERN;
                    const status = modern || !what.startsWith("asks") ? expected : 0;

                    await driver.must("connect", target(server, status, { revision }));
                    const answer = await judge(driver, server, "call", { name: "act", arguments: {} }, status, options);
                    const sent = server.count("tools/call");
                    /* The client is as good as before. */
                    broken = false;
                    assert.equal((await driver.call("act")).text, "done", JSON.stringify(answer));
                    assert.equal(server.count("tools/call"), sent + 1);
                });
            });
});

/* ---- connecting ---- */

/* Rules of the server, options of the client, and how the attempt ends. */
const attempts = [
    ["nobody listens", null, {}, ECLOSED],
    ["discover: never answers", { "server/discover": () => {} }, {}, ETIMEOUT],
    [
        "discover: no revision in common",
        { "*": (s, m) => s.write(whole(refusal(m, ["1999-01-01"]), "400 Bad Request")) },
        {},
        EPROTOCOL,
    ],
    [
        "discover: a list of revisions that is none",
        { "*": (s, m) => s.write(whole(refusal(m, { a: 1 }), "400 Bad Request")) },
        {},
        EPROTOCOL,
    ],
    [
        "discover: refuses what it has offered",
        { "*": (s, m) => s.write(whole(refusal(m, [MODERN]), "400 Bad Request")) },
        {},
        EPROTOCOL,
    ],
    ["initialize: a revision that is unknown", old({ protocolVersion: "2031-01-01" }), {}, EPROTOCOL],
    ["initialize: a revision that is a number", old({ protocolVersion: 5 }), {}, EPROTOCOL],
    ["initialize: no object", old(null), {}, EPROTOCOL],
    ["initialize: an error", old({}, { code: -32603, message: "\u001b[2Jno" }), {}, EPROTOCOL],
    ["initialize: never answers", { initialize: () => {} }, { revision: OLD }, ETIMEOUT],
    [
        "initialize: a redirect without end",
        { "*": (s) => s.write(whole("", "307 Temporary Redirect", { Location: "/mcp" })) },
        { revision: OLD },
        [EPROTOCOL, ECLOSED],
    ],
    ["everything is 404", { "*": (s) => s.write(whole("", "404 Not Found")) }, {}, EPROTOCOL],
    [
        "everything is 404, and HTTP+SSE is permitted",
        { "*": (s) => s.write(whole("", "404 Not Found")) },
        { legacy_sse: true },
        [EPROTOCOL, ECLOSED],
    ],
    [
        "HTTP+SSE: an endpoint elsewhere",
        sse((s) => s.write(`${stream}event: endpoint\ndata: http://127.0.0.2:9/x\n\n`)),
        { legacy_sse: true, revision: "2024-11-05" },
        [EPROTOCOL, EDENIED],
    ],
    [
        "HTTP+SSE: never names an endpoint",
        sse((s) => s.write(stream)),
        { legacy_sse: true, revision: "2024-11-05" },
        [ETIMEOUT, EPROTOCOL],
    ],
    [
        "HTTP+SSE: ends at once",
        sse((s) => s.end(`${stream}event: endpoint\ndata: /x\n\n`)),
        { legacy_sse: true, revision: "2024-11-05" },
        [ECLOSED, EPROTOCOL, ETIMEOUT],
    ],
    [
        "a session id with a line end",
        {
            initialize: (s, m) =>
                s.write(whole(result(m), "200 OK", { "Mcp-Session-Id": "a\r\n\tb: c" })),
        },
        { revision: OLD },
        [0, EPROTOCOL, ECLOSED],
    ],
];

function refusal({ id }, supported) {
    const data = { supported, requested: MODERN };

    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32022, message: "no", data } });
}

/* A server without server/discover. */
function old(answer, error) {
    return {
        "server/discover": (s, { id }) =>
            s.write(
                whole(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })),
            ),
        initialize: (s, m) =>
            s.write(
                whole(
                    error
                        ? JSON.stringify({ jsonrpc: "2.0", id: m.id, error })
                        : result(m, answer && { capabilities: {}, serverInfo: {}, ...answer }),
                ),
            ),
    };
}

function sse(get) {
    return { GET: get, "*": (s) => s.write(whole("", "405 Method Not Allowed")) };
}

for (const [what, rules, options, expected] of attempts)
    test(`connecting: ${what}`, () =>
        withHostile(rules ?? {}, async (driver, server) => {
            if (!rules) server.close();
            const made = target(server, expected, { revision: undefined, ...options });

            await judge(driver, server, "connect", made, expected, { limit: 2 * LIMIT });
        }));

/* ---- lists ---- */

const pages = (extra) => (s, m) => s.write(whole(result(m, { resultType: "complete", tools: [], ...extra(m) })));
const tool = (more) => ({ name: "t", inputSchema: { type: "object" }, ...more });
const lists = [
    ["a next page for ever", pages(() => ({ nextCursor: String(Math.random()) })), [EPROTOCOL, ETOOBIG]],
    ["the same page for ever", pages(() => ({ nextCursor: "a" })), [EPROTOCOL, ETOOBIG]],
    ["a cursor that is a number", pages(() => ({ nextCursor: 7 })), [EPROTOCOL, 0]],
    ["tools that are no array", pages(() => ({ tools: {} })), EPROTOCOL],
    ["tools that are no objects", pages(() => ({ tools: [1, null, "x", []] })), [0, EPROTOCOL]],
    ["tools without names", pages(() => ({ tools: [{ inputSchema: {} }, tool({ name: 5 })] })), [0, EPROTOCOL]],
    ["schemas that are none", pages(() => ({ tools: [tool({ inputSchema: 5 }), tool({ inputSchema: { type: "nope", pattern: "(" } })] })), [0, EPROTOCOL]],
    [
        "a schema that refers to itself and to a file",
        pages(() => ({
            tools: [tool({ inputSchema: { $ref: "#", properties: { a: { $ref: "file:///etc/passwd" } } } })],
        })),
        [0, EPROTOCOL],
    ],
    ["50,000 tools", pages(() => ({ tools: Array.from({ length: 50000 }, (_, i) => tool({ name: `t${i}` })) })), [0, ETOOBIG]],
    ["a time to live without end", pages(() => ({ tools: [tool()], ttlMs: 1e300, cacheScope: "public" })), [0, EPROTOCOL]],
    ["a negative time to live", pages(() => ({ tools: [tool()], ttlMs: -5, cacheScope: 9 })), [0, EPROTOCOL]],
];

for (const [what, rule, expected] of lists)
    test(`lists: ${what}`, () =>
        withHostile({ "tools/list": rule }, async (driver, server) => {
            await driver.must("connect", target(server, expected, { max_message: 16 << 20 }));
            await judge(driver, server, "list", { kind: "tools" }, expected);
            assert.ok(server.count("tools/list") <= 64, server.seen.length);
        }));

test("lists: a call whose schema cannot be checked ends", () =>
    withHostile(
        { "tools/list": pages(() => ({ tools: [tool({ name: "act", inputSchema: { type: "nope" }, outputSchema: { pattern: "(" } })] })) },
        async (driver, server) => {
            await driver.must("connect", target(server, 0, { check_arguments: true, check_results: true }));
            await judge(driver, server, "call", { name: "act", arguments: {} }, [0, -2, -7, EPROTOCOL]);
        },
    ));

/* ---- redirects and other origins ---- */

for (const location of ["http", "/elsewhere", "file:///etc/passwd", "//127.0.0.1:1/", "gopher://x/"])
    for (const status of ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
        test(`a redirect to ${location} by ${status}`, async () => {
            const other = await new Hostile({}).listen();
            const to = location === "http" ? other.url : location;

            try {
                await withHostile(
                    { "tools/call": (s) => s.write(whole("", status, { Location: to })) },
                    async (driver, server) => {
                        await driver.must("connect", target(server, EPROTOCOL, { bearer: "secret-token-123" }));
                        /* Within an origin a client may follow: the server has not executed the call. */
                        const calls = location === "/elsewhere" && status > "307" ? 6 : 1;
                        const answer = await judge(driver, server, "call", { name: "act" }, [EPROTOCOL, ECLOSED], {
                            calls,
                        });
                        assert.doesNotMatch(JSON.stringify(answer) + driver.stderr, /secret-token/);
                    },
                );
                assert.deepEqual(other.seen, [], "nothing reached the other origin");
            } finally {
                other.close();
            }
        });

/* ---- cancellation, sessions, streams ---- */

test("an answer after the cancellation", () => {
    let late;

    return withHostile(
        {
            "tools/call": (s, m) => {
                if (late) return s.write(whole(result(m)));
                s.write(stream);
                late = () => s.write(event(result(m)) + event(result(m)));
            },
        },
        async (driver, server) => {
            await driver.must("connect", target(server, 0));
            const { status: id } = await driver.do("begin", { name: "act" });
            for (const end = Date.now() + LONG; !late && Date.now() < end;) await driver.do("wait", { id, ms: 50 });
            assert.ok(late, "the call has come");
            await driver.must("cancel", { id });
            late();
            assert.notEqual((await driver.do("wait", { id, ms: 50 })).status, 0);
            assert.equal((await driver.call("act")).text, "done");
        },
    );
});

test("progress without end", () =>
    withHostile(
        {
            "tools/call": (s, m) => {
                const progressToken = m.params._meta.progressToken;

                s.write(stream);
                forever(s, (progress) =>
                    event(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } })),
                );
            },
        },
        async (driver, server) => {
            await driver.must("connect", target(server, ETIMEOUT));
            const { status: id } = await driver.do("begin", { name: "act", progress: true });
            await judge(driver, server, "wait", { id, ms: 10000 }, ETIMEOUT, { limit: 2 * LIMIT });
            assert.ok(driver.named("progress").length > 5);
        },
    ));

test("a session that is never known", () =>
    withHostile(
        {
            initialize: (s, m) => s.write(whole(result(m), "200 OK", { "Mcp-Session-Id": "gone" })),
            "tools/call": (s) => s.write(whole("", "404 Not Found")),
        },
        async (driver, server) => {
            await driver.must("connect", target(server, EPROTOCOL, { revision: OLD }));
            await judge(driver, server, "call", { name: "act" }, [EPROTOCOL, ECLOSED], { calls: 2 });
            assert.ok(server.count("initialize") <= 2, server.seen.join());
        },
    ));

test("a stream that breaks for ever", () =>
    withHostile(
        {
            "tools/call": (s) => s.end(`${stream}retry: 10\n${event("", "e1")}`),
            GET: (s) => s.end(`${stream}retry: 1\n${event("", "e2")}`),
        },
        async (driver, server) => {
            await driver.must("connect", target(server, ETIMEOUT, { revision: OLD }));
            await judge(driver, server, "call", { name: "act" }, [ETIMEOUT, ECLOSED, EPROTOCOL]);
            assert.ok(server.count("GET") >= 1, server.seen.join());
            assert.ok(server.count("GET") < 100, `${server.count("GET")} attempts`);
        },
    ));

test("a stream that is to be resumed in eleven days", () =>
    withHostile(
        { "tools/call": (s) => s.end(`${stream}retry: 999999999\n${event("", "e1")}`) },
        async (driver, server) => {
            await driver.must("connect", target(server, ETIMEOUT, { revision: OLD }));
            await judge(driver, server, "call", { name: "act" }, [ETIMEOUT, ECLOSED, EPROTOCOL]);
        },
    ));

test("an event id with escape sequences", () =>
    withHostile(
        {
            "tools/call": (s) => s.end(`${stream}retry: 1\n${event("", "\x1b[31m\tx: y")}`),
            GET: (s) => s.write(whole("", "400 Bad Request")),
        },
        async (driver, server) => {
            await driver.must("connect", target(server, ETIMEOUT, { revision: OLD }));
            await judge(driver, server, "call", { name: "act" }, [ETIMEOUT, ECLOSED, EPROTOCOL]);
        },
    ));

/* ---- closing at every byte ---- */

const dropped = (make) => {
    const drop = {
        at: 0,
        rule: (s, m) => {
            const text = make(m);

            drop.size = text.length;
            s.end(text.slice(0, drop.at));
        },
    };

    return drop;
};

for (const [what, make] of [
    ["an answer", (m) => whole(result(m))],
    ["a stream", (m) => stream + event(result(m))],
    [
        "chunks",
        (m) => {
            const body = result(m);
            const fields = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };

            return `HTTP/1.1 200 OK\r\n${Object.entries(fields)
                .map(([name, value]) => `${name}: ${value}\r\n`)
                .join("")}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        },
    ],
])
    test(`closing at every byte of ${what}`, () => {
        const drop = dropped(make);

        return withHostile({ "tools/call": drop.rule }, async (driver, server) => {
            await driver.must("connect", target(server, 0));
            for (let whole = false; !whole; drop.at++) {
                const answer = await driver.do("call", { name: "act" });
                const where = `byte ${drop.at} of ${drop.size}: ${JSON.stringify(answer)}`;

                whole = drop.at === drop.size;
                assert.equal(server.count("tools/call"), drop.at + 1, `${where}: sent again`);
                assert.ok([0, ECLOSED, EPROTOCOL].includes(answer.status), where);
                if (!answer.status) assert.equal(answer.text, "done");
                /* The last bytes of a stream say nothing that is not known already. */
                assert.ok(whole ? !answer.status : answer.status || drop.at > drop.size - 8, where);
            }
        });
    });
