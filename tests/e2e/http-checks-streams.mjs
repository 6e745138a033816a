/* http-checks-streams.mjs - streams: what goes on which, what is kept of them, and what their end means. */

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import {
    LEGACY,
    META,
    MODERN,
    Session,
    begin,
    call,
    assertError,
    messageOf,
    modernHeaders,
    modernMessage,
    post,
    settle,
    SECOND,
    eventually,
    textOf,
} from "./http-client.mjs";
import { Conversation } from "./spec.mjs";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const token = (progressToken) => ({ meta: { progressToken } });
export const counts = async (url) =>
    (await call(url, "counts")).response.result.structuredContent;

/* ---- progress and messages ---- */

const progress = async (url) => {
    const session = await Session.open(url);

    for (const one of ["t", "", 0, 7, -1, Date.now(), "7"]) {
        for (const answered of [
            await call(url, "work", { ms: 1 }, token(one)),
            await session.call("work", { ms: 1 }, token(one)),
        ]) {
            assert.deepEqual(
                answered.notifications.map(({ params }) => params.progress),
                [1, 2, 3],
            );
            assert.ok(answered.notifications.every(({ params }) => params.total === 3));
            assert.equal(textOf(answered), "3 steps");
        }
    }
    for (const answered of [
        await call(url, "work", { ms: 1 }),
        await session.call("work", { ms: 1 }),
    ]) {
        assert.equal(answered.notifications.length, 0, "nobody asked");
        assert.equal(
            answered.headers["content-type"],
            "application/json",
            "so it need not be a stream",
        );
    }
    for (const answered of [
        await call(url, "stumble", {}, token("s")),
        await session.call("stumble", {}, token("s")),
    ])
        assert.deepEqual(
            answered.notifications.map(({ params }) => params.progress),
            [1, 3, 4],
            "only forward",
        );
    for (const bad of [null, true, {}, 1.5])
        assert.equal(
            (await call(url, "work", { ms: 1 }, token(bad))).notifications.length,
            0,
            "no token",
        );
};

const messages = async (url) => {
    const session = await Session.open(url);
    const levels = ({ notifications }) => notifications.map(({ params }) => params.level);

    for (const [i, level] of LEVELS.entries()) {
        const modern = await call(url, "chatter", {}, { meta: { [`${META}logLevel`]: level } });

        assert.deepEqual(levels(modern), LEVELS.slice(i), level);
        assert.deepEqual(
            (await session.request("logging/setLevel", { level })).response.result,
            {},
        );
        assert.deepEqual(levels(await session.call("chatter")), LEVELS.slice(i), level);
    }
    assert.deepEqual(
        levels(await call(url, "chatter")),
        [],
        "a modern client says what it wants each time",
    );
    const bad = await call(url, "chatter", {}, { meta: { [`${META}logLevel`]: "loud" } });
    assert.equal(bad.response.error.code, -32602);
    const worse = await session.request("logging/setLevel", { level: "loud" });
    assert.equal(worse.response.error.code, -32602);
};

/* ---- the shape of a stream ---- */

const shape = async (url) => {
    for (const revision of LEGACY) {
        const session = await Session.open(url, revision);
        const { events } = await session.call("work", { ms: 1 }, token(1));
        const [first] = events;

        if (revision === "2025-11-25") {
            assert.deepEqual(first.data, [""], "the first event is there to come back to");
            assert.match(first.id, /^\S+$/);
            assert.match(first.retry, /^\d+$/);
        } else assert.notDeepEqual(first.data, [""], `${revision} knows no empty events`);
        if (revision >= "2025-03-26") assert.ok(events.every(({ id }) => id !== undefined));
        const again = await session.call("work", { ms: 1 }, token(1));
        const all = [...events, ...again.events].map(({ id }) => id).filter(Boolean);
        assert.equal(new Set(all).size, all.length, "ids are of one event in the whole session");
        if (revision === "2025-11-25") {
            const listening = await session.get();
            const event = await listening.event();

            assert.deepEqual(event.data, [""]);
            listening.close();
        }
    }
    const { events } = await call(url, "work", { ms: 1 }, token(1));
    assert.ok(events.every(({ id, retry }) => id === undefined && retry === undefined));
};

/* A client that takes no streams gets the answer alone. */
const jsonOnly = async (url) => {
    const session = await Session.open(url);
    const message = session.message("tools/call", {
        name: "work",
        arguments: { ms: 1 },
        _meta: { progressToken: 1 },
    });
    const answer = await session.post(message, { accept: "application/json" });
    const { response, notifications } = await settle(answer, message, session.revision);

    assert.equal(answer.headers["content-type"], "application/json");
    assert.equal(notifications.length, 0);
    assert.ok(response.result);
};

/* ---- the end of a connection ---- */

const modernDisconnect = async (url) => {
    const before = await counts(url);
    const slow = { name: "work", arguments: { steps: 100, ms: 20 } };
    const { answer } = await begin(url, "tools/call", slow, token(1));

    assert.ok(await answer.message(), "it is at work");
    answer.close();
    const leaving = new AbortController();
    const alone = begin(url, "tools/call", slow, { signal: leaving.signal });

    await eventually(
        () => counts(url),
        (so) => so.begun - before.begun === 2,
    );
    leaving.abort();
    await assert.rejects(alone, { name: "AbortError" });
    const after = await eventually(
        () => counts(url),
        (so) => so.cancelled - before.cancelled === 2,
    );
    assert.equal(after.cancelled - before.cancelled, 2, "the handlers were told");
    assert.equal(after.finished, before.finished);
};

const legacyDisconnect = async (url) => {
    for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        const session = await Session.open(url, revision);
        const before = await counts(url);
        const { answer } = await session.begin("work", { steps: 6, ms: 20 }, token(1));

        assert.ok(await answer.message());
        answer.close();
        const after = await eventually(
            () => counts(url),
            (so) => so.finished > before.finished,
        );
        assert.equal(after.finished - before.finished, 1, `${revision}: it goes on to its end`);
        assert.equal(after.cancelled, before.cancelled);
    }
};

/* Whoever cancels gets no answer, and is not kept waiting for one. */
const cancelled = async (url) => {
    for (const more of [token(1), {}]) {
        const session = await Session.open(url);
        const before = await counts(url);
        const running = session.begin("work", { steps: 200, ms: 20 }, { ...more, id: "c" });

        await eventually(
            () => counts(url),
            (so) => so.begun > before.begun,
        );
        const told = await session.post({
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId: "c", reason: "enough" },
        });
        assert.equal(told.status, 202);
        const { answer } = await running;
        const text = await answer.text();
        assert.ok(!text.includes('"id":"c"'), "no answer");
        assert.equal(answer.status, 200);
        assert.equal(answer.headers["content-type"], "text/event-stream");
        const after = await eventually(
            () => counts(url),
            (so) => so.cancelled > before.cancelled,
        );
        assert.equal(after.cancelled - before.cancelled, 1);
    }
};

/* Reads nothing of the answer to a call until the server is done with it, one way or another; then what
 * there is. */
async function lag(url, args) {
    const before = await counts(url);
    const { hostname, port } = new URL(url);
    const params = { name: "flood", arguments: args };
    const message = modernMessage("tools/call", params, { meta: { [`${META}logLevel`]: "debug" } });
    const headers = {
        ...modernHeaders("tools/call", params),
        host: "localhost",
        connection: "close",
    };
    const socket = net.connect(port, hostname);
    let heard = "";

    socket.setEncoding("utf8");
    await once(socket, "connect");
    socket.pause();
    const body = JSON.stringify(message);
    const lines = {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
    };
    const head = Object.entries(lines).filter(([, value]) => value !== undefined);
    socket.write(
        `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
    );
    await eventually(
        () => counts(url),
        (so) => so.cancelled + so.finished > before.cancelled + before.finished,
        20 * SECOND,
    );
    socket.on("data", (more) => (heard += more));
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    return heard;
}

/* One big message is not yet a reason to be impatient; a reader that never reads is. */
const slowReaders = async (url) => {
    const before = await counts(url);
    const size = 4_100_000;
    const whole = await lag(url, { messages: 1, bytes: size });

    assert.ok(whole.endsWith("\r\n0\r\n\r\n"), "to the end");
    assert.ok(whole.length > size);
    const cut = await lag(url, { messages: 20000, bytes: 1 });
    assert.ok(!cut.endsWith("\r\n0\r\n\r\n"), "it was dropped");
    const after = await eventually(
        () => counts(url),
        (so) => so.cancelled > before.cancelled,
    );
    assert.equal(after.cancelled - before.cancelled, 1, "and the handler was told");
    assert.equal(after.finished - before.finished, 1);
};

/* ---- coming back ---- */

async function collect(answer, milliseconds = 3000) {
    const events = [];

    for (let event; (event = await answer.event(milliseconds));)
        if (event.data.join("") !== "") events.push(event);
    return events;
}

const resume = async (url) => {
    for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        const session = await Session.open(url, revision);
        const kept = await session.begin(
            "work",
            { steps: 5, ms: 30 },
            { ...token("kept"), id: "kept" },
        );
        const lost = await session.begin(
            "work",
            { steps: 5, ms: 30 },
            { ...token("lost"), id: "lost" },
        );
        const seen = [];

        for (let event; seen.length < 2 && (event = await lost.answer.event());)
            if (event.data.join("") !== "") seen.push(event);
        lost.answer.close();
        const back = await session.get(seen.at(-1).id);
        assert.equal(back.status, 200);
        assert.equal(back.headers["content-type"], "text/event-stream");
        const missed = await collect(back);
        const steps = [...seen, ...missed].map(messageOf);
        assert.deepEqual(
            steps.map(({ params, id }) => params?.progress ?? id),
            [1, 2, 3, 4, 5, "lost"],
            `${revision}: each once, in order, and nothing of the other`,
        );
        assert.ok(steps.every(({ params }) => !params || params.progressToken === "lost"));
        const { response } = await settle(kept.answer, kept.message, revision, { resumable: true });
        assert.equal(response.id, "kept");

        /* When all is over, what was missed is still there, from any point on. */
        const ids = [...seen, ...missed].map(({ id }) => id);
        for (const [i, id] of ids.entries()) {
            const again = await collect(await session.get(id));
            assert.deepEqual(
                again.map((event) => event.id),
                ids.slice(i + 1),
            );
        }
        for (const id of [
            "nonsense",
            "1",
            "-",
            "1-",
            "99999-1",
            "1-1-1",
            "18446744073709551616-1",
            " ",
        ])
            await assertError(await session.get(id), 400, -32600);
        const stranger = await Session.open(url, revision);
        const theirs = await stranger.get(ids[0]);
        if (theirs.status === 200)
            assert.deepEqual(await collect(theirs, 100), [], "another's events are not there");
        theirs.close();
    }
};

/* The stream of what is said unasked can be lost and found again like any other. */
const resumeListening = async (url) => {
    const session = await Session.open(url);
    const changed = async (listening) => {
        let event;
        do event = await listening.event(2000);
        while (event && event.data.join("") === "");
        return event;
    };
    const change = () => call(url, "test_trigger_tool_change");
    const first = await session.get();
    const witness = await (await Session.open(url)).get();

    await change();
    const heard = await changed(first);
    assert.equal(messageOf(heard).method, "notifications/tools/list_changed");
    assert.ok(await changed(witness));
    first.close();
    await change();
    assert.ok(await changed(witness), "it has been said");
    const second = await session.get(heard.id);
    const missed = await changed(second);
    assert.ok(missed, "what was said meanwhile");
    assert.equal(messageOf(missed).method, "notifications/tools/list_changed");
    await change();
    const next = await changed(second);
    assert.ok(next, "and it goes on");
    assert.equal(new Set([heard.id, missed.id, next.id]).size, 3);
    second.close();
    witness.close();
    assert.equal(await session.end(), 200);
};

/* The server lets the connection go, and the client comes back for the answer. */
const polling = async (url) => {
    const session = await Session.open(url);
    const { message, answer } = await session.begin("test_reconnection", {}, { id: 77 });
    const first = await answer.event();

    assert.equal(answer.headers["content-type"], "text/event-stream");
    assert.deepEqual(first.data, [""]);
    assert.equal(await answer.event(), null, "it is closed before the answer");
    const back = await session.get(first.id);
    const { response } = await settle(back, message, session.revision, { resumable: true });
    assert.equal(response.id, 77);
    for (const revision of ["2025-03-26", "2025-06-18"]) {
        const older = await Session.open(url, revision);
        assert.ok(
            (await older.call("test_reconnection")).response.result,
            `${revision} keeps its connection`,
        );
    }
    assert.ok((await call(url, "test_reconnection")).response.result, "so does 2026-07-28");
};

/* ---- one message, one stream ---- */

const oneStream = async (url) => {
    const session = await Session.open(url);
    const listening = await session.get();
    const { message, answer } = await session.begin("test_tool_with_progress", {}, token("p"));

    await session.call("test_trigger_tool_change");
    const settled = await settle(answer, message, session.revision, { resumable: true });
    assert.equal(settled.notifications.length, 3);
    const heard = [(await listening.message())?.method];
    await session.end();
    for (let one; (one = await listening.message(1000));) heard.push(one.method);
    assert.deepEqual(heard, ["notifications/tools/list_changed"], "and nothing about a call");
};

const watched = async (url) => {
    const uri = "test://watched-resource";
    const session = await Session.open(url);
    const other = await Session.open(url);
    const [mine, theirs] = [await session.get(), await other.get()];

    assert.deepEqual((await session.request("resources/subscribe", { uri })).response.result, {});
    await call(url, "test_trigger_resource_update");
    const told = await mine.message(2000);
    assert.deepEqual([told?.method, told?.params], ["notifications/resources/updated", { uri }]);
    assert.deepEqual((await session.request("resources/unsubscribe", { uri })).response.result, {});
    await call(url, "test_trigger_resource_update");
    assert.equal(await mine.message(200), undefined, "not any more");
    assert.equal(await theirs.message(50), undefined, "nor to who never asked");
    await session.end();
    await other.end();
};

/* ---- subscriptions/listen ---- */

async function listen(url, notifications, id, more = {}) {
    const opened = await begin(url, "subscriptions/listen", { notifications }, { id, ...more });

    assert.equal(opened.answer.status, 200);
    assert.equal(opened.answer.headers["content-type"], "text/event-stream");
    assert.equal(opened.answer.headers["x-accel-buffering"], "no");
    const conversation = new Conversation();
    conversation.revision = MODERN;
    return {
        ...opened,
        next: async (milliseconds = 2000) => {
            const message = await opened.answer.message(milliseconds);
            if (message) {
                conversation.received(message);
                assert.deepEqual(conversation.faults, []);
                assert.ok(
                    Object.is(message.params?._meta?.[`${META}subscriptionId`], id),
                    "tagged with the id, of its type",
                );
            }
            return message;
        },
    };
}

const subscriptions = async (url) => {
    const uri = "test://watched-resource";
    const all = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
    };
    const rows = [
        [1, { toolsListChanged: true }],
        ["1", { promptsListChanged: true }],
        [Date.now(), { resourceSubscriptions: [uri] }],
        ["every", all],
        ["none", {}],
        ["false", { toolsListChanged: false }, {}],
        ["strange", { toolsListChanged: true, unheardOf: true }, { toolsListChanged: true }],
    ];
    const streams = {};

    for (const [id, filter, honoured] of rows) {
        const stream = (streams[`${typeof id} ${typeof id === "number" && id > 1 ? "now" : id}`] =
            await listen(url, filter, id));
        const ack = await stream.next();

        assert.equal(ack?.method, "notifications/subscriptions/acknowledged", "acknowledged first");
        assert.deepEqual(ack.params.notifications, honoured ?? filter, "as far as it is honoured");
    }
    const wants = {
        "notifications/tools/list_changed": ["number 1", "string every", "string strange"],
        "notifications/prompts/list_changed": ["string 1", "string every"],
        "notifications/resources/updated": ["number now", "string every"],
    };
    for (const [tool, method] of [
        ["test_trigger_tool_change", "notifications/tools/list_changed"],
        ["test_trigger_prompt_change", "notifications/prompts/list_changed"],
        ["test_trigger_resource_update", "notifications/resources/updated"],
        ["test_tool_with_progress", undefined],
        ["test_tool_with_logging", undefined],
    ]) {
        await call(url, tool, {}, { meta: { progressToken: 1, [`${META}logLevel`]: "debug" } });
        for (const [name, stream] of Object.entries(streams)) {
            const wanted = wants[method]?.includes(name);
            const heard = await stream.next(wanted ? 2000 : 30);

            assert.equal(heard?.method, wanted ? method : undefined, `${tool} to ${name}`);
            if (wanted && method.endsWith("updated")) assert.equal(heard.params.uri, uri);
        }
    }
    for (const { answer } of Object.values(streams)) answer.close();
    for (const bad of [
        undefined,
        [],
        { toolsListChanged: 1 },
        { resourceSubscriptions: "x" },
        { resourceSubscriptions: [1] },
    ]) {
        const { message, answer } = await begin(url, "subscriptions/listen", {
            notifications: bad,
        });
        const { response } = await settle(answer, message, MODERN);
        assert.equal(response.error.code, -32602);
    }
};

/* The same id on several connections is no conflict: each is a client of its own. */
const sameIds = async (url) => {
    const streams = [
        await listen(url, { toolsListChanged: true }, 5),
        await listen(url, { toolsListChanged: true }, 5),
    ];

    for (const stream of streams) await stream.next();
    const answered = await Promise.all(
        Array.from({ length: 8 }, () =>
            call(url, "test_tool_with_progress", {}, { id: 5, meta: { progressToken: 5 } }),
        ),
    );
    for (const one of answered) assert.equal(one.notifications.length, 3);
    const stranger = await post(
        url,
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } },
        { "mcp-protocol-version": MODERN },
    );
    assert.equal(stranger.status, 202);
    await call(url, "test_trigger_tool_change");
    for (const stream of streams) {
        assert.equal(
            (await stream.next())?.method,
            "notifications/tools/list_changed",
            "nobody else can end it",
        );
        stream.answer.close();
    }
};

export { listen };

export const streams = {
    progress: ["driver", progress],
    "messages by level": ["driver", messages],
    "the shape of a stream": ["driver", shape],
    "no streams for who takes none": ["driver", jsonOnly],
    "a modern client leaves": ["driver", modernDisconnect],
    "a legacy client leaves": ["driver", legacyDisconnect],
    "a legacy client cancels": ["driver", cancelled],
    "slow readers": ["driver", slowReaders],
    "coming back to a call": ["driver", resume],
    "coming back to listen": ["everything", resumeListening],
    "the server lets go": ["everything", polling],
    "one message on one stream": ["everything", oneStream],
    "resources/subscribe": ["everything", watched],
    "subscriptions/listen": ["everything", subscriptions],
    "the same ids": ["everything", sameIds],
};
