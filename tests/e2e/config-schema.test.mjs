/* config-schema.test.mjs - the JSON Schema of the configuration file, as editors use it: it accepts the files of the
 * documentation, and refuses what haft serve refuses. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { haft } from "./cli.mjs";

const { status, stdout, stderr } = spawnSync(haft, ["config", "schema"], { encoding: "utf8" });
const docs = new URL("../../docs/", import.meta.url);

assert.equal(status, 0, stderr);

const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(stdout));
const sections = Object.keys(JSON.parse(stdout).properties);

/* The blocks of a page that are configuration files. */
function* files(page) {
    const text = readFileSync(new URL(page, docs), "utf8");

    for (const [, json] of text.matchAll(/^```json\n([^]*?)^```$/gm)) {
        let value;

        try {
            value = JSON.parse(json);
        } catch {
            continue;
        }
        const names = Object.keys(value);

        if (names.length && names.every((name) => sections.includes(name))) yield value;
    }
}

test("accepts the configurations of the documentation", () => {
    let n = 0;

    for (const page of readdirSync(docs).filter((name) => name.endsWith(".md")))
        for (const value of files(page)) {
            assert.ok(validate(value), `${page}: ${JSON.stringify(validate.errors)}`);
            n++;
        }
    assert.ok(n >= 2, `${n} files`);
});

const wrong = [
    [{ limit: {} }, "additionalProperties"],
    [{ limits: { workers: "many" } }, "type"],
    [{ limits: { workers: 0 } }, "minimum"],
    [{ limits: { timeout: "5 parsecs" } }, "pattern"],
    [{ log: { level: "loud" } }, "enum"],
    [{ plugins: "greet.so" }, "type"],
    [{ gateway: { endpoint: [] } }, "additionalProperties"],
    [{ gateway: { policies: [{ name: "x" }] } }, "required"],
    [{ gateway: { policies: [{ name: "x", policy: "rate-limit", options: { call: 3 } }] } }, "required"],
    [{ gateway: { upstreams: { pets: { htp: {} } } } }, "additionalProperties"],
];

for (const [value, keyword] of wrong)
    test(`refuses ${JSON.stringify(value)}`, () => {
        assert.ok(!validate(value));
        assert.ok(validate.errors.some((error) => error.keyword === keyword), JSON.stringify(validate.errors));
    });

test("the words after config", () => {
    for (const [words, expected] of [
        [[], "haft: config needs schema"],
        [["schemas"], "haft: config needs schema, not schemas"],
        [["schema", "x"], "haft: unexpected argument x for config schema"],
    ]) {
        const result = spawnSync(haft, ["config", ...words], { encoding: "utf8" });

        assert.equal(result.status, 2);
        assert.ok(result.stderr.startsWith(expected), result.stderr);
    }
});
