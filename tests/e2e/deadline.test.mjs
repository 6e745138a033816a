/* deadline.test.mjs - the thirty seconds that every call has, in full: a tool that sleeps for longer is
 * answered at thirty, and what it says later is dropped. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { carriers, withCarrier } from "./pipeline-server.mjs";
import { until } from "./server.mjs";

describe("at once", { concurrency: true }, () => {
    for (const carrier of carriers.slice(0, 2))
        test(`a sleep of 31 s is answered at 30 s, ${carrier[0]}`, () =>
            withCarrier(carrier, {}, async (opened) => {
                const began = performance.now();
                const strays = [];

                opened.client.onerror = (error) => strays.push(String(error));
                const late = opened.call("doze", { ms: 31000 }, undefined, { timeout: 60000 });
                assert.equal((await opened.call("add", { a: 2, b: 2 })).text, '{"sum":4}');
                const answer = await late;
                const took = performance.now() - began;

                assert.deepEqual([answer.text, answer.isError], ["timed out after 30 s", true]);
                assert.ok(took >= 29900 && took < 40000, `${took} ms`);
                await until(() => /nobody waits any more/.test(opened.log()), "its end", 20000);
                assert.equal((await opened.call("add", { a: 2, b: 3 })).text, '{"sum":5}');
                assert.deepEqual(strays, []);
                assert.deepEqual(
                    (await opened.audited("add"))
                        .filter(({ tool }) => tool === "doze")
                        .map(({ outcome }) => outcome),
                    ["timed_out"],
                );
            }));
});
