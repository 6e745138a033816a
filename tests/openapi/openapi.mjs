// openapi.mjs [DIR] - imports GitHub's OpenAPI document and every document found in DIR, and prints what becomes of them.
//
// Every operation must become a tool or a refusal with a reason, haft compiles every schema, and Ajv a sample, as clients do. GitHub's
// document must be imported in at most 10 times the processor time of a bare parse by yyjson, and 100 MB.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { checkImport } from "../e2e/openapi-check.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const build = join(here, "../../build/release");
const github = join(here, "node_modules/@octokit/openapi/generated/api.github.com.json");
const limits = { ratio: 10, kib: 100 * 1024 };
const large = { maxBuffer: 1 << 30, encoding: "utf8" };

// Documents below a directory: JSON and YAML files that say so.
function find(directory) {
    return readdirSync(directory, { recursive: true })
        .map(name => join(directory, name))
        .filter(path => /\.(json|ya?ml)$/.test(path) && statSync(path).isFile())
        .filter(path => /^\s*["']?(openapi|swagger)["']?\s*:/m.test(readFileSync(path, "utf8")))
        .sort();
}

// Reasons, without what is different each time.
function reasons(refused) {
    const counts = {};
    for (const { reason } of refused) {
        const kind = reason.replace(/ (#|\S+\/|\S+\.).*$/, " ...");
        counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return Object.entries(counts).map(([kind, n]) => `${n} ${kind}`).join(", ");
}

let failed = 0;
function fault(path, text) {
    console.log(`  ${path}: ${text}`);
    failed++;
}

function show(path) {
    let result, cost;
    try {
        result = JSON.parse(execFileSync(join(build, "bin/haft"), ["import", "openapi", path, "--json"], { ...large, stdio: "pipe" }));
        cost = JSON.parse(execFileSync(join(build, "bench/openapi-import"), [path], large));
    } catch (error) {
        fault(path, error.stderr?.toString().trim() || error.message);
        return;
    }
    const ratio = cost.parse_ms ? cost.import_ms / cost.parse_ms : 0;
    const kib = Math.round(statSync(path).size / 1024);
    console.log(
        [basename(path).padEnd(28), result.version.padEnd(6), String(kib).padStart(6), String(result.operations).padStart(6),
         String(result.tools.length).padStart(6), String(result.refused.length).padStart(6), String(cost.schema_bytes).padStart(10),
         cost.parse_ms.toFixed(1).padStart(7), cost.import_ms.toFixed(1).padStart(7), ratio.toFixed(1).padStart(5),
         (cost.peak_kib / 1024).toFixed(1).padStart(6), reasons(result.refused)].join("  "));
    for (const problem of checkImport(result, 60))
        fault(path, problem);
    if (path === github && (ratio > limits.ratio || cost.peak_kib > limits.kib))
        fault(path, `over the limits: ${limits.ratio} times a bare parse, ${limits.kib / 1024} MiB`);
    if (path === github && result.tools.length !== 1223)
        fault(path, `${result.tools.length} tools of 1223`);
}

const directory = process.argv[2];
const documents = [...(existsSync(github) ? [github] : []), ...(directory ? find(directory) : [])];
if (!documents.length) {
    console.log("there are no documents");
    process.exit(1);
}
console.log(`${"document".padEnd(28)}  ver.    KiB      oper.   tools  refus.   schema B  parse   import   ratio  peak MiB`);
documents.forEach(show);
process.exit(failed ? 1 : 0);
