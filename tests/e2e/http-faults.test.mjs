/* http-faults.test.mjs - would we notice?  Every fault in http-faults.mjs is put into a server that is known
 * to be good, and the checks that pass on the good one must not pass on the bad one. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checks } from "./http-checks.mjs";
import { faults } from "./http-faults.mjs";
import { faulty } from "./http-proxy.mjs";
import { start } from "./http-server.mjs";

const servers = {};
const caught = [];

before(async () => {
    for (const name of ["everything", "driver"]) servers[name] = await start(name);
});
after(async () => {
    for (const [fault, by] of caught) console.log(`# ${fault.padEnd(52)} ${by}`);
    for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, server.log());
});

/* What a check says of a server with a fault; nothing when it passes. */
async function complaint(name, fault) {
    const [server, check] = checks[name];
    const proxy = await faulty(servers[server].url, fault);

    try {
        await check(proxy.url);
    } catch (error) {
        return error;
    } finally {
        proxy.close();
    }
}

test("without a fault nothing is noticed", async (t) => {
    for (const name of new Set(faults.flatMap(({ by }) => by)))
        await t.test(name, async () => assert.ifError(await complaint(name, {})));
});

test("there are faults enough, and no two are called the same", () => {
    assert.ok(faults.length >= 20);
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
});

test("every fault is noticed", async (t) => {
    for (const fault of faults)
        await t.test(fault.name, async () => {
            for (const name of fault.by) {
                const error = await complaint(name, fault);

                if (!error) continue;
                assert.equal(error.name, "AssertionError", `${name}: ${error.stack}`);
                caught.push([fault.name, name]);
                return;
            }
            assert.fail(`not by ${fault.by.join(", ")}`);
        });
});
