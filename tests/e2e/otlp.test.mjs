// Spans over https, and the optional part that sends them: loaded only where it is needed.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:https";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { example } from "./server.mjs";
import { Pipe } from "./pipe-client.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haft-otlp-"));
const at = (name) => path.join(folder, name);
const call = { name: "search", arguments: { query: "mug" } };

execFileSync("sh", ["tests/http_client/certificates.sh", folder]);
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const collect = async (certificate) => {
    const received = [];
    const collector = createServer(
        { cert: fs.readFileSync(at(`${certificate}.pem`)), key: fs.readFileSync(at(`${certificate}.key`)) },
        (request, response) => {
            let body = "";

            request.on("data", (text) => (body += text));
            request.on("end", () => {
                received.push(body);
                response.end("{}");
            });
        },
    );

    await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
    return {
        received,
        url: `https://127.0.0.1:${collector.address().port}`,
        close: () => (collector.close(), collector.closeAllConnections()),
    };
};

const mapped = (pipe) => fs.readFileSync(`/proc/${pipe.process.pid}/maps`, "utf8");

for (const [name, certificate, options, refusal] of [
    ["trusted", "here", ["--otlp-ca", at("authority.pem")]],
    ["trusted, in a sandbox", "here",
        ["--otlp-ca", at("authority.pem"), "--sandbox=best-effort", "--sandbox-connect"]],
    ["of an authority that is not", "here", [], /TLS handshake failed: .*issuer certificate/],
    ["of another authority", "here", ["--otlp-ca", at("stranger.pem")], /TLS handshake failed: /],
    ["of another host", "elsewhere", ["--otlp-ca", at("authority.pem")], /TLS handshake failed: .*127\.0\.0\.1/],
    ["expired", "expired", ["--otlp-ca", at("authority.pem")], /TLS handshake failed: .*expired/],
])
    test(`over https to a collector that is ${name}`, async () => {
        const collector = await collect(certificate);
        /* Names are looked up in a sandbox, too. */
        const url = collector.url.replace("127.0.0.1", /sandbox/.test(name) ? "localhost" : "$&");
        const pipe = new Pipe(example("catalog"), "--otlp", url, ...options);

        await pipe.greet();
        assert.ok(!(await pipe.request("tools/call", call)).result.isError);
        assert.match(mapped(pipe), /libhaft-http-client/);
        assert.equal(await pipe.end(), 0);
        if (refusal) {
            assert.match(pipe.log, refusal);
            assert.match(pipe.log, /1 spans lost/);
            assert.deepEqual(collector.received, []);
        } else {
            assert.match(collector.received.join("\n"), /tools\/call search/);
            assert.doesNotMatch(pipe.log, /lost/);
        }
        collector.close();
    });

test("without --otlp neither the part nor libcurl is loaded", async () => {
    const pipe = new Pipe(example("catalog"));

    await pipe.greet();
    assert.ok(!(await pipe.request("tools/call", call)).result.isError);
    assert.doesNotMatch(mapped(pipe), /libhaft-http-client|libcurl|libssl/);
    assert.equal(await pipe.end(), 0);
});

test("a part or a file that is missing is named", () => {
    fs.mkdirSync(at("bin"));
    fs.copyFileSync(example("catalog"), at("bin/catalog"));
    const run = (program, ...more) =>
        spawnSync(program, ["--otlp", "https://127.0.0.1:1", ...more], { encoding: "utf8", input: "" });
    const lacking = run(at("bin/catalog"));

    assert.equal(lacking.status, 1);
    assert.match(
        lacking.stderr,
        /--otlp https:\/\/127\.0\.0\.1:1: needs the package libhaft-http-client: .*\/lib\S*\/libhaft-http-client\.so\.\S+: cannot open/,
    );
    const without = run(example("catalog"), "--otlp-ca", "/nowhere");

    assert.equal(without.status, 1);
    assert.match(without.stderr, /\/nowhere: No such file or directory/);
});
