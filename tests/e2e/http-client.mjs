/* http-client.mjs - HTTP as it is on the wire, and MCP on top of it.
 *
 * `send` is one HTTP request and shows everything of its answer.  `ask` is one MCP request: whatever is
 * true of every answer is held against it here, so that each check only says what is special about it. */

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { Conversation, LEGACY, META, MODERN } from "./spec.mjs";
import { envelope, info } from "./wire.mjs";

export { LEGACY, META, MODERN, envelope };

export const SECOND = 1000;
export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const LONG = 30 * SECOND; /* on a busy machine */

const within = (promise, what, milliseconds = LONG) => {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(
            () => reject(new assert.AssertionError({ message: `waited in vain for ${what}` })),
            milliseconds,
        );
    });

    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/* Asks until it is so, or for that long; what it was at last. */
export async function eventually(probe, is, milliseconds = LONG) {
    const end = Date.now() + milliseconds;
    let value = await probe();

    while (!is(value) && Date.now() < end) {
        await sleep(10);
        value = await probe();
    }
    return value;
}

/* ---- one HTTP exchange ---- */

/* An event of a stream as it was written: {id, event, retry, data: [line, ...], comment}. */
export function readEvent(block) {
    const event = { data: [] };

    for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");

        if (name === "") event.comment = value;
        else if (name === "data") event.data.push(value);
        else event[name] = value;
    }
    return event;
}

export class Answer {
    #response;
    #text = "";
    #at = 0;
    #waiting = [];
    ended = false;
    broken = false;

    constructor(response) {
        this.#response = response;
        this.status = response.statusCode;
        this.headers = response.headers;
        response.setEncoding("utf8");
        response.on("data", (text) => {
            this.#text += text;
            this.#tell();
        });
        response.on("end", () => {
            this.ended = true;
            this.#tell();
        });
        response.on("error", () => {
            this.ended = this.broken = true;
            this.#tell();
        });
    }

    #tell() {
        for (const tell of this.#waiting.splice(0)) tell();
    }

    get isStream() {
        return /^text\/event-stream/.test(this.headers["content-type"] ?? "");
    }

    /* All of the body. */
    async text(milliseconds) {
        await within(
            (async () => {
                while (!this.ended) await new Promise((resolve) => this.#waiting.push(resolve));
            })(),
            "the end of the answer",
            milliseconds,
        );
        return this.#text;
    }

    async json() {
        return JSON.parse(await this.text());
    }

    /* The next event, null at the end of the stream, or undefined when none comes in that time. */
    async event(milliseconds = 5 * SECOND) {
        const end = Date.now() + milliseconds;

        for (;;) {
            const stop = this.#text.indexOf("\n\n", this.#at);

            if (stop >= 0) {
                const block = this.#text.slice(this.#at, stop);
                this.#at = stop + 2;
                return readEvent(block);
            }
            if (this.ended) {
                assert.equal(this.#text.slice(this.#at), "", "an event is whole");
                return null;
            }
            if (Date.now() >= end) return undefined;
            await Promise.race([
                new Promise((resolve) => this.#waiting.push(resolve)),
                sleep(Math.max(1, end - Date.now())),
            ]);
        }
    }

    /* The next message on the stream, skipping comments and the priming event. */
    async message(milliseconds) {
        for (;;) {
            const event = await this.event(milliseconds);

            if (!event) return event;
            if (event.data.join("") !== "") return messageOf(event);
        }
    }

    close() {
        this.#response.destroy();
    }
}

export function messageOf(event) {
    assert.equal(event.data.length, 1, "a message is one data line");
    assert.ok(event.event === undefined || event.event === "message", "the name of the event");
    return JSON.parse(event.data[0]);
}

const given = (headers) =>
    Object.fromEntries(
        Object.entries(headers).filter(([, value]) => value !== undefined && value !== null),
    );

/* One request; resolves when the head of its answer is there. */
export function send(
    url,
    { method = "POST", headers = {}, body, socketPath, agent = false, signal } = {},
) {
    const target = new URL(url);
    const promise = new Promise((resolve, reject) => {
        const request = http.request(
            {
                ...(socketPath ? { socketPath } : { host: target.hostname, port: target.port }),
                path: target.pathname + target.search,
                method,
                agent,
                signal,
                headers: given(headers),
            },
            (response) => resolve(new Answer(response)),
        );

        request.on("error", reject);
        request.end(body);
    });

    return within(promise, `an answer to ${method} ${url}`);
}

const BOTH = "application/json, text/event-stream";

export const post = (url, body, headers = {}, options = {}) =>
    send(url, {
        ...options,
        headers: { "content-type": "application/json", accept: BOTH, ...headers },
        body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });

/* Bytes as they are, on a connection of their own; everything that comes back until it is closed or until
 * `enough` says so. */
export function raw(url, text, { enough = () => false, milliseconds = 3 * SECOND } = {}) {
    const { hostname, port } = new URL(url);

    return new Promise((resolve, reject) => {
        const socket = net.connect(port, hostname);
        const timer = setTimeout(() => socket.destroy(), milliseconds);
        let heard = "";

        socket.setEncoding("utf8");
        socket.on("data", (more) => {
            heard += more;
            if (enough(heard)) socket.destroy();
        });
        socket.on("error", (error) => (heard ? undefined : reject(error)));
        socket.on("close", () => {
            clearTimeout(timer);
            resolve(heard);
        });
        socket.write(text);
    });
}

/* ---- one MCP request ---- */

const isResponse = (message) => message.method === undefined;

/* What holds for every message that answers `request`. */
function assertResponse(message, request) {
    assert.equal(message.jsonrpc, "2.0");
    assert.ok(
        Object.is(message.id, request.id),
        `the id ${JSON.stringify(message.id)} is the one that was asked with`,
    );
    assert.ok("result" in message !== "error" in message, "either a result or an error");
    if ("error" in message) {
        assert.ok(
            Number.isInteger(message.error?.code) && typeof message.error.message === "string",
            "an error",
        );
        assert.ok(!("nextCursor" in message), "no cursor");
    } else assert.ok(message.result.nextCursor !== null, "an absent cursor is left out");
    if (message.result?.isError)
        assert.ok(!("structuredContent" in message.result), "an error has no structured content");
}

/* What holds for the notifications on the way to an answer. */
function assertNotifications(messages, request, revision) {
    const meta = request.params?._meta ?? {};
    const token = meta.progressToken;
    let before = -Infinity;

    for (const { method, params, id } of messages) {
        if (id !== undefined) {
            assert.notEqual(revision, MODERN, "a modern client is sent no requests");
            continue;
        }
        assert.match(
            method,
            /^notifications\/(progress|message)$/,
            "what belongs on the stream of a call",
        );
        if (method === "notifications/progress") {
            assert.ok(token !== undefined, "progress that was asked for");
            assert.ok(Object.is(params.progressToken, token), "the token, of the same type");
            assert.ok(params.progress > before, "progress goes forward");
            before = params.progress;
        } else if (revision === MODERN)
            assert.ok(meta[`${META}logLevel`] !== undefined, "messages that were asked for");
    }
}

/* The status that suits an error code, on 2026-07-28 (5.5). */
const statuses = {
    [-32700]: [400],
    [-32600]: [400],
    [-32601]: [404],
    [-32020]: [400],
    [-32021]: [400],
    [-32022]: [400],
};

function assertStatus(status, message, revision) {
    if (message.result) assert.equal(status, 200);
    else if (revision === MODERN && statuses[message.error.code])
        assert.ok(
            statuses[message.error.code].includes(status),
            `${status} for ${message.error.code}`,
        );
    else assert.ok(status === 200 || status === 400, `${status}`);
}

/* Checks the events of a whole stream and takes the messages out of them. */
function messagesOf(events, resumable) {
    const messages = [];
    const ids = new Set();

    for (const event of events) {
        if (event.id !== undefined) {
            assert.ok(!ids.has(event.id), "an event's id is its own");
            ids.add(event.id);
            assert.equal(
                event.id.split("-")[0],
                [...ids][0].split("-")[0],
                "the ids are of one stream",
            );
        }
        if (event.data.join("") === "") continue;
        if (resumable) assert.ok(event.id !== undefined, "a resumable event has an id");
        messages.push(messageOf(event));
    }
    return messages;
}

/* Everything that comes of an answer, checked: {status, headers, events, messages, response, notifications}. */
export async function settle(
    answer,
    request,
    revision,
    { resumable = false, session, onRequest } = {},
) {
    const conversation = new Conversation();
    const settled = { status: answer.status, headers: answer.headers, events: [] };

    if (answer.isStream) {
        assert.equal(answer.status, 200);
        assert.equal(answer.headers["x-accel-buffering"], "no");
        assert.match(answer.headers["cache-control"], /no-cache/);
        for (;;) {
            const event = await answer.event();

            assert.ok(event !== undefined, "the stream goes on or ends");
            if (!event) break;
            settled.events.push(event);
            if (onRequest && event.data[0]) {
                const message = JSON.parse(event.data[0]);
                if (message.method && message.id !== undefined) await onRequest(message, session);
            }
        }
        assert.ok(!answer.broken, "the stream ends as it should");
        settled.messages = messagesOf(settled.events, resumable);
    } else {
        assert.equal(answer.headers["content-type"], "application/json");
        settled.messages = [await answer.json()];
    }
    const responses = settled.messages.filter(isResponse);

    assert.equal(responses.length, 1, "one response");
    settled.response = responses[0];
    settled.notifications = settled.messages.filter((message) => !isResponse(message));
    assert.equal(settled.messages.at(-1), settled.response, "nothing comes after the response");
    assertResponse(settled.response, request);
    assertNotifications(settled.notifications, request, revision);
    assertStatus(answer.status, settled.response, revision);
    if (revision === MODERN) {
        assert.equal(answer.headers["mcp-session-id"], undefined, "no session on 2026-07-28");
        assert.ok(
            settled.events.every((event) => event.id === undefined),
            "no event ids on 2026-07-28",
        );
    }
    conversation.revision = revision;
    conversation.sent(request);
    conversation.received(settled.messages);
    assert.deepEqual(conversation.faults, []);
    return settled;
}

let next = 1;

/* The headers of a modern request; undefined takes one away. */
export const modernHeaders = (method, params = {}, more = {}) => ({
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    "mcp-name":
        method === "resources/read"
            ? params.uri
            : /^(tools\/call|prompts\/get)$/.test(method)
              ? params.name
              : undefined,
    ...more,
});

export function modernMessage(method, params = {}, { id = next++, meta, capabilities } = {}) {
    return {
        jsonrpc: "2.0",
        id,
        method,
        params: { ...params, _meta: envelope(meta, capabilities) },
    };
}

/* A modern request, answered to its end. */
export async function ask(url, method, params = {}, { headers, agent, ...how } = {}) {
    const message = modernMessage(method, params, how);
    const answer = await post(url, message, modernHeaders(method, params, headers), { agent });

    return settle(answer, message, MODERN);
}

export const call = (url, name, args = {}, how = {}) =>
    ask(url, "tools/call", { name, arguments: args, ...how.params }, how);

/* A modern request that is still being answered. */
export async function begin(url, method, params = {}, { headers, signal, ...how } = {}) {
    const message = modernMessage(method, params, how);

    return {
        message,
        answer: await post(url, message, modernHeaders(method, params, headers), { signal }),
    };
}

/* ---- a legacy session ---- */

export class Session {
    #next = 1;

    static async open(url, revision = "2025-11-25", capabilities = {}, options = {}) {
        const session = new Session();
        const message = {
            jsonrpc: "2.0",
            id: 0,
            method: "initialize",
            params: { protocolVersion: revision, capabilities, clientInfo: info },
        };
        const answer = await post(url, message, {}, options);
        const shape = LEGACY.includes(revision) ? revision : "2025-11-25";
        const { response } = await settle(answer, message, shape);

        session.url = url;
        session.options = options;
        session.id = answer.headers["mcp-session-id"];
        session.result = response.result;
        session.revision = response.result.protocolVersion;
        assert.match(
            session.id ?? "",
            /^[\x21-\x7e]{16,}$/,
            "a session id that may be in a header",
        );
        const told = await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
        assert.equal(told.status, 202);
        return session;
    }

    headers(more = {}) {
        return { "mcp-session-id": this.id, "mcp-protocol-version": this.revision, ...more };
    }

    post(message, headers) {
        return post(this.url, message, this.headers(headers), this.options);
    }

    message(method, params, id = this.#next++) {
        return { jsonrpc: "2.0", id, method, params };
    }

    async request(method, params, { id, onRequest } = {}) {
        const message = this.message(method, params, id);
        const answer = await this.post(message);

        return settle(answer, message, this.revision, {
            resumable: this.revision >= "2025-03-26",
            session: this,
            onRequest,
        });
    }

    call(name, args = {}, { meta, ...how } = {}) {
        return this.request(
            "tools/call",
            { name, arguments: args, ...(meta && { _meta: meta }) },
            how,
        );
    }

    /* Starts a call and returns while it runs. */
    async begin(name, args = {}, { meta, id } = {}) {
        const message = this.message(
            "tools/call",
            { name, arguments: args, ...(meta && { _meta: meta }) },
            id,
        );

        return { message, answer: await this.post(message) };
    }

    get(lastEventId) {
        return send(this.url, {
            method: "GET",
            headers: this.headers({ accept: "text/event-stream", "last-event-id": lastEventId }),
        });
    }

    async end() {
        const answer = await send(this.url, { method: "DELETE", headers: this.headers() });

        await answer.text();
        return answer.status;
    }
}

/* ---- short assertions ---- */

/* The status, the code and, when there is one, the id of an error. */
export async function assertError(answer, status, code, id) {
    assert.equal(answer.status, status);
    assert.equal(answer.headers["content-type"], "application/json");
    const body = await answer.json();

    assert.equal(body.jsonrpc, "2.0");
    assert.equal(body.error?.code, code, JSON.stringify(body));
    assert.equal(typeof body.error.message, "string");
    assert.ok(!("result" in body));
    if (id === undefined) assert.ok(!("id" in body), "there is no id to echo");
    else assert.ok(Object.is(body.id, id), "the id is echoed");
    return body.error;
}

export const textOf = ({ response }) => response.result.content.map((block) => block.text).join("");
