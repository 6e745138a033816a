/* home-table.test.mjs - the table of home-table.mjs, which `./dev home-e2e` runs against a real Home Assistant, against
 * the demo home. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rest, withDemo } from "./home.mjs";
import { runTable } from "./home-table.mjs";

/* What a home is like, without what changes by itself. */
async function snapshot(base) {
    const { body } = await rest(base, "GET", "/api/states");

    return Object.fromEntries(
        body
            .filter(({ entity_id }) => /^(light|switch|climate|fan|lock|media_player|scene|automation|todo|alarm_control_panel)\./.test(entity_id))
            .map(({ entity_id, state, attributes }) => [
                entity_id,
                entity_id.startsWith("scene.") ? "" : [state, attributes.brightness ?? null, attributes.temperature ?? null, attributes.volume_level ?? null],
            ]),
    );
}

test("every row, and the home is as it was", () =>
    withDemo(async (demo) => {
        const directory = mkdtempSync(join(tmpdir(), "haft-home-"));
        const file = join(directory, "token");
        const lines = [];

        writeFileSync(file, "demo\n", { mode: 0o600 });
        try {
            const before = await snapshot(demo.url);
            const { ok, failed, skipped } = await runTable(demo.url, file, (line) => lines.push(line));

            assert.deepEqual(failed, [], lines.join("\n"));
            assert.equal(skipped, 4, lines.join("\n"));
            assert.ok(ok >= 44, lines.join("\n"));
            assert.deepEqual(await snapshot(demo.url), before);
        } finally {
            rmSync(directory, { recursive: true });
        }
    }));
