/* http-checks-lifecycle.mjs - versions, sessions, arrays, ids, and what must not be remembered. */

import assert from "node:assert/strict";
import http from "node:http";
import {
    LEGACY,
    META,
    MODERN,
    Session,
    ask,
    assertError,
    call,
    modernHeaders,
    modernMessage,
    post,
    send,
    settle,
} from "./http-client.mjs";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const PING = { jsonrpc: "2.0", id: 2, method: "ping" };
const NOTHING = { jsonrpc: "2.0", method: "notifications/initialized" };

/* ---- which version ---- */

const negotiation = async (url) => {
    for (const [asked, answered] of [
        ...LEGACY.map((revision) => [revision, revision]),
        ["2099-01-01", "2025-11-25"],
        [MODERN, "2025-11-25"],
        ["", "2025-11-25"],
    ]) {
        const session = await Session.open(url, asked);

        assert.equal(session.revision, answered, asked);
        assert.ok((await session.request("tools/list")).response.result.tools.length > 0);
        assert.deepEqual((await session.request("ping")).response.result, {});
        assert.equal(await session.end(), 200);
    }
    const bad = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
    const { response, headers } = await settle(await post(url, bad), bad, "2025-11-25");

    assert.equal(response.error.code, -32602);
    assert.equal(headers["mcp-session-id"], undefined, "who was refused has no session");
    const future = {
        ...bad,
        params: {
            protocolVersion: "2099-01-01",
            capabilities: {},
            clientInfo: { name: "a", version: "1" },
        },
    };
    assert.equal(
        (await post(url, future, { "mcp-protocol-version": "2099-01-01" })).status,
        200,
        "it is negotiated",
    );
};

/* The edge rules of two eras on one endpoint. */
const edges = async (url) => {
    const modern = { "mcp-protocol-version": MODERN };
    const initialize = modernMessage("initialize", { protocolVersion: "2025-11-25" }, { id: 9 });

    await assertError(await post(url, LIST, modern), 400, -32602, 1);
    const differs = modernMessage(
        "tools/list",
        {},
        { id: 3, meta: { [`${META}protocolVersion`]: "v999" } },
    );
    await assertError(await post(url, differs, modernHeaders("tools/list")), 400, -32020, 3);
    assert.equal((await post(url, LIST, { "mcp-protocol-version": "v999" })).status, 400);
    await assertError(await post(url, initialize, modernHeaders("initialize")), 404, -32601, 9);
    for (const method of [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "no/such",
    ]) {
        const { response, status } = await ask(url, method, {
            level: "info",
            uri: "test://static-text",
        });

        assert.equal(response.error?.code, -32601, method);
        assert.equal(status, 404);
    }
    const session = await Session.open(url);
    for (const method of ["server/discover", "subscriptions/listen", "no/such"]) {
        const { response, status } = await session.request(method, {});

        assert.equal(response.error?.code, -32601, method);
        assert.equal(status, 200);
    }
    const uri = "test://nowhere";
    const old = await session.request("resources/read", { uri });
    assert.equal(old.response.error.code, -32002);
    const now = await ask(url, "resources/read", { uri });
    assert.equal(now.response.error.code, -32602);
    assert.equal(now.response.error.data.uri, uri);
    assert.equal(now.status, 200);
    for (const unknown of [await session.call("nowhere"), await call(url, "nowhere")]) {
        assert.equal(unknown.response.error.code, -32602);
        assert.equal(unknown.status, 200);
    }
};

const discover = async (url) => {
    const { response } = await ask(url, "server/discover");
    const { result } = response;

    assert.deepEqual(result.supportedVersions, [MODERN]);
    assert.equal(typeof result.capabilities.tools, "object");
    assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0);
    assert.match(result.cacheScope, /^(public|private)$/);
    assert.equal(typeof result._meta[`${META}serverInfo`].name, "string");
    const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
    for (const method of lists) {
        const listed = (await ask(url, method)).response.result;

        assert.ok(Number.isInteger(listed.ttlMs) && listed.ttlMs >= 0, method);
        assert.match(listed.cacheScope, /^(public|private)$/, method);
        assert.ok(!("nextCursor" in listed), method);
    }
};

/* ---- ids ---- */

const ids = async (url) => {
    const session = await Session.open(url);

    for (const id of [
        0,
        -1,
        1,
        "1",
        "",
        "a b",
        "\u20ac",
        Date.now(),
        Number.MAX_SAFE_INTEGER,
        "x".repeat(200),
    ]) {
        await ask(url, "tools/list", {}, { id });
        await call(url, "test_tool_with_progress", {}, { id, meta: { progressToken: id } });
        await session.request("ping", undefined, { id });
        const bad = modernMessage("no/such", {}, { id });
        const answer = await post(url, bad, modernHeaders("no/such"));
        assert.ok(Object.is((await answer.json()).id, id));
    }
    /* Beyond what JavaScript can count, as text. */
    const exact = `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`;
    assert.match(await (await session.post(exact)).text(), /"id":9007199254740993[,}]/);
};

/* ---- sessions ---- */

const sessions = async (url) => {
    const session = await Session.open(url);
    const other = await Session.open(url);

    assert.equal((await session.request("tools/list")).status, 200);
    assert.equal(await session.end(), 200);
    await assertError(await session.post(LIST), 404, -32600);
    await assertError(await session.post(NOTHING), 404, -32600);
    await assertError(await session.get(), 404, -32600);
    await assertError(await session.get("1-0"), 404, -32600);
    assert.equal(await session.end(), 404);
    assert.equal((await other.request("tools/list")).status, 200, "the other one lives on");
    assert.equal(await other.end(), 200);
    for (const id of ["none", `${other.id}0`, other.id.slice(1)])
        await assertError(await post(url, LIST, { "mcp-session-id": id }), 404, -32600);
};

/* Without a session every message stands for itself, and what would have to be remembered is refused. */
const sessionless = async (url) => {
    for (const revision of [undefined, ...LEGACY]) {
        const headers = { "mcp-protocol-version": revision };
        const ways = [{}, { accept: undefined }, { accept: "*/*" }];
        const shape = revision ?? "2025-03-26";

        for (const way of ways) {
            const { response } = await settle(
                await post(url, LIST, { ...headers, ...way }),
                LIST,
                shape,
            );

            assert.ok(response.result?.tools.length > 0);
            const message = { ...LIST, method: "tools/call", params: { name: "test_simple_text" } };
            const called = await settle(
                await post(url, message, { ...headers, ...way }),
                message,
                shape,
            );

            assert.equal(
                called.response.result.content[0].text,
                "This is a simple text response for testing.",
            );
            assert.equal(called.headers["mcp-session-id"], undefined);
        }
        for (const [method, params] of [
            ["resources/subscribe", { uri: "test://watched-resource" }],
            ["resources/unsubscribe", { uri: "test://watched-resource" }],
            ["logging/setLevel", { level: "error" }],
        ])
            await assertError(
                await post(url, { ...PING, method, params }, headers),
                400,
                -32600,
                2,
            );
        const asks = {
            ...LIST,
            method: "tools/call",
            params: { name: "test_sampling", arguments: { prompt: "?" } },
        };
        const { response } = await settle(await post(url, asks, headers), asks, shape);
        assert.equal(response.result.isError, true, "nobody can be asked");
    }
};

const unguessable = async (url) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    const made = [];
    const one = async () => {
        const session = await Session.open(url, "2025-11-25", {}, { agent });

        made.push(session);
        assert.match(session.id, /^[\x21-\x7e]{32,}$/);
    };

    try {
        for (let i = 0; i < 125; i++) await Promise.all(Array.from({ length: 8 }, one));
        const seen = made.map(({ id }) => id);

        assert.equal(new Set(seen).size, 1000, "no two are the same");
        /* Every place takes every digit about as often: 16 digits, 1000 ids, within six deviations. */
        const places = [...seen[0]].length;
        let still = 0;
        for (let at = 0; at < places; at++) {
            const counts = new Map();
            for (const id of seen) counts.set(id[at], (counts.get(id[at]) ?? 0) + 1);
            if (counts.size === 1) still++;
            else
                for (const n of counts.values())
                    assert.ok(n < 63 + 6 * 8, `place ${at} is no surprise`);
        }
        assert.ok((places - still) * 4 >= 128, "128 bits that nobody can know");
        for (const session of made) {
            const answer = await send(url, { method: "DELETE", headers: session.headers(), agent });
            await answer.text();
            assert.equal(answer.status, 200);
        }
    } finally {
        agent.destroy();
    }
};

/* ---- arrays ---- */

const batches = async (url) => {
    const session = await Session.open(url, "2025-03-26");
    const slow = {
        jsonrpc: "2.0",
        id: "s",
        method: "tools/call",
        params: { name: "test_tool_with_progress", arguments: {} },
    };
    const read = async (answer) => {
        if (!answer.isStream) return answer.json();
        const messages = [];
        for (let message; (message = await answer.message());) messages.push(message);
        return messages.flat().filter((message) => !message.method);
    };
    const answer = await session.post([PING, NOTHING, slow, LIST]);

    assert.equal(answer.status, 200);
    const responses = await read(answer);
    assert.deepEqual(new Set(responses.map(({ id }) => id)), new Set([1, 2, "s"]));
    assert.equal(responses.length, 3, "one for each request");
    const bad = await read(await session.post([PING, 1, { jsonrpc: "2.0", id: 5, method: 7 }]));
    assert.deepEqual(bad.filter(({ id }) => id === 5)[0].error.code, -32600);
    assert.ok(bad.some(({ id, result }) => id === 2 && result));
    const told = await session.post([NOTHING, NOTHING]);
    assert.equal(told.status, 202);
    assert.equal(await told.text(), "");
    await assertError(await session.post([]), 400, -32600);
    for (const revision of LEGACY.filter((name) => name !== "2025-03-26")) {
        const other = await Session.open(url, revision);

        await assertError(await other.post([PING]), 400, -32600);
        await assertError(
            await post(url, [PING], { "mcp-protocol-version": revision }),
            400,
            -32600,
        );
    }
    await assertError(await post(url, [PING]), 400, -32600);
    await assertError(await post(url, [LIST], { "mcp-protocol-version": MODERN }), 400, -32600);
    await assertError(
        await post(url, [modernMessage("tools/list")], modernHeaders("tools/list")),
        400,
        -32600,
    );
};

/* ---- what is not remembered ---- */

const stateless = async (url) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const asks = { name: "test_missing_capability" };

    try {
        /* One connection: a legacy client, then modern requests that must stand for themselves. */
        const session = await Session.open(url, "2025-06-18", { sampling: {} }, { agent });
        const bare = await post(url, LIST, { "mcp-protocol-version": MODERN }, { agent });

        await assertError(bare, 400, -32602, 1);
        const can = await ask(url, "tools/call", asks, { agent, capabilities: { sampling: {} } });
        assert.equal(can.response.result.resultType, "input_required");
        const cannot = await ask(url, "tools/call", asks, { agent });
        assert.equal(cannot.response.error?.code, -32021, "what was said before does not count");
        assert.deepEqual(cannot.response.error.data.requiredCapabilities, { sampling: {} });
        assert.equal(cannot.status, 400);
        const loud = await call(
            url,
            "test_logging_tool",
            {},
            { agent, meta: { [`${META}logLevel`]: "debug" } },
        );
        assert.equal(loud.notifications.length, 1);
        const quiet = await call(url, "test_logging_tool", {}, { agent });
        assert.equal(quiet.notifications.length, 0);
        assert.equal((await session.request("ping")).status, 200);
    } finally {
        agent.destroy();
    }
};

const sameForAll = async (url) => {
    const first = (await ask(url, "tools/list")).response.result.tools;
    const names = (tools) => tools.map(({ name }) => name);

    for (let i = 0; i < 3; i++)
        assert.deepEqual((await ask(url, "tools/list")).response.result.tools, first);
    for (const revision of LEGACY) {
        const session = await Session.open(url, revision);
        const listed = (await session.request("tools/list")).response.result.tools;

        assert.deepEqual(names(listed), names(first), revision);
        const alone = { ...LIST };
        const { response } = await settle(
            await post(url, alone, { "mcp-protocol-version": revision }),
            alone,
            revision,
        );
        assert.deepEqual(response.result.tools, listed, "with a session and without");
    }
    for (const tool of first)
        for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean))
            assert.equal(typeof schema, "object");
};

export const lifecycle = {
    "which version": ["everything", negotiation],
    "edges of the eras": ["everything", edges],
    "server/discover and what may be kept": ["everything", discover],
    "ids come back as they went": ["everything", ids],
    "sessions begin and end": ["everything", sessions],
    "no session": ["everything", sessionless],
    "session ids": ["driver", unguessable],
    "arrays of messages": ["everything", batches],
    "nothing is inferred from a connection": ["everything", stateless],
    "tools/list is the same for all": ["everything", sameForAll],
};
