/* openapi-import.test.mjs - `haft import openapi` with documents that others wrote: every operation becomes a tool that Ajv
 * and haft accept, or a named refusal. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import YAML from "yaml";
import { run } from "./cli.mjs";
import { checkImport } from "./openapi-check.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const examples = dirname(createRequire(import.meta.url).resolve("@readme/oas-examples/package.json"));
const own = join(here, "../import/documents");
const directory = mkdtempSync(join(tmpdir(), "haft-openapi-"));
after(() => rmSync(directory, { recursive: true }));

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/* The operations of a document, counted here. */
function count(document) {
    const step = (value, key) => value[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")];
    const resolve = (item) => (item.$ref ? item.$ref.slice(2).split("/").reduce(step, document) : item);

    return Object.values(document.paths ?? {})
        .flatMap((item) => Object.keys(resolve(item)))
        .filter((key) => methods.includes(key)).length;
}

async function importFile(file, ...options) {
    const { code, out, err } = await run(["import", "openapi", file, "--json", ...options]);

    assert.equal(code, 0, `${file}: ${err}`);
    return JSON.parse(out);
}

const documents = ["2.0", "3.0", "3.1"]
    .flatMap((version) => readdirSync(join(examples, version, "json")).map((name) => join(examples, version, "json", name)))
    .concat(readdirSync(own).map((name) => join(own, name)))
    .filter((path) => path.endsWith(".json"));

test("every operation of every document becomes a tool", async () => {
    const total = { documents: 0, operations: 0 };

    for (const path of documents) {
        const result = await importFile(path);

        assert.deepEqual([...checkImport(result)], [], path);
        assert.deepEqual(result.refused, [], path);
        assert.equal(result.operations, count(JSON.parse(readFileSync(path, "utf8"))), path);
        total.documents++;
        total.operations += result.operations;
    }
    assert.ok(total.documents > 50 && total.operations > 600, JSON.stringify(total));
});

test("a document in YAML gives the same tools as in JSON", async () => {
    let compared = 0;

    for (const version of ["2.0", "3.0", "3.1"])
        for (const name of readdirSync(join(examples, version, "yaml")).filter((file) => file.endsWith(".yaml"))) {
            const yaml = join(examples, version, "yaml", name), json = join(directory, "same.json");

            writeFileSync(json, JSON.stringify(YAML.parse(readFileSync(yaml, "utf8"))));
            assert.deepEqual(await importFile(yaml), await importFile(json), yaml);
            compared++;
        }
    assert.ok(compared > 30, `${compared} documents`);
});

test("names, bytes and refusals are the same at every run", async () => {
    const file = join(own, "github-sample.json");

    assert.deepEqual(await importFile(file, "--prefix", "gh"), await importFile(file, "--prefix", "gh"));
});

test("a selection does not change the names of the others", async () => {
    const file = join(own, "github-sample.json");
    const all = await importFile(file);
    const some = await importFile(file, "--select", "tag=issues", "--select", "id=git/*");
    const names = new Set(all.tools.map(({ name }) => name));

    assert.equal(all.tools.length, 26);
    assert.equal(some.operations, 26);
    assert.ok(some.tools.length > 3 && some.tools.length < 15);
    assert.ok(some.tools.every(({ name }) => names.has(name)));
    assert.ok(some.refused.every(({ selected, reason }) => !selected && reason === "not selected"));
    const read = await importFile(file, "--read-only");

    assert.ok(read.tools.every(({ annotations }) => annotations.readOnlyHint));
});

test("external references and wrong versions are named", async () => {
    const file = join(directory, "a.json");
    const paths = { "/a": { get: { parameters: [{ $ref: "other.json#/p" }] } }, "/b": { get: {} } };

    writeFileSync(file, JSON.stringify({ openapi: "3.0.0", paths }));
    const result = await importFile(file);

    assert.deepEqual(result.tools.map(({ name }) => name), ["get_b"]);
    assert.deepEqual(result.refused, [{ operation: "GET /a", reason: "external reference other.json#/p", selected: true }]);
    writeFileSync(file, JSON.stringify({ openapi: "4.0.0", paths }));
    const { code, err } = await run(["import", "openapi", file]);

    assert.equal(code, 6);
    assert.match(err, /a\.json: OpenAPI version 4\.0\.0 is not supported; supported are 2\.0, 3\.0 and 3\.1\n$/);
});

test("wrong words are usage errors, and a missing file is named", async () => {
    for (const [args, code, text] of [
        [[], 2, /import needs openapi and a file/],
        [["swagger", "a"], 2, /not swagger/],
        [["openapi"], 2, /needs a file/],
        [["openapi", "a", "b"], 2, /unexpected argument b/],
        [["openapi", "a", "--select", "colour=red"], 2, /--select: colour=red is not KEY=GLOB/],
        [["openapi", "a", "--select", "tag="], 2, /--select: tag= is not KEY=GLOB/],
        [["openapi", join(directory, "none.json")], 6, /cannot read .*none\.json: No such file/],
    ]) {
        const result = await run(["import", ...args]);

        assert.equal(result.code, code, result.err);
        assert.match(result.err, text);
    }
});
