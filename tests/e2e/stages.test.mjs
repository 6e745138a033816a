/* stages.test.mjs - one table of what can happen to a call, through every carrier: what the client is told,
 * what the stages saw, what the audit says and what was counted are the same. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { carriers, withCarrier } from "./pipeline-server.mjs";

const error = (text) => ({ text, isError: true });
const ok = (text, more = {}) => ({ text, isError: false, after: true, ...more });
const badAdd = (text) =>
    error(`Input validation error: Invalid arguments for tool add: ${text}`);
const number = (name) => `${name}: Invalid input: expected number, received string`;

/* tool, arguments, _meta; what is told; what the stages saw; the outcome */
const rows = [
    ["add", { a: 1, b: 2 }, {}, ok('{"sum":3}', { structured: { sum: 3 } }), "before ready after:ok"],
    ["add", { a: "x", b: "y" }, {}, badAdd(`${number("a")}, ${number("b")}`), "before after:invalid_arguments"],
    ["add", { a: 1, b: 2 }, { "test/refuse": 1 }, error("Not today."), "before after:error"],
    ["add", { a: "x", b: 2 }, { "test/refuse": 1 }, error("Not today."), "before after:error"],
    ["add", { a: 1, b: 2 }, { "test/answer": 1 }, ok("answered by a stage"), "before ready after:ok"],
    ["add", { a: "x", b: 2 }, { "test/answer": 1 }, badAdd(number("a")), "before after:invalid_arguments"],
    ["complain", {}, {}, error("I would rather not"), "before ready after:error"],
    ["give_up", {}, {}, error("The tool failed."), "before ready after:failed"],
    ["misfit", {}, {}, error("The tool returned a result that does not match its output schema."), "before ready after:failed"],
    ["nowhere", {}, {}, { code: -32602, text: "Tool nowhere not found" }, "after:not_found"],
    ["text_to_speech", {}, {}, { code: -32602, text: "Tool text_to_speech disabled" }, "after:disabled"],
    ["harm", { how: "nothing" }, {}, ok("unharmed"), "before ready after:ok"],
    ["harm", { how: "crash" }, {}, error("The tool crashed."), "before ready after:failed"],
    ["harm", { how: "spin" }, {}, error("timed out after 2 s"), "before ready after:timed_out"],
    ["one_by_one", {}, {}, ok("alone"), "before ready after:ok"],
    ...Array(5).fill(["limited", {}, {}, ok("within the limit"), "before ready after:ok"]),
    ["limited", {}, {}, error(/^Rate limited: limited may be called 5 times in 60 s\. Try again in \d+ s\.$/), "after:rate_limited"],
];

const outcomeOf = (seen) => /after:(\w+)$/.exec(seen)[1];

async function walk(carrier) {
    for (const [tool, args, meta, wanted, seen] of rows) {
        const { meta: said, ...answer } = await carrier.call(tool, args, meta);
        const what = `${tool} ${JSON.stringify(args)} ${JSON.stringify(meta)} ${carrier.name}`;

        if (said?.["test/after"]) answer.after = true;
        if (answer.structured === undefined) delete answer.structured;
        if (wanted.text instanceof RegExp) {
            assert.match(answer.text, wanted.text, what);
            assert.ok(said["haft/retryAfterMs"] > 0, what);
            assert.equal(answer.isError, true, what);
        } else {
            assert.deepEqual(answer, wanted, what);
        }
        assert.equal((await carrier.call("seen")).text, seen, what);
    }
}

/* How many calls of each tool had each outcome. */
function expectedCounts() {
    const counts = {};
    /* What there is not is not counted by name: names can be made up without end. */
    const known = (tool) => (tool === "nowhere" ? "_other" : tool);

    for (const [tool, , , , seen] of rows) {
        const key = `${known(tool)} ${outcomeOf(seen)}`;
        counts[key] = (counts[key] ?? 0) + 1;
    }
    counts["seen ok"] = rows.length;
    return counts;
}

function countsIn(text) {
    const line = /^mcp_server_calls_total\{gen_ai_tool_name="(\w+)",outcome="(\w+)"\} (\d+)$/gm;

    return Object.fromEntries([...text.matchAll(line)].map(([, tool, how, n]) => [`${tool} ${how}`, Number(n)]));
}

for (const carrier of carriers)
    test(`every stage, ${carrier[0]}`, () =>
        withCarrier(carrier, { env: { HAFT_TOOLS: "-text_to_speech" } }, async (opened) => {
            await walk(opened);
            assert.deepEqual(countsIn((await opened.call("counted")).text), expectedCounts());
            assert.deepEqual(
                (await opened.audited("counted"))
                    .filter(({ tool }) => !["seen", "counted"].includes(tool))
                    .map(({ tool, outcome }) => [tool, outcome]),
                rows.map(([tool, , , , seen]) => [tool, outcomeOf(seen)]),
            );
        }));
