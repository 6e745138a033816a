// What whoever runs a server can say about it without touching the program: what is offered, and the audit.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";

const build = process.env.HAFT_BUILD_DIR ?? process.env.HAFT_BUILD ?? "build/dev";
const catalog = path.resolve(build, "examples/catalog");

function offered(env, ...options) {
    const text = execFileSync(catalog, ["--list", "--json", ...options], {
        env: { ...process.env, ...env },
        encoding: "utf8",
    });
    return JSON.parse(text).tools.map((tool) => tool.name);
}

const all = ["search", "product-details", "clear-catalog"];
const rows = [
    [{}, [], all],
    [{ TOOL_PRODUCT_DETAILS_DISABLED: "true" }, [], ["search", "clear-catalog"]],
    [{ TOOL_PRODUCT_DETAILS_DISABLED: "false" }, [], all],
    [{ TOOL_PRODUCT_DISABLED: "true" }, [], all],
    [{ HAFT_TOOLS: "*-*" }, [], ["product-details", "clear-catalog"]],
    [{ HAFT_TOOLS: "-clear*" }, [], ["search", "product-details"]],
    [{ HAFT_TOOLS: "search" }, ["--tools", "clear*"], ["clear-catalog"]],
    [{ HAFT_READ_ONLY: "1" }, [], []],
    [{}, ["--read-only"], []],
];
for (const [env, options, expected] of rows)
    test(`${JSON.stringify(env)} ${options.join(" ")} offers ${expected.join(", ") || "nothing"}`, () => {
        assert.deepEqual(offered(env, ...options), expected);
    });

test("a hidden tool is answered disabled", () => {
    const call = spawnSync(catalog, ["--call", "search", '{"query":"mug"}'], {
        env: { ...process.env, TOOL_SEARCH_DISABLED: "true" },
        encoding: "utf8",
    });
    assert.equal(call.status, 2);
    assert.match(call.stderr, /Tool search disabled/);
});

test("the audit has a line for every call, and says when it cannot be written", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haft-audit-"));
    const file = path.join(folder, "audit");
    const run = (...args) => spawnSync(catalog, ["--audit", file, "--call", ...args], { encoding: "utf8" });

    assert.equal(run("search", '{"query":"mug"}').status, 0);
    assert.equal(run("search", '{"query":5}').status, 1);
    assert.equal(run("nope", "{}").status, 2);
    const lines = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
        lines.map((line) => [line.tool, line.outcome]),
        [["search", "ok"], ["search", "invalid_arguments"], ["nope", "not_found"]],
    );
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    fs.rmSync(folder, { recursive: true });
    const refused = run("search", '{"query":"mug"}');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /No such file or directory/);
    const full = spawnSync(catalog, ["--audit", "/dev/full", "--call", "search", '{"query":"mug"}'], { encoding: "utf8" });
    assert.equal(full.status, 0);
    assert.match(full.stderr, /cannot write the audit file/);
});
