/* oauth-docs.test.mjs - the set-ups of docs/auth.md, run as they stand there: the provider is the one of the page, and the
 * commands print what the page says. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { browse } from "./authorize.mjs";
import { spawn } from "./child.mjs";
import { haft } from "./cli.mjs";
import { example, freePort } from "./server.mjs";

const page = readFileSync(new URL("../../docs/auth.md", import.meta.url), "utf8");

/* The blocks of a section: { language, text }. */
function blocks(heading) {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));

    assert.ok(section, heading);
    return [...section.matchAll(/^```(\S+)[^\n]*\n([^]*?)^```$/gm)].map(([, language, text]) => ({ language, text }));
}

const commands = (text) => text.replaceAll("\\\n", " ").trim().split("\n");
const isServer = (command) => /^(node|oauth-server) /.test(command);

async function listens(port) {
    for (;;) {
        const socket = net.connect(port, "127.0.0.1");
        const open = await once(socket, "connect").then(() => true, () => false);

        socket.destroy();
        if (open) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

/* Runs the commands of a section in a directory, with its ports moved to free ones; what they print on standard output. */
async function session(heading) {
    const directory = mkdtempSync(join(tmpdir(), "haft-docs-"));
    const ports = { 4000: await freePort() };
    const running = [];
    let out = "";

    ports[8808] = await (async () => {
        const holder = net.createServer().listen(ports[4000], "127.0.0.1");

        await once(holder, "listening");
        const port = await freePort();

        await new Promise((resolve) => holder.close(resolve));
        return port;
    })();
    const moved = (text) => text.replace(/\b(4000|8808)\b/g, (port) => ports[port]);
    const env = {
        ...process.env,
        PATH: [dirname(haft), dirname(example("x")), dirname(process.execPath), process.env.PATH].join(":"),
        XDG_STATE_HOME: join(directory, "state"),
        NO_COLOR: "1",
    };
    const start = (command) => spawn("sh", ["-c", `exec ${command}`], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });

    try {
        symlinkSync(fileURLToPath(new URL("node_modules", import.meta.url)), join(directory, "node_modules"));
        for (const { language, text } of blocks(heading)) {
            if (language === "js") writeFileSync(join(directory, "provider.mjs"), moved(text));
            if (language !== "sh") continue;
            for (const command of commands(moved(text))) {
                if (command.startsWith("npm ")) continue; /* installed already */
                const child = start(command);
                let err = "";
                let opened;

                child.stderr.on("data", (more) => {
                    err += more;
                    /* A person at a browser. */
                    const url = /^(http\S+\/auth\?\S+)\n/m.exec(err)?.[1];

                    if (url && !opened) opened = browse(url).catch(() => {});
                });
                if (isServer(command)) {
                    running.push(child);
                    await listens(command.startsWith("node ") ? ports[4000] : ports[8808]);
                    continue;
                }
                child.stdout.on("data", (more) => (out += more));
                await once(child, "close");
            }
        }
    } finally {
        for (const child of running) child.kill("SIGTERM");
        await Promise.all(running.map((child) => child.exitCode ?? once(child, "close")));
        rmSync(directory, { recursive: true });
    }
    return out;
}

for (const heading of ["Try it with oidc-provider", "API keys"])
    test(`docs/auth.md: ${heading}`, { timeout: 120000 }, async () => {
        const shown = blocks(heading).filter(({ language }) => language === "text");

        assert.equal(shown.length, 1);
        assert.equal(await session(heading), shown[0].text);
    });
