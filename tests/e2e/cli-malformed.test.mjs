/* cli-malformed.test.mjs - answers of servers in which a member is missing or of another type than the protocol says:
 * the program ends with 4 and names the member, whichever it is, and prints nothing of the answer. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { haft, reply, run, withFake } from "./cli.mjs";

const INFO = "io.modelcontextprotocol/serverInfo";
const OLD = ["--revision", "2025-11-25"];

/* What a server answers that does everything right. */
const good = {
    "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        _meta: { [INFO]: { name: "fake", version: "1" } },
    },
    initialize: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "fake", version: "1" } },
    "tools/list": { tools: [{ name: "act", inputSchema: { type: "object" } }] },
    "tools/call": { content: [] },
    "resources/list": { resources: [] },
    "resources/templates/list": { resourceTemplates: [] },
    "prompts/list": { prompts: [] },
    ping: {},
};

/* Answers with `said`, by method, and else as `good`. */
const answering = (said) => (message, request, response) => {
    if (message?.id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const answer = said[message.method] ?? { result: good[message.method] };

    return reply(response, { jsonrpc: "2.0", id: message.id, ...answer });
};

/* The values of every type but those named; undefined leaves the member out. */
const values = { null: null, boolean: true, number: 7, string: "text", array: [], object: {} };
const except = (...types) => Object.entries(values).flatMap(([type, value]) => (types.includes(type) ? [] : [value]));
const NOT = {
    array: [undefined, ...except("array")],
    object: [undefined, ...except("object")],
    string: [undefined, ...except("string")],
};
/* Those that may be left out; null is taken for that. */
const MAYBE = {
    array: except("array", "null"),
    boolean: except("boolean", "null"),
    object: except("object", "null"),
    string: except("string", "null"),
};
/* Items and values, which cannot be left out. */
const ITEM = { object: except("object"), string: except("string") };

const tool = (members) => ({ tools: [good["tools/list"].tools[0], { name: "t", inputSchema: {}, ...members }] });
const prompt = (members) => ({ prompts: [{ name: "p", ...members }] });
const resource = (members) => ({ resources: [{ uri: "a:b", name: "r", ...members }] });
const template = (members) => ({ resourceTemplates: [{ uriTemplate: "a:{b}", name: "r", ...members }] });
const block = (members) => ({ content: [{ type: "text", text: "fine" }, members] });
const embedded = (members) => block({ type: "resource", resource: { uri: "a:b", text: "x", ...members } });

/* What is asked for, the values that do not fit, the result with one of them, where the program says it is. */
const lists = {
    "tools/list": [
        [NOT.array, (tools) => ({ tools }), "tools"],
        [ITEM.object, (one) => ({ tools: [one] }), "tools[0]"],
        [NOT.string, (name) => tool({ name }), "tools[1].name"],
        [MAYBE.string, (description) => tool({ description }), "tools[1].description"],
        [NOT.object, (inputSchema) => tool({ inputSchema }), "tools[1].inputSchema"],
        [MAYBE.object, (properties) => tool({ inputSchema: { properties } }), "tools[1].inputSchema.properties"],
        [MAYBE.array, (required) => tool({ inputSchema: { required } }), "tools[1].inputSchema.required"],
        [ITEM.string, (one) => tool({ inputSchema: { required: ["a", one] } }), "tools[1].inputSchema.required[1]"],
        [MAYBE.object, (annotations) => tool({ annotations }), "tools[1].annotations"],
        ...["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map((hint) => [
            MAYBE.boolean,
            (value) => tool({ annotations: { [hint]: value } }),
            `tools[1].annotations.${hint}`,
        ]),
        [MAYBE.string, (nextCursor) => ({ tools: [], nextCursor }), "nextCursor"],
    ],
    "prompts/list": [
        [NOT.array, (prompts) => ({ prompts }), "prompts"],
        [ITEM.object, (one) => ({ prompts: [one] }), "prompts[0]"],
        [NOT.string, (name) => prompt({ name }), "prompts[0].name"],
        [MAYBE.string, (description) => prompt({ description }), "prompts[0].description"],
        [MAYBE.array, (list) => prompt({ arguments: list }), "prompts[0].arguments"],
        [ITEM.object, (one) => prompt({ arguments: [{ name: "a" }, one] }), "prompts[0].arguments[1]"],
        [NOT.string, (name) => prompt({ arguments: [{ name }] }), "prompts[0].arguments[0].name"],
        [MAYBE.string, (description) => prompt({ arguments: [{ name: "a", description }] }), "prompts[0].arguments[0].description"],
        [MAYBE.boolean, (required) => prompt({ arguments: [{ name: "a", required }] }), "prompts[0].arguments[0].required"],
        [MAYBE.string, (nextCursor) => ({ prompts: [], nextCursor }), "nextCursor"],
    ],
    "resources/list": [
        [NOT.array, (resources) => ({ resources }), "resources"],
        [ITEM.object, (one) => ({ resources: [one] }), "resources[0]"],
        [NOT.string, (uri) => resource({ uri }), "resources[0].uri"],
        ...["name", "mimeType", "description"].map((name) => [
            MAYBE.string,
            (value) => resource({ [name]: value }),
            `resources[0].${name}`,
        ]),
        [MAYBE.string, (nextCursor) => ({ resources: [], nextCursor }), "nextCursor"],
    ],
    "resources/templates/list": [
        [NOT.array, (resourceTemplates) => ({ resourceTemplates }), "resourceTemplates"],
        [ITEM.object, (one) => ({ resourceTemplates: [one] }), "resourceTemplates[0]"],
        [NOT.string, (uriTemplate) => template({ uriTemplate }), "resourceTemplates[0].uriTemplate"],
        ...["name", "mimeType", "description"].map((name) => [
            MAYBE.string,
            (value) => template({ [name]: value }),
            `resourceTemplates[0].${name}`,
        ]),
        [MAYBE.string, (nextCursor) => ({ resourceTemplates: [], nextCursor }), "nextCursor"],
    ],
    "tools/call": [
        [NOT.array, (content) => ({ content }), "content"],
        [ITEM.object, (one) => ({ content: [one] }), "content[0]"],
        [NOT.string, (type) => block({ type }), "content[1].type"],
        [NOT.string, (text) => block({ type: "text", text }), "content[1].text"],
        ...["image", "audio"].flatMap((type) => [
            [NOT.string, (data) => block({ type, data, mimeType: "a/b" }), "content[1].data"],
            [NOT.string, (mimeType) => block({ type, data: "AAAA", mimeType }), "content[1].mimeType"],
        ]),
        [NOT.object, (one) => block({ type: "resource", resource: one }), "content[1].resource"],
        [NOT.string, (uri) => embedded({ uri }), "content[1].resource.uri"],
        [MAYBE.string, (mimeType) => embedded({ mimeType }), "content[1].resource.mimeType"],
        [MAYBE.string, (text) => embedded({ text }), "content[1].resource.text"],
        [MAYBE.string, (blob) => embedded({ text: undefined, blob }), "content[1].resource.blob"],
        [NOT.string, (uri) => block({ type: "resource_link", name: "n", uri }), "content[1].uri"],
        [MAYBE.string, (mimeType) => block({ type: "resource_link", uri: "a:b", mimeType }), "content[1].mimeType"],
        [MAYBE.boolean, (isError) => ({ content: [], isError }), "isError"],
        [MAYBE.string, (resultType) => ({ content: [], resultType }), "resultType"],
        [MAYBE.object, (inputRequests) => ({ resultType: "input_required", inputRequests }), "inputRequests"],
        [ITEM.object, (one) => ({ resultType: "input_required", inputRequests: { q: one } }), "inputRequests.q"],
        [MAYBE.string, (requestState) => ({ resultType: "input_required", inputRequests: {}, requestState }), "requestState"],
        ...[
            [NOT.string, (method) => ({ method }), "method"],
            [NOT.object, (params) => ({ params }), "params"],
            [NOT.string, (message) => ({ params: { message, requestedSchema: {} } }), "params.message"],
            [NOT.object, (requestedSchema) => ({ params: { message: "m", requestedSchema } }), "params.requestedSchema"],
            [
                MAYBE.object,
                (properties) => ({ params: { message: "m", requestedSchema: { properties } } }),
                "params.requestedSchema.properties",
            ],
            [
                ITEM.object,
                (f) => ({ params: { message: "m", requestedSchema: { properties: { f } } } }),
                "params.requestedSchema.properties.f",
            ],
        ].map(([bad, question, path]) => [
            bad,
            (value) => ({
                resultType: "input_required",
                inputRequests: { q: { method: "elicitation/create", ...question(value) } },
            }),
            `inputRequests.q.${path}`,
        ]),
    ],
    "server/discover": [
        /* One that leaves it out may be an old server. */
        [ITEM.string, (one) => ({ supportedVersions: ["2026-07-28", one] }), "supportedVersions[1]"],
        [MAYBE.object, (capabilities) => ({ ...good["server/discover"], capabilities }), "capabilities"],
        [MAYBE.object, (_meta) => ({ ...good["server/discover"], _meta }), "_meta"],
        [MAYBE.object, (info) => ({ ...good["server/discover"], _meta: { [INFO]: info } }), `_meta.${INFO}`],
        ...["name", "version"].map((name) => [
            MAYBE.string,
            (value) => ({ ...good["server/discover"], _meta: { [INFO]: { [name]: value } } }),
            `_meta.${INFO}.${name}`,
        ]),
    ],
    initialize: [
        [NOT.string, (protocolVersion) => ({ ...good.initialize, protocolVersion }), "protocolVersion"],
        [MAYBE.object, (capabilities) => ({ ...good.initialize, capabilities }), "capabilities"],
        [MAYBE.object, (serverInfo) => ({ ...good.initialize, serverInfo }), "serverInfo"],
        ...["name", "version"].map((name) => [
            MAYBE.string,
            (value) => ({ ...good.initialize, serverInfo: { [name]: value } }),
            `serverInfo.${name}`,
        ]),
    ],
    ping: [],
};

/* How each is asked for. */
const commands = {
    "tools/list": (url) => ["tools", url],
    "prompts/list": (url) => ["prompts", url],
    "resources/list": (url) => ["resources", url],
    "resources/templates/list": (url) => ["resources", url],
    "tools/call": (url) => ["call", url, "act"],
    "server/discover": (url) => ["ping", url],
    initialize: (url) => ["ping", ...OLD, url],
    ping: (url) => ["ping", ...OLD, url],
};

const shown = (value) => JSON.stringify(value) ?? "nothing";

async function refuses(method, answer, path) {
    await withFake(answering({ [method]: answer }), async (url) => {
        const got = await run(commands[method](url));
        const row = `${method}: ${shown(answer)}`;

        assert.equal(got.code, 4, `${row}: ${got.code} ${got.out}${got.err}`);
        assert.equal(got.out, "", row);
        const what = path.startsWith("inputRequests") || path === "requestState"
            ? "the server's request for input is malformed"
            : `the server's answer to ${method} is malformed`;

        assert.ok(
            got.err.startsWith(`haft: ${what}: ${path} `) ||
                (typeof answer.error !== "undefined" && got.err.startsWith("haft: invalid message from the server: a response needs")),
            `${row}: ${got.err}`,
        );
        assert.doesNotMatch(got.err, /runtime error|Sanitizer/, row);
    });
}

for (const [method, rows] of Object.entries(lists))
    describe(method, () => {
        test("refuses a result that is no object", async () => {
            for (const value of except("object")) await refuses(method, { result: value }, "the result");
        });
        for (const [bad, result, path] of rows)
            test(`refuses what does not fit in ${path}`, async () => {
                for (const value of bad) await refuses(method, { result: result(value) }, path);
            });
        /* Servers that do not know the first question may refuse it as they like. */
        if (method === "server/discover") return;
        test("refuses an error that is none", async () => {
            const error = { code: -32603, message: "m" };

            for (const value of except("object")) await refuses(method, { error: value }, "the error");
            for (const code of [undefined, ...except("number"), 1.5]) await refuses(method, { error: { ...error, code } }, "code");
            for (const message of NOT.string) await refuses(method, { error: { ...error, message } }, "message");
        });
    });

test("null is taken for a member that is left out, where it may be", () =>
    withFake(
        answering({
            "tools/list": { result: { ...tool({ description: null, annotations: null }), nextCursor: null } },
            "prompts/list": { result: { ...prompt({ description: null, arguments: null }), nextCursor: null } },
        }),
        async (url) => {
            assert.equal((await run(["tools", url])).out, "act\nt\n");
            assert.equal((await run(["prompts", url])).out, "p\n");
        },
    ));

/* A schema is the server's own affair: what the program does not understand in it accepts everything. */
test("schemas of any kind are shown and used", async () => {
    const odd = Object.values(values);
    const words = ["type", "enum", "const", "$ref", "items", "anyOf", "oneOf", "allOf", "properties", "required"];
    const schemas = [true, ...odd, ...words.flatMap((word) => odd.map((value) => ({ [word]: value })))];

    for (const schema of schemas)
        await withFake(
            answering({ "tools/list": { result: tool({ inputSchema: { properties: { a: schema } } }) } }),
            async (url) => {
                for (const words of [["tools", url], ["call", url, "t", "a=1"], ["call", url, "t", "a.b=1"]]) {
                    const got = await run(words);

                    assert.ok([0, 2].includes(got.code), `${shown(schema)}: ${got.err}`);
                    assert.doesNotMatch(got.err, /runtime error|Sanitizer/, shown(schema));
                }
            },
        );
});

/* A question of a server of an older revision gets an error; notifications cannot be answered, and are passed over. */
test("refuses a malformed question, and passes over malformed notifications", async () => {
    const question = (params) => ({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params });
    const note = (method, params) => ({ jsonrpc: "2.0", method: `notifications/${method}`, params });
    const notes = Object.values({ ...values, nothing: undefined }).flatMap((value) => [
        note("progress", { progressToken: 1, progress: value, total: value, message: value }),
        note("message", { level: value, data: value }),
    ]);
    const rows = [undefined, {}, { message: 5, requestedSchema: {} }, { message: "m", requestedSchema: null }].concat(
        except("object").map((f) => ({ message: "m", requestedSchema: { properties: { f } } })),
    );

    for (const params of rows) {
        let waiting;

        await withFake(
            (message, request, response) => {
                if (message?.id === "q") {
                    waiting();
                    return response.writeHead(202).end();
                }
                if (message?.method !== "tools/call") return answering({})(message, request, response);
                response.writeHead(200, { "Content-Type": "text/event-stream" });
                for (const one of [...notes, question(params)]) response.write(`data: ${JSON.stringify(one)}\n\n`);
                waiting = () =>
                    response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [] } })}\n\n`);
            },
            async (url, asked) => {
                const line = [haft, "call", "--verbose", ...OLD, url, "act"].join(" ");
                const got = await run(["-qec", line, "/dev/null"], { program: "script", env: { TERM: "xterm" } });
                const answer = asked.find(({ message }) => message?.id === "q")?.message;

                assert.equal(got.code, 0, `${shown(params)}: ${got.out}`);
                assert.equal(answer?.error?.code, -32602, shown(params));
                assert.doesNotMatch(got.out, /runtime error|Sanitizer/, shown(params));
            },
        );
    }
});
