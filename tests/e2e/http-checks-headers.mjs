/* http-checks-headers.mjs - a modern request and its headers must say the same, and what is wrong is told in
 * the order that the specification has. */

import assert from "node:assert/strict";
import { META, MODERN, modernHeaders, modernMessage, post, raw, settle } from "./http-client.mjs";

const base64 = (text) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

const baseName = async (url) => {
    const uri = "test://template/na%C3%AFve%207/data";
    const rows = [
        ["tools/call", { name: "test_simple_text" }, base64("test_simple_text"), 200],
        ["tools/call", { name: "test_simple_text" }, "  test_simple_text\t", 200],
        ["tools/call", { name: "test_simple_text" }, base64("test_simple_tex"), 400],
        ["tools/call", { name: "test_simple_text" }, "=?BASE64?dGVzdA==?=", 400],
        ["tools/call", { name: "test_simple_text" }, "=?base64?!!!?=", 400],
        ["tools/call", { name: "test_simple_text" }, "=?base64?dGVzdF9zaW1wbGVfdGV4dA?=", 400],
        ["tools/call", { name: "test_simple_text" }, undefined, 400],
        ["tools/call", { name: "test_simple_text" }, "", 400],
        ["tools/call", { name: "test_simple_text" }, "Test_Simple_Text", 400],
        ["resources/read", { uri }, base64(uri), 200],
        ["resources/read", { uri: "test://static-text" }, "test://static-text", 200],
        ["resources/read", { uri: "test://static-text" }, base64("test://static-binary"), 400],
        ["prompts/get", { name: "test_simple_prompt" }, base64("test_simple_prompt"), 200],
        ["prompts/get", { name: "test_simple_prompt" }, "other", 400],
        ["tools/list", {}, "whatever", 200],
    ];

    for (const [method, params, name, status] of rows) {
        const message = modernMessage(method, params);
        const answer = await post(
            url,
            message,
            modernHeaders(method, params, { "mcp-name": name }),
        );
        const { response } = await settle(answer, message, MODERN);

        assert.equal(answer.status, status, `${method} ${name}`);
        if (status === 400) assert.equal(response.error.code, -32020);
        else assert.ok(response.result, JSON.stringify(response));
    }
};

const methodHeader = async (url) => {
    const message = modernMessage("tools/list");

    for (const [name, value, status] of [
        ["mcp-method", "tools/list", 200],
        ["MCP-METHOD", " tools/list ", 200],
        ["mcp-method", "TOOLS/LIST", 400],
        ["mcp-method", "prompts/list", 400],
        ["mcp-method", base64("tools/list"), 400],
        ["mcp-method", undefined, 400],
        ["mcp-method", "", 400],
    ]) {
        const answer = await post(url, message, { "mcp-protocol-version": MODERN, [name]: value });
        const { response } = await settle(answer, message, MODERN);

        assert.equal(answer.status, status, `${name}: ${value}`);
        if (status === 400) assert.equal(response.error.code, -32020);
    }
};

/* Arguments of `routed`, headers, and whether they agree. */
const params = async (url) => {
    const MAX = "9007199254740991";
    const rows = [
        [{}, {}, true],
        [{ count: 42 }, { count: "42" }, true],
        [{ count: 42 }, { count: "42.0" }, true],
        [{ count: 42 }, { count: "4.2e1" }, true],
        [{ count: 42 }, { count: base64("42") }, true],
        [{ count: 42 }, { count: " 42 " }, true],
        [{ count: 42 }, { count: "43" }, false],
        [{ count: 42 }, { count: "forty-two" }, false],
        [{ count: 42 }, { count: "0x2a" }, false],
        [{ count: 42 }, { count: "" }, false],
        [{ count: 42 }, {}, false],
        [{ count: 0 }, { count: "0" }, true],
        [{ count: -7 }, { count: "-7" }, true],
        [`{"count":${MAX}}`, { count: MAX }, true],
        [`{"count":-${MAX}}`, { count: `-${MAX}` }, true],
        [`{"count":${MAX}}`, { count: "9007199254740992" }, false],
        [`{"count":${MAX}}`, { count: "9007199254740990" }, false],
        [{ urgent: true }, { urgent: "true" }, true],
        [{ urgent: true }, { urgent: "True" }, false],
        [{ urgent: false }, { urgent: "false" }, true],
        [{ urgent: false }, { urgent: "0" }, false],
        [{ region: "Hello" }, { region: base64("Hello") }, true],
        [{ region: "Grüße" }, { region: base64("Grüße") }, true],
        [{ region: "" }, { region: "" }, true],
        [{ region: "a" }, {}, false],
        [{}, { region: "a" }, false],
        [{ region: "a" }, { region: "A" }, false],
        [{ place: { zone: "z" } }, { zone: "z" }, true],
        [{ place: { zone: "z" } }, { zone: "y" }, false],
        [{ place: { zone: "z" } }, {}, false],
        [{ place: {} }, {}, true],
        [{ place: {} }, { zone: "z" }, false],
        [{}, { zone: "z" }, false],
        [{ note: null }, {}, true],
        [{ note: null }, { note: "x" }, false],
        [{ note: "x" }, { note: "x" }, true],
        [{ note: "x" }, {}, false],
        [{}, { unheard: "of" }, true],
    ];

    for (const [args, given, agree] of rows) {
        const headers = Object.fromEntries(
            Object.entries(given).map(([name, value]) => [`mcp-param-${name}`, value]),
        );
        const message = modernMessage("tools/call", { name: "routed", arguments: "ARGUMENTS" });
        const text = typeof args === "string" ? args : JSON.stringify(args);
        const answer = await post(
            url,
            JSON.stringify(message).replace('"ARGUMENTS"', text),
            modernHeaders("tools/call", { name: "routed" }, headers),
        );
        const { response } = await settle(answer, message, MODERN);
        const what = `${text} ${JSON.stringify(given)}: ${JSON.stringify(response)}`;

        assert.equal(answer.status, agree ? 200 : 400, what);
        if (agree) assert.ok(!response.result.isError, what);
        else assert.equal(response.error.code, -32020, what);
    }
};

/* Beyond 2^53 a number is no integer that every reader agrees on. */
const paramBounds = async (url) => {
    for (const digits of ["9007199254740993", "-9007199254740993"]) {
        const message = modernMessage("tools/call", { name: "routed", arguments: { count: 1 } });
        const text = JSON.stringify(message).replace('"count":1', `"count":${digits}`);
        const headers = (count) =>
            modernHeaders("tools/call", { name: "routed" }, { "mcp-param-count": count });
        const near = await post(url, text, headers(digits.replace(/3$/, "2")));

        assert.equal(near.status, 400, "a neighbour is not the same number");
        assert.equal((await near.json()).error.code, -32020);
    }
};

/* What a header may not hold at all is refused before anybody compares it. */
const paramCharacters = async (url) => {
    const message = modernMessage(
        "tools/call",
        { name: "routed", arguments: { region: "a\u00e9b" } },
        { id: 5 },
    );
    const body = JSON.stringify(message);
    const head = (value) =>
        Buffer.concat([
            Buffer.from(
                `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n` +
                    `MCP-Protocol-Version: ${MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: routed\r\n` +
                    `Content-Length: ${Buffer.byteLength(body)}\r\nMcp-Param-Region: `,
            ),
            value,
            Buffer.from(`\r\n\r\n${body}`),
        ]);

    for (const value of [
        Buffer.from("a\u00e9b"),
        Buffer.from("a\u00e9b", "latin1"),
        Buffer.from("a\tb"),
        Buffer.from("a\u007fb"),
    ]) {
        const answer = await raw(url, head(value));

        assert.match(answer, /^HTTP\/1.1 400 /, JSON.stringify(value.toString("latin1")));
    }
    assert.match(await raw(url, head(Buffer.from(base64("a\u00e9b")))), /^HTTP\/1.1 200 /);
    assert.match(await raw(url, head(Buffer.from("a\u0000b"))), /^HTTP\/1.1 400 /);
};

/* ---- the order of checks (5.5) ---- */

/* Each row breaks everything from some point on; the first broken thing is what is told. */
const order = async (url) => {
    const version = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
    const tool = { name: "routed", arguments: { region: "a" } };
    const rows = [
        ["not JSON", "{", {}, 400, -32700],
        [
            "no message",
            '{"jsonrpc":"2.0","id":1,"method":1}',
            { "mcp-protocol-version": MODERN },
            400,
            -32600,
        ],
        ["no header", ["none/such", version], {}, 400, -32020],
        ["no _meta", ["none/such"], { "mcp-protocol-version": MODERN }, 400, -32602],
        [
            "no version in it",
            ["none/such", { [`${META}clientCapabilities`]: {} }],
            { "mcp-protocol-version": MODERN },
            400,
            -32602,
        ],
        [
            "no capabilities in it",
            ["none/such", { [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": MODERN },
            400,
            -32602,
        ],
        [
            "header and _meta differ",
            ["none/such", { ...version, [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": MODERN },
            400,
            -32020,
        ],
        [
            "an unknown header, a known _meta",
            ["none/such", version],
            { "mcp-protocol-version": "v999" },
            400,
            -32020,
        ],
        [
            "a version that is not served",
            ["none/such", { ...version, [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": "v999" },
            400,
            -32022,
        ],
        ["no Mcp-Method", ["none/such", version], { "mcp-protocol-version": MODERN }, 400, -32020],
        [
            "no such method",
            ["none/such", version],
            { "mcp-protocol-version": MODERN, "mcp-method": "none/such" },
            404,
            -32601,
        ],
        [
            "no Mcp-Name",
            ["tools/call", version, tool],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call" },
            400,
            -32020,
        ],
        [
            "no Mcp-Param",
            ["tools/call", version, { ...tool, arguments: { region: "a", nonsense: 1 } }],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "routed" },
            400,
            -32020,
        ],
        [
            "no such tool",
            ["tools/call", version, { name: "none" }],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "none" },
            200,
            -32602,
        ],
    ];

    for (const [what, body, headers, status, code] of rows) {
        const [method, _meta, more] = Array.isArray(body) ? body : [];
        const message = method
            ? { jsonrpc: "2.0", id: 1, method, params: { ...more, ...(_meta && { _meta }) } }
            : body;
        const answer = await post(url, message, headers);

        assert.equal(answer.status, status, what);
        const said = await answer.json();
        assert.equal(said.error?.code, code, `${what}: ${JSON.stringify(said)}`);
        if (code !== -32700) assert.equal(said.id, 1, what);
        if (code === -32022)
            assert.deepEqual(said.error.data, { supported: [MODERN], requested: "v999" });
    }
};

export const headers = {
    "Mcp-Name": ["everything", baseName],
    "Mcp-Method": ["everything", methodHeader],
    "Mcp-Param": ["driver", params],
    "Mcp-Param beyond 2^53": ["driver", paramBounds],
    "Mcp-Param of invalid characters": ["driver", paramCharacters],
    "the order of checks": ["driver", order],
};
