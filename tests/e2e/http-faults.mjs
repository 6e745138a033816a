/* http-faults.mjs - what a server could do wrong, one row each, as http-proxy.mjs makes it do so.
 *
 * `by` names the checks of which one at least must notice. */

import http from "node:http";
import { META, MODERN } from "./spec.mjs";

const encode = (message) => JSON.stringify(message);

const answers = (change) => ({
    message: (m, at) => (m.method === undefined && !Array.isArray(m) ? change(m, at) : m),
});
const results = (change) =>
    answers((m, at) => (m.result ? { ...m, result: change({ ...m.result }, at) ?? m.result } : m));
const failures = (change) =>
    answers((m, at) => (m.error ? { ...m, error: change({ ...m.error }, at) ?? m.error } : m));
const told = (method, change) => ({
    message: (m, at) => (m.method === method ? change(structuredClone(m), at) : m),
});
const statusOf = (from, to) => ({ head: (at) => void (at.status === from && (at.status = to)) });
const asked = (change) => ({ ask: (at, target) => change(at, target) });
const PROGRESS = "notifications/progress";
const ACK = "notifications/subscriptions/acknowledged";
const SUBSCRIPTION = `${META}subscriptionId`;
const SESSION = "mcp-session-id";
const meta = ({ body }) => body?.params?._meta;
const without = (object, key) => {
    delete object[key];
    return object;
};

export const faults = [
    /* messages */
    {
        name: "no resultType",
        ...results((r) => without(r, "resultType")),
        by: ["server/discover and what may be kept"],
    },
    {
        name: "a modern word to a legacy client",
        ...results((r, at) => (at.modern ? r : { ...r, resultType: "complete" })),
        by: ["sessions begin and end"],
    },
    {
        name: "a number of an id as a string",
        ...answers((m) => ({ ...m, id: typeof m.id === "number" ? String(m.id) : m.id })),
        by: ["ids come back as they went"],
    },
    {
        name: "a string of an id as a number",
        ...answers((m) => ({ ...m, id: m.id === "1" ? 1 : m.id })),
        by: ["ids come back as they went"],
    },
    {
        name: "another id",
        ...answers((m) => ({ ...m, id: typeof m.id === "number" ? m.id + 1 : m.id })),
        by: ["sessions begin and end"],
    },
    {
        name: "an error without its id",
        ...answers((m) => (m.error ? without({ ...m }, "id") : m)),
        by: ["MCP-Protocol-Version is missing"],
    },
    {
        name: "error: null beside the result",
        ...answers((m) => (m.result ? { ...m, error: null } : m)),
        by: ["server/discover and what may be kept"],
    },
    {
        name: "nextCursor: null",
        ...results((r) => (r.tools ? { ...r, nextCursor: null } : r)),
        by: ["tools/list is the same for all"],
    },
    {
        name: "no ttlMs",
        ...results((r) => without(r, "ttlMs")),
        by: ["server/discover and what may be kept"],
    },
    {
        name: "a cacheScope of its own",
        ...results((r) => (r.cacheScope ? { ...r, cacheScope: "shared" } : r)),
        by: ["server/discover and what may be kept"],
    },
    {
        name: "tools in another order each time",
        ...results((r, { memory }) =>
            r.tools && (memory.odd = !memory.odd)
                ? { ...r, tools: r.tools.toReversed?.() ?? [...r.tools].reverse() }
                : r,
        ),
        by: ["tools/list is the same for all"],
    },
    {
        name: "isError with structuredContent",
        ...results((r) => (r.isError ? { ...r, structuredContent: {} } : r)),
        by: ["results and errors"],
    },
    {
        name: "structuredContent that does not match",
        ...results((r) => (r.structuredContent ? { ...r, structuredContent: { begun: "1" } } : r)),
        by: ["results and errors"],
    },
    {
        name: "a resource that is not found is -32002 to all",
        ...failures((e) => (e.data?.uri ? { ...e, code: -32002 } : e)),
        by: ["edges of the eras"],
    },
    {
        name: "no data with -32022",
        ...failures((e) => (e.code === -32022 ? without(e, "data") : e)),
        by: ["the order of checks"],
    },
    {
        name: "requiredCapabilities as a list",
        ...failures((e) =>
            e.code === -32021 ? { ...e, data: { requiredCapabilities: ["sampling"] } } : e,
        ),
        by: ["only what was declared"],
    },
    {
        name: "always the newest version",
        ...results((r) => (r.protocolVersion ? { ...r, protocolVersion: "2025-11-25" } : r)),
        by: ["which version"],
    },
    {
        name: "ping is answered with _meta",
        ...results((r, { body }) => (body?.method === "ping" ? { ...r, _meta: {} } : r)),
        by: ["which version"],
    },

    /* status and headers */
    { name: "200 for 400", ...statusOf(400, 200), by: ["MCP-Protocol-Version is missing"] },
    { name: "-32601 with 200", ...statusOf(404, 200), by: ["edges of the eras"] },
    { name: "204 for 202", ...statusOf(202, 204), by: ["202 for what is not answered"] },
    { name: "200 for 202", ...statusOf(202, 200), by: ["202 for what is not answered"] },
    {
        name: "a response to a notification",
        head: (at) =>
            void (
                at.status === 202 &&
                Object.assign(at, {
                    status: 200,
                    out: { "content-type": "application/json" },
                    reply: '{"jsonrpc":"2.0","result":{}}',
                })
            ),
        by: ["202 for what is not answered"],
    },
    { name: "404 for 405", ...statusOf(405, 404), by: ["GET and DELETE"] },
    { name: "400 for 404 of a session", ...statusOf(404, 400), by: ["sessions begin and end"] },
    {
        name: "no Content-Type",
        head: ({ out }) => void delete out["content-type"],
        by: ["server/discover and what may be kept"],
    },
    {
        name: "text/plain",
        head: ({ out }) =>
            void (
                out["content-type"] === "application/json" && (out["content-type"] = "text/plain")
            ),
        by: ["server/discover and what may be kept"],
    },
    { name: "no Allow with 405", head: ({ out }) => void delete out.allow, by: ["GET and DELETE"] },
    {
        name: "no X-Accel-Buffering",
        head: ({ out }) => void delete out["x-accel-buffering"],
        by: ["progress"],
    },
    {
        name: "no Mcp-Session-Id",
        head: ({ out }) => void delete out[SESSION],
        by: ["sessions begin and end"],
    },
    {
        name: "a session for a modern client",
        head: (at) => void (at.modern && (at.out[SESSION] = "0".repeat(32))),
        by: ["server/discover and what may be kept"],
    },
    {
        name: "session ids that can be guessed",
        ask: ({ headers, memory }) =>
            void (
                memory.ids?.[headers[SESSION]] && (headers[SESSION] = memory.ids[headers[SESSION]])
            ),
        head: ({ out, memory }) => {
            if (!out[SESSION]) return;
            memory.n = (memory.n ?? 0) + 1;
            const counted = memory.n.toString(16).padStart(32, "0");
            (memory.ids ??= {})[counted] = out[SESSION];
            out[SESSION] = counted;
        },
        by: ["session ids"],
    },

    /* what the server should have looked at */
    {
        name: "any Origin",
        ...asked(({ headers }) => void delete headers.origin),
        by: ["Origin alone"],
    },
    {
        name: "any Host",
        ...asked(({ headers }) => void (headers.host = "localhost")),
        by: ["Host"],
    },
    {
        name: "a session lives on after DELETE",
        ...asked(({ method }) => (method === "DELETE" ? { status: 200 } : undefined)),
        by: ["sessions begin and end"],
    },
    {
        name: "an unknown session is served",
        ask: ({ method, headers, memory }) => {
            const id = headers[SESSION];

            if (method === "DELETE") memory.known?.delete(id);
            else if (method === "POST" && id && !memory.known?.has(id)) delete headers[SESSION];
        },
        head: ({ out, memory }) =>
            void (out[SESSION] && (memory.known ??= new Set()).add(out[SESSION])),
        by: ["sessions begin and end"],
    },
    {
        name: "a modern request without its version header",
        ...asked((at) => void (at.modern && (at.headers["mcp-protocol-version"] ??= MODERN))),
        by: ["MCP-Protocol-Version is missing"],
    },
    {
        name: "a header that differs from _meta",
        ...asked(
            (at) =>
                void (
                    meta(at) &&
                    (at.headers["mcp-protocol-version"] = MODERN) &&
                    (meta(at)[`${META}protocolVersion`] = MODERN)
                ),
        ),
        by: ["edges of the eras"],
    },
    {
        name: "any version header on legacy",
        ...asked((at) => void (at.modern || (at.headers["mcp-protocol-version"] &&= "2025-11-25"))),
        by: ["MCP-Protocol-Version is invalid"],
    },
    {
        name: "any Mcp-Method",
        ...asked((at) => void (at.modern && (at.headers["mcp-method"] = at.body?.method ?? ""))),
        by: ["Mcp-Method"],
    },
    {
        name: "any Mcp-Name",
        ...asked(
            (at) => void (at.body?.params?.name && (at.headers["mcp-name"] = at.body.params.name)),
        ),
        by: ["Mcp-Name"],
    },
    {
        name: "Mcp-Name is not decoded",
        ...asked(
            ({ headers }) =>
                void (headers["mcp-name"]?.startsWith("=?base64?") && (headers["mcp-name"] += "x")),
        ),
        by: ["Mcp-Name"],
    },
    {
        name: "any Mcp-Param",
        ...asked(({ headers, body }) => {
            for (const name of Object.keys(headers))
                if (name.startsWith("mcp-param-")) delete headers[name];
            if (body?.params) body.params.arguments = {};
        }),
        by: ["Mcp-Param"],
    },
    {
        name: "Mcp-Param numbers as text",
        ...asked(
            ({ headers }) =>
                void (
                    /[.e]/.test(headers["mcp-param-count"] ?? "") &&
                    (headers["mcp-param-count"] = "-1")
                ),
        ),
        by: ["Mcp-Param"],
    },
    {
        name: "any Content-Type",
        ...asked(
            ({ headers, method }) =>
                void (method === "POST" && (headers["content-type"] = "application/json")),
        ),
        by: ["paths, types, methods"],
    },
    {
        name: "any Accept",
        ...asked(({ headers }) => void (headers.accept = "application/json, text/event-stream")),
        by: ["Accept"],
    },
    {
        name: "no Accept is refused",
        ...asked(({ headers }) =>
            headers.accept
                ? undefined
                : { status: 406, headers: { "content-type": "application/json" }, body: "{}" },
        ),
        by: ["no session"],
    },
    {
        name: "a session is asked of everybody",
        ...asked((at) =>
            at.method === "POST" &&
            !at.modern &&
            !at.headers[SESSION] &&
            at.body?.method !== "initialize"
                ? {
                      status: 400,
                      headers: { "content-type": "application/json" },
                      body: encode({
                          jsonrpc: "2.0",
                          id: at.body?.id,
                          error: { code: -32600, message: "no" },
                      }),
                  }
                : undefined,
        ),
        by: ["no session"],
    },
    {
        name: "a modern request with an unknown session is refused",
        ...asked((at) => (at.modern && at.headers[SESSION] ? { status: 404 } : undefined)),
        by: ["sessions are nothing to 2026-07-28"],
    },
    {
        name: "responses are taken on 2026-07-28",
        ...asked((at) => (at.modern && at.body && !at.body.method ? { status: 202 } : undefined)),
        by: ["responses on 2026-07-28"],
    },
    {
        name: "arrays for every revision",
        ...asked(
            (at) => void (Array.isArray(at.body) && at.body.length === 1 && (at.body = at.body[0])),
        ),
        by: ["arrays of messages"],
    },
    {
        name: "no arrays at all",
        ...asked((at) =>
            Array.isArray(at.body)
                ? {
                      status: 400,
                      headers: { "content-type": "application/json" },
                      body: '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}',
                  }
                : undefined,
        ),
        by: ["arrays of messages"],
    },
    {
        name: "capabilities are not looked at",
        ...asked(
            (at) =>
                void (
                    at.modern &&
                    meta(at) &&
                    (meta(at)[`${META}clientCapabilities`] = {
                        sampling: {},
                        elicitation: {},
                        roots: {},
                    })
                ),
        ),
        by: ["only what was declared"],
    },
    {
        name: "capabilities are remembered",
        ...asked(
            (at) =>
                void (
                    at.modern &&
                    meta(at) &&
                    (meta(at)[`${META}clientCapabilities`] = at.memory.can =
                        { ...at.memory.can, ...meta(at)[`${META}clientCapabilities`] })
                ),
        ),
        by: ["nothing is inferred from a connection"],
    },
    {
        name: "the log level is remembered",
        ...asked(
            (at) =>
                void (
                    at.modern &&
                    meta(at) &&
                    (at.memory.level = meta(at)[`${META}logLevel`] ??= at.memory.level)
                ),
        ),
        by: ["nothing is inferred from a connection", "messages by level"],
    },
    {
        name: "requestState that was changed is taken",
        ask: ({ body, memory }) =>
            void (
                typeof body?.params?.requestState === "string" &&
                memory.state &&
                (body.params.requestState = memory.state)
            ),
        ...results((r, { memory }) => {
            if (r.requestState) memory.state = r.requestState;
            return r;
        }),
        by: ["requestState that was changed"],
    },
    {
        name: "every message of the log, asked for or not",
        ...asked((at) => void (at.modern && meta(at) && (meta(at)[`${META}logLevel`] = "debug"))),
        by: ["messages by level"],
    },
    {
        name: "the log level is not looked at",
        ...asked(
            (at) => void (meta(at)?.[`${META}logLevel`] && (meta(at)[`${META}logLevel`] = "debug")),
        ),
        by: ["messages by level"],
    },

    /* streams */
    {
        name: "a duplicate response",
        message: (m, at) =>
            m.result && at.out["content-type"] === "text/event-stream" ? [m, m] : m,
        by: ["progress"],
    },
    {
        name: "two data lines for one message",
        block: (block) => block.replace(/^data: (\{"jsonrpc":"2.0",)/m, "data: $1\ndata: "),
        by: ["progress"],
    },
    {
        name: "an event of another name",
        block: (block) => block.replace("event: message", "event: reply"),
        by: ["progress"],
    },
    {
        name: "no priming event",
        block: (block) => (/^data: ?$/m.test(block) ? [] : block),
        by: ["the shape of a stream"],
    },
    {
        name: "a priming event without an id",
        block: (block) => (/^data: ?$/m.test(block) ? block.replace(/^id: .*\n/m, "") : block),
        by: ["the shape of a stream"],
    },
    {
        name: "the same id for every event",
        block: (block) => block.replace(/^id: (\d+)-\d+$/m, "id: $1-1"),
        by: ["the shape of a stream"],
    },
    {
        name: "ids of another stream",
        block: (block) => block.replace(/^id: \d+-(\d+)$/m, (_, n) => `id: ${n % 2 ? 1 : 2}-${n}`),
        by: ["the shape of a stream"],
    },
    {
        name: "event ids on 2026-07-28",
        block: (block, at) => (at.modern ? `id: 1-${(at.n = (at.n ?? 0) + 1)}\n${block}` : block),
        by: ["progress"],
    },
    {
        name: "progress goes backwards",
        ...told(PROGRESS, (m) => ({ ...m, params: { ...m.params, progress: -m.params.progress } })),
        by: ["progress"],
    },
    {
        name: "progress stands still",
        ...told(PROGRESS, (m) => ({ ...m, params: { ...m.params, progress: 1 } })),
        by: ["progress"],
    },
    {
        name: "progress after the result",
        message: (m, { body, out }) =>
            m.result &&
            meta({ body })?.progressToken !== undefined &&
            /event/.test(out["content-type"])
                ? [
                      m,
                      {
                          jsonrpc: "2.0",
                          method: PROGRESS,
                          params: { progressToken: meta({ body }).progressToken, progress: 1e6 },
                      },
                  ]
                : m,
        by: ["progress"],
    },
    {
        name: "a progress token of another type",
        ...told(PROGRESS, (m) => ({
            ...m,
            params: { ...m.params, progressToken: String(m.params.progressToken) },
        })),
        by: ["progress"],
    },
    {
        name: "progress that nobody asked for",
        message: (m, { out }) =>
            m.method === "notifications/message" && /event/.test(out["content-type"])
                ? [
                      m,
                      {
                          jsonrpc: "2.0",
                          method: PROGRESS,
                          params: { progressToken: 1, progress: 1 },
                      },
                  ]
                : m,
        by: ["messages by level"],
    },
    { name: "no progress", ...told(PROGRESS, () => []), by: ["progress"] },
    {
        name: "a request to a modern client",
        message: (m, at) =>
            at.modern && m.method === PROGRESS ? [{ jsonrpc: "2.0", id: 1, method: "ping" }, m] : m,
        by: ["progress"],
    },
    {
        name: "list_changed on the stream of a call",
        message: (m) =>
            m.method === PROGRESS
                ? [m, { jsonrpc: "2.0", method: "notifications/tools/list_changed" }]
                : m,
        by: ["progress"],
    },
    { name: "a stream that does not end", stays: true, by: ["progress"] },
    {
        name: "one message on two streams",
        block: (block, at) => {
            if (at.method === "POST" && block.includes(PROGRESS))
                at.memory.listening?.write(`${block}\n\n`);
            return block;
        },
        by: ["one message on one stream"],
    },
    {
        name: "a resumed stream begins anew",
        ...asked(
            ({ headers }) =>
                void (headers["last-event-id"] &&= headers["last-event-id"].replace(/-\d+$/, "-0")),
        ),
        by: ["coming back to a call"],
    },
    {
        name: "a resumed stream misses an event",
        ...asked(
            ({ headers }) =>
                void (headers["last-event-id"] &&= headers["last-event-id"].replace(
                    /\d+$/,
                    (n) => Number(n) + 1,
                )),
        ),
        by: ["coming back to a call"],
    },
    {
        name: "another stream is resumed",
        ...asked(
            ({ headers }) =>
                void (headers["last-event-id"] &&= headers["last-event-id"].replace(
                    /^\d+/,
                    (n) => Number(n) - 1,
                )),
        ),
        by: ["coming back to a call"],
    },
    {
        name: "a modern client that left is not noticed",
        deaf: true,
        by: ["a modern client leaves"],
    },
    {
        name: "a legacy client that left has cancelled",
        left: ({ headers, body }, target) => {
            const text = encode({
                jsonrpc: "2.0",
                method: "notifications/cancelled",
                params: { requestId: body?.id },
            });
            const { host, "content-length": _, ...rest } = headers;
            http.request({
                host: target.hostname,
                port: target.port,
                path: target.pathname,
                method: "POST",
                headers: { ...rest, "content-length": Buffer.byteLength(text) },
            })
                .on("error", () => {})
                .end(text);
        },
        by: ["a legacy client leaves"],
    },
    {
        name: "cancelled calls go on",
        ...asked(({ body }) =>
            body?.method === "notifications/cancelled" ? { status: 202 } : undefined,
        ),
        by: ["a legacy client cancels"],
    },

    /* subscriptions */
    { name: "no acknowledgement", ...told(ACK, () => []), by: ["subscriptions/listen"] },
    {
        name: "more is acknowledged than is honoured",
        ...told(ACK, (m) => ({
            ...m,
            params: { ...m.params, notifications: { ...m.params.notifications, unheardOf: true } },
        })),
        by: ["subscriptions/listen"],
    },
    {
        name: "an untagged notification",
        ...told("notifications/tools/list_changed", (m) => without(m, "params")),
        by: ["subscriptions/listen"],
    },
    {
        name: "a tag of another type",
        message: (m) =>
            m.params?._meta?.[SUBSCRIPTION] !== undefined
                ? {
                      ...m,
                      params: {
                          ...m.params,
                          _meta: { [SUBSCRIPTION]: String(m.params._meta[SUBSCRIPTION]) },
                      },
                  }
                : m,
        by: ["subscriptions/listen"],
    },
    {
        name: "list_changed to a listener that did not ask",
        ask: ({ body, memory }) => {
            const filter = body?.params?.notifications;
            if (
                !filter ||
                Array.isArray(filter) ||
                Object.values(filter).some((one) => one === 1 || typeof one === "string")
            )
                return;
            (memory.filters ??= new Map()).set(encode(body.id), filter);
            if (!filter.unheardOf)
                body.params.notifications = { ...filter, toolsListChanged: true };
        },
        ...told(ACK, (m, { memory, body }) => ({
            ...m,
            params: {
                ...m.params,
                notifications: Object.fromEntries(
                    Object.entries(memory.filters.get(encode(body.id))).filter(
                        ([key, one]) => one && key !== "unheardOf",
                    ),
                ),
            },
        })),
        by: ["subscriptions/listen"],
    },
    {
        name: "progress on a listening stream",
        ...told("notifications/tools/list_changed", (m, at) =>
            at.modern
                ? [
                      m,
                      {
                          jsonrpc: "2.0",
                          method: PROGRESS,
                          params: { progressToken: 1, progress: 1, _meta: m.params?._meta },
                      },
                  ]
                : m,
        ),
        by: ["subscriptions/listen"],
    },
    {
        name: "resources/updated to all",
        ...asked(
            ({ body }) => void (body?.method === "resources/unsubscribe" && (body.method = "ping")),
        ),
        by: ["resources/subscribe"],
    },

    /* questions */
    {
        name: "ttlMs on input_required",
        ...results((r) =>
            r.resultType === "input_required" ? { ...r, ttlMs: 0, cacheScope: "private" } : r,
        ),
        by: ["rounds of questions"],
    },
    {
        name: "input_required with nothing to answer or bring",
        ...results((r) => (r.resultType === "input_required" ? { resultType: r.resultType } : r)),
        by: ["rounds of questions"],
    },
    {
        name: "the same requestState in every round",
        ...results((r, { memory, body }) =>
            r.requestState
                ? { ...r, requestState: (memory[body.params.name] ??= r.requestState) }
                : r,
        ),
        by: ["rounds of questions"],
    },
    {
        name: "a question on the wrong stream",
        ...told(
            "elicitation/create",
            (m, { memory }) => (
                memory.listening?.write(`event: message\ndata: ${encode(m)}\n\n`),
                [m]
            ),
        ),
        by: ["questions on the call's own stream"],
    },
    {
        name: "a question is put twice",
        ...told("roots/list", (m) => [m, { ...m, id: m.id + 100 }]),
        by: ["questions on the call's own stream"],
    },
];
