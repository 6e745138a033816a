/* federation-conformance.test.mjs - the protocol's own conformance suite through a gateway, before the
 * example that has everything. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { example } from "./server.mjs";
import { isBad, isExtension, run, scored, summary } from "./suite.mjs";

let everything;
before(async () => (everything = await start("everything")));
after(async () => assert.equal(await everything.stop(), 0, everything.log()));

const requirements = { "2025-11-25": 30, "2026-07-28": 37 };

/* Without those of the tasks extension, which a gateway does not pass on: calls that its scenarios leave, and that
 * last a minute, would make it unknown which client a log message of a child is for. */
const tools = "test_*,json_schema_2020_12_tool";

/* An upstream of an older revision asks one question after the other, under names that it does not choose. */
const upstreams = {
    "a child": [() => ({ command: [example("everything")] }), ["2025-11-25", "2026-07-28"]],
    "a server over HTTP": [() => ({ url: everything.url }), ["2025-11-25", "2026-07-28"]],
    "a child of 2025-11-25": [
        () => ({ command: [example("everything")], revision: "2025-11-25" }),
        ["2025-11-25"],
    ],
};

for (const [what, [of, wanted]] of Object.entries(upstreams))
    test(`before ${what}`, () =>
        withGateway(
            "plain",
            async (server) => {
                for (const revision of wanted) {
                    const names = await scored("Server", revision);
                    const text = await run("server", "--url", server.url, "--requirements", revision);
                    const ran = new Map(summary(text).map((row) => [row.name, row]));

                    assert.equal(names.length, requirements[revision]);
                    assert.deepEqual(names.filter((name) => !ran.has(name)), [], "all were run");
                    assert.deepEqual(names.map((name) => ran.get(name)).filter(isBad), [], text.slice(-4000));
                }
                const all = await run("server", "--url", server.url, "--suite", "all", "--spec-version", "2025-06-18");

                assert.deepEqual(summary(all).filter((row) => !isExtension(row)).filter(isBad), [], all.slice(-4000));
            },
            { config: { gateway: { upstreams: { everything: { prefix: "none", tools, mcp: of() } } } } },
        ));
