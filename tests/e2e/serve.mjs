/* serve.mjs - `haft serve` and the gateway driver as HTTP servers. */

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { haft } from "./cli.mjs";
import { Server } from "./http-server.mjs";
import { example } from "./server.mjs";

export const driver = join(example("."), "..", "tests", "gateway-driver");

/* Runs "haft" (its demonstration, the shop), "plain" (haft without it) or the driver for as long as `use` takes, with a configuration when one is given.
 * `files` are written beside it: a name, or several, and what is in them; `copies` are names and the files that
 * they are copies of; {DIR} in the configuration is where they are. */
export async function withGateway(which, use, { config, files = {}, copies = {}, args = [], env } = {}) {
    const directory = mkdtempSync(join(tmpdir(), "haft-gateway-"));
    const place = (text) => text.replaceAll("{DIR}", directory);
    const words = { haft: ["serve", "--demo"], plain: ["serve"] }[which] ?? [];

    for (const [name, from] of Object.entries(copies)) copyFileSync(from, join(directory, name));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    if (config) {
        const file = join(directory, "config.json");

        writeFileSync(file, place(JSON.stringify(config)));
        words.push("--config", file);
    }
    const server = await new Server(
        which === "driver" ? driver : haft,
        [...words, "--http", "127.0.0.1:0", ...args],
        { env },
    ).ready();

    server.base = new URL("/", server.url).href.slice(0, -1);
    server.directory = directory;
    try {
        await use(server);
    } finally {
        const status = await server.stop();

        rmSync(directory, { recursive: true });
        assert.equal(status, 0, server.log());
    }
}
