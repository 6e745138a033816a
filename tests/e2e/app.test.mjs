/* app.test.mjs - the page of examples/app.c in a browser, with a host around it that calls the tools of the server. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { Browser, chromium } from "./browser.mjs";
import { Pipe } from "./pipe-client.mjs";
import { example } from "./server.mjs";

/* A host as a page: it writes down what the app sends, and answers as the specification says. */
const host = `<!doctype html><iframe sandbox="allow-scripts allow-same-origin" width="400" height="300"></iframe><script>
const frame = document.querySelector("iframe");
window.heard = [];
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    heard.push(data);
    if (data.method === "ui/initialize")
        post({ id: data.id, result: { protocolVersion: data.params.protocolVersion, hostInfo: { name: "test", version: "1" },
            hostCapabilities: { serverTools: {} }, hostContext: { styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" } } } } });
    if (data.method === "tools/call")
        post({ id: data.id, ...(window.answered = await (await fetch("/call", { method: "POST", body: JSON.stringify(data.params) })).json()) });
});
fetch("/page").then((it) => it.text()).then((text) => { frame.srcdoc = text; });
</script>`;

describe("the app", { skip: chromium ? false : "Chromium is not here" }, () => {
    let pipe, server, browser;

    before(async () => {
        pipe = new Pipe(example("app"));
        await pipe.greet();
        server = createServer(async (request, response) => {
            let body = "";

            for await (const part of request) body += part;
            if (request.url === "/call") {
                const { result, error } = await pipe.request("tools/call", JSON.parse(body));

                return response.end(JSON.stringify(result ? { result } : { error }));
            }
            if (request.url === "/page") {
                const { result } = await pipe.request("resources/read", { uri: "ui://dice/page" });

                return response.end(result.contents[0].text);
            }
            response.setHeader("content-type", "text/html");
            return response.end(request.url === "/" ? host : "");
        }).listen(0, "127.0.0.1");
        await once(server, "listening");
        browser = await Browser.start({ width: 500, height: 400 });
        await browser.goto(`http://127.0.0.1:${server.address().port}/`);
    });
    after(async () => {
        await browser?.close();
        server?.close();
        assert.equal(await pipe.end(), 0, pipe.log);
    });

    const heard = async (method) => (await browser.value("heard")).filter((it) => it.method === method);
    const hears = (method, n = 1) =>
        browser.waitFor(`window.heard?.filter((it) => it.method === "${method}").length >= ${n}`, method);
    /* An expression about an element of the page; its origin is that of the host here, so the test can look. */
    const element = (id, rest) => `document.querySelector("iframe").contentDocument.getElementById("${id}").${rest}`;
    const shows = (id, text) => browser.waitFor(`${element(id, "textContent")} === ${JSON.stringify(text)}`, `${id}: ${text}`);
    const post = (message) => browser.value(`post(${JSON.stringify(message)})`);

    test("initializes as the specification says", async () => {
        await hears("ui/notifications/initialized");
        const [{ params }] = await heard("ui/initialize");

        assert.deepEqual(params, { appInfo: { name: "dice", version: "1.0.0" }, appCapabilities: {}, protocolVersion: "2026-01-26" });
        await hears("ui/notifications/size-changed");
        const [size] = await heard("ui/notifications/size-changed");

        assert.ok(size.params.width > 100 && size.params.height > 50, JSON.stringify(size));
        assert.equal(await browser.value(`getComputedStyle(${element("dice", "parentElement")}).color`), "rgb(1, 2, 3)");
    });

    test("shows the result of the tool, and calls another", async () => {
        const { result } = await pipe.request("tools/call", { name: "roll_dice", arguments: { count: 3 } });
        const { dice, sum } = result.structuredContent;

        assert.equal(dice.length, 3);
        await post({ method: "ui/notifications/tool-input", params: { arguments: { count: 3 } } });
        await post({ method: "ui/notifications/tool-result", params: result });
        await shows("dice", dice.map((n) => "\u2680\u2681\u2682\u2683\u2684\u2685"[n - 1]).join(""));
        await shows("sum", String(sum));
        await browser.value(element("again", "click()"));
        await hears("tools/call");
        assert.deepEqual((await heard("tools/call"))[0].params, { name: "roll_again", arguments: { count: 3 } });
        await browser.waitFor(`window.answered`, "the answer");
        const again = await browser.value("answered");

        assert.equal(again.result.structuredContent.dice.length, 3);
        await shows("sum", String(again.result.structuredContent.sum));
        assert.ok((await browser.screenshot()).length > 1000, "a picture");
    });

    test("shows errors, and answers the host", async () => {
        await post({ method: "ui/notifications/tool-result", params: { isError: true, content: [{ type: "text", text: "no" }] } });
        await shows("dice", "The dice could not be rolled.");
        await post({ method: "ui/notifications/tool-cancelled", params: { reason: "as you wish" } });
        await shows("dice", "Cancelled.");
        await post({ method: "ui/notifications/tool-input", params: { arguments: { count: 1000 } } });
        await browser.value(element("again", "click()"));
        await shows("dice", "The dice could not be rolled.");
        await post({ id: "x", method: "ui/resource-teardown", params: { reason: "the end" } });
        await browser.waitFor(`heard.some((it) => it.id === "x" && it.result)`, "the answer");
        assert.deepEqual(browser.faults, []);
    });
});
