/* home-demo.test.mjs - the demo home as a Home Assistant, judged by clients that others wrote, and by what a real
 * Home Assistant was seen to answer. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import * as haws from "home-assistant-js-websocket";
import HomeAssistant from "homeassistant";
import { WebSocket } from "ws";
import { rest, Session, startDemo, TOKEN, withDemo } from "./home.mjs";
import { freePort, until } from "./server.mjs";

globalThis.WebSocket = WebSocket; /* what home-assistant-js-websocket opens */

let demo;

before(async () => {
    demo = await startDemo();
});
after(async () => {
    assert.equal(await demo.stop(), 0, demo.log());
});

/* ---- home-assistant-js-websocket ---- */

describe("home-assistant-js-websocket", () => {
    const open = (token = TOKEN) =>
        haws.createConnection({ auth: haws.createLongLivedTokenAuth(demo.url, token), setupRetry: 0 });

    async function withConnection(use) {
        const connection = await open();

        try {
            await use(connection);
        } finally {
            connection.close();
        }
    }

    test("connects", () =>
        withConnection(async (connection) => {
            assert.ok(connection.connected);
            assert.match(connection.haVersion, /^2026\.8\./);
        }));

    test("is refused with a wrong token", async () => {
        await assert.rejects(open("wrong"), (error) => error === haws.ERR_INVALID_AUTH);
    });

    test("cannot connect to nobody", async () => {
        await assert.rejects(
            haws.createConnection({
                auth: haws.createLongLivedTokenAuth("http://127.0.0.1:1", TOKEN),
                setupRetry: 0,
            }),
            (error) => error === haws.ERR_CANNOT_CONNECT,
        );
    });

    test("subscribes to entities, and sees what a service changes", () =>
        withConnection(async (connection) => {
            const seen = [];
            const stop = haws.subscribeEntities(connection, (entities) => seen.push(entities));

            await until(() => seen.length, "the entities");
            assert.equal(seen[0]["light.hallway"].attributes.friendly_name, "Hallway");
            assert.ok(Object.keys(seen[0]).length >= 60, `${Object.keys(seen[0]).length}`);
            const was = seen[0]["light.hallway"].state;

            await haws.callService(connection, "light", "toggle", {}, { entity_id: "light.hallway" });
            await until(() => seen.at(-1)["light.hallway"].state !== was, "the change");
            /* A diff: another entity is the same object. */
            assert.equal(seen.at(-1)["light.bedroom"], seen[0]["light.bedroom"]);
            assert.notEqual(
                seen.at(-1)["light.hallway"].last_changed,
                seen[0]["light.hallway"].last_changed,
            );
            stop();
        }));

    test("subscribes to the configuration", () =>
        withConnection(async (connection) => {
            const seen = [];
            const stop = haws.subscribeConfig(connection, (config) => seen.push(config));

            await until(() => seen.length, "the configuration");
            assert.equal(seen[0].state, "RUNNING");
            assert.equal(seen[0].location_name, "Demo home");
            assert.ok(seen[0].components.includes("light"));
            stop();
        }));

    test("subscribes to services", () =>
        withConnection(async (connection) => {
            const seen = [];
            const stop = haws.subscribeServices(connection, (services) => seen.push(services));

            await until(() => seen.length, "the services");
            assert.ok(seen[0].light.turn_on.fields);
            assert.ok(seen[0].cover.open_cover);
            assert.equal(seen[0].cover.open, undefined);
            stop();
        }));

    test("calls a service, and gets a context", () =>
        withConnection(async (connection) => {
            const result = await haws.callService(connection, "switch", "turn_on", {
                entity_id: "switch.tv_socket",
            });

            assert.match(result.context.id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
            assert.equal((await rest(demo.url, "GET", "/api/states/switch.tv_socket")).body.state, "on");
        }));

    test("calls a service that answers", () =>
        withConnection(async (connection) => {
            const { response } = await haws.callService(
                connection,
                "todo",
                "get_items",
                {},
                { entity_id: "todo.shopping" },
                true,
            );

            assert.ok(Array.isArray(response["todo.shopping"].items));
        }));

    test("is told the code of an error", () =>
        withConnection(async (connection) => {
            await assert.rejects(haws.callService(connection, "light", "glow", {}), {
                code: "not_found",
                message: "Service light.glow not found.",
            });
        }));

    test("knows its user", () =>
        withConnection(async (connection) => {
            const user = await haws.getUser(connection);

            assert.equal(typeof user.id, "string");
            assert.equal(user.is_admin, true);
        }));

    test("gets states, configuration and services", () =>
        withConnection(async (connection) => {
            const states = await haws.getStates(connection);

            assert.ok(states.some(({ entity_id }) => entity_id === "light.hallway"));
            assert.equal((await haws.getConfig(connection)).unit_system.temperature, "°C");
            assert.ok((await haws.getServices(connection)).climate.set_temperature);
        }));

    test("pings", () => withConnection((connection) => connection.ping()));

    test("hears events, until it unsubscribes", () =>
        withConnection(async (connection) => {
            const seen = [];
            const stop = await connection.subscribeEvents((event) => seen.push(event), "e2e_event");

            await rest(demo.url, "POST", "/api/events/e2e_event", { n: 1 });
            await until(() => seen.length, "the event");
            assert.deepEqual(seen[0].data, { n: 1 });
            await stop();
            await rest(demo.url, "POST", "/api/events/e2e_event", { n: 2 });
            await connection.ping();
            assert.equal(seen.length, 1);
        }));

    test("reconnects to a home that was restarted, and renews what it subscribed to", async () => {
        const address = `127.0.0.1:${await freePort()}`;
        const one = await startDemo({ address });
        const connection = await haws.createConnection({
            auth: haws.createLongLivedTokenAuth(one.url, TOKEN),
            setupRetry: 0,
        });
        const seen = [];

        haws.subscribeEntities(connection, (entities) => seen.push(entities));
        await until(() => seen.length, "the entities");
        const lost = new Promise((resolve) => connection.addEventListener("disconnected", resolve));
        const back = new Promise((resolve) => connection.addEventListener("ready", resolve));

        assert.equal(await one.stop(), 0, one.log());
        await lost;
        const two = await startDemo({ address });

        await back;
        const n = seen.length;

        await haws.callService(connection, "light", "toggle", {}, { entity_id: "light.hallway" });
        await until(() => seen.length > n, "a change after the restart");
        connection.close();
        assert.equal(await two.stop(), 0, two.log());
    });
});

/* ---- the package homeassistant ---- */

describe("homeassistant, a REST client", () => {
    let client;

    before(() => {
        const { protocol, hostname, port } = new URL(demo.url);

        client = new HomeAssistant({ host: `${protocol}//${hostname}`, port, token: TOKEN });
    });

    test("asks for the status and the configuration", async () => {
        assert.deepEqual(await client.status(), { message: "API running." });
        assert.equal((await client.config()).location_name, "Demo home");
    });

    test("lists and reads states", async () => {
        assert.ok((await client.states.list()).length >= 60);
        assert.equal((await client.states.get("light", "hallway")).entity_id, "light.hallway");
        assert.deepEqual(await client.states.get("light", "nope"), { message: "Entity not found." });
    });

    test("writes a state", async () => {
        const state = await client.states.update("sensor", "e2e", { state: "7" });

        assert.equal(state.state, "7");
        assert.equal((await rest(demo.url, "DELETE", "/api/states/sensor.e2e")).status, 200);
    });

    test("lists and calls services", async () => {
        assert.ok((await client.services.list()).some(({ domain }) => domain === "light"));
        await client.services.call("turn_off", "light", "office_desk");
        const changed = await client.services.call("turn_on", "light", "office_desk");

        assert.deepEqual(
            changed.filter(({ entity_id }) => entity_id === "light.office_desk").map(({ state }) => state),
            ["on"],
        );
    });

    test("fires an event, and lists events", async () => {
        assert.deepEqual(await client.events.fire("test", { a: 1 }), { message: "Event test fired." });
        assert.ok(Array.isArray(await client.events.list()));
    });

    test("renders a template", async () => {
        assert.equal(await client.templates.render("{{ 1 + 1 }}"), 2);
    });

    test("reads the history and the log", async () => {
        const since = new Date(Date.now() - 3600000).toISOString().replace(/\.\d+Z/, "+00:00");
        const [series] = await client.history.state(since, "sensor.outdoor_temperature");

        assert.equal(series[0].entity_id, "sensor.outdoor_temperature");
        assert.match(await client.logs.errors(), /ERROR/);
    });

    test("gets a picture", async () => {
        assert.ok((await client.camera.image("front_door")).length > 100);
    });

    test("is refused without a token", async () => {
        const { protocol, hostname, port } = new URL(demo.url);
        const nobody = new HomeAssistant({ host: `${protocol}//${hostname}`, port });

        assert.equal(await nobody.status(), "401: Unauthorized");
    });
});

/* ---- what a real Home Assistant answers ---- */

const message = (text) => ({ message: text });
const RESPONSES =
    "Service call requires responses but caller did not ask for responses. Add ?return_response to query parameters.";
const automation = { alias: "E2e", triggers: [], actions: [] };

/* Method, path, body, and the answer. */
const requests = [
    ["no token", "GET", "/api/", undefined, 401, "401: Unauthorized", null],
    ["a wrong token", "GET", "/api/", undefined, 401, "401: Unauthorized", "wrong"],
    ["an unknown path", "GET", "/api/nothing", undefined, 404, "404: Not Found"],
    ["a wrong method", "DELETE", "/api/states", undefined, 405, "405: Method Not Allowed"],
    ["cover/open is no service", "POST", "/api/services/cover/open", {}, 400, "400: Bad Request"],
    ["cover/close is none", "POST", "/api/services/cover/close", {}, 400, "400: Bad Request"],
    ["cover/stop is none", "POST", "/api/services/cover/stop", {}, 400, "400: Bad Request"],
    ["cover/set_position is none", "POST", "/api/services/cover/set_position", {}, 400, "400: Bad Request"],
    ["cover/set_tilt_position is none", "POST", "/api/services/cover/set_tilt_position", {}, 400, "400: Bad Request"],
    ["color_temp was removed", "POST", "/api/services/light/turn_on", { entity_id: "light.office_desk", color_temp: 300 }, 400, "400: Bad Request"],
    ["an unknown entity is no error", "POST", "/api/services/light/turn_on", { entity_id: "light.nope" }, 200, []],
    ["a service that only answers", "POST", "/api/services/todo/get_items", { entity_id: "todo.shopping" }, 400, message(RESPONSES)],
    ["a service that does not answer", "POST", "/api/services/light/turn_off?return_response", { entity_id: "light.office_desk" }, 400, message("Service does not support responses. Remove return_response from request.")],
    ["bad JSON", "POST", "/api/services/light/turn_off", "{", 400, message("Data should be valid JSON.")],
    ["an automation that is not there", "GET", "/api/config/automation/config/e2e", undefined, 404, message("Resource not found")],
    ["creating one", "POST", "/api/config/automation/config/e2e", automation, 200, { result: "ok" }],
    ["reading it", "GET", "/api/config/automation/config/e2e", undefined, 200, { id: "e2e", ...automation }],
    ["deleting it", "DELETE", "/api/config/automation/config/e2e", undefined, 200, { result: "ok" }],
    ["deleting none", "DELETE", "/api/config/automation/config/e2e", undefined, 400, message("Resource not found")],
    ["the Supervisor is refused to tokens", "GET", "/api/hassio/store", undefined, 401, "401: Unauthorized"],
    ["so is information about an add-on", "GET", "/api/hassio/addons/core_ssh/info", undefined, 401, "401: Unauthorized"],
    ["so is starting one", "POST", "/api/hassio/addons/core_ssh/start", {}, 401, "401: Unauthorized"],
    ["HACS has no REST API", "GET", "/api/hacs/repositories", undefined, 404, "404: Not Found"],
    ["contact is no domain", "POST", "/api/services/contact/turn_on", { entity_id: "contact.door" }, 400, "400: Bad Request"],
];

describe("REST", () => {
    for (const [what, method, path, body, status, expected, token] of requests)
        test(what, async () => {
            const answer = await rest(demo.url, method, path, body, token);

            assert.deepEqual([answer.status, answer.body], [status, expected]);
        });

    test("a service that answers", async () => {
        const { status, body } = await rest(demo.url, "POST", "/api/services/todo/get_items?return_response", {
            entity_id: "todo.shopping",
        });

        assert.equal(status, 200);
        assert.deepEqual(body.changed_states, []);
        assert.ok(Array.isArray(body.service_response["todo.shopping"].items));
    });

    test("states carry no area", async () => {
        const { body } = await rest(demo.url, "GET", "/api/states");

        assert.deepEqual(body.filter(({ attributes }) => "area_id" in attributes), []);
    });

    test("a path is decoded", async () => {
        assert.equal((await rest(demo.url, "GET", "/api/states/light%2Ehallway")).status, 200);
    });

    test("a state that is new has a location", async () => {
        const { status, headers } = await rest(demo.url, "POST", "/api/states/sensor.fresh", { state: "1" });

        assert.equal(status, 201);
        assert.equal(headers.get("location"), "/api/states/sensor.fresh");
        await rest(demo.url, "DELETE", "/api/states/sensor.fresh");
    });

    test("the page at / runs only its own script", async () => {
        const { status, body, headers } = await rest(demo.url, "GET", "/", undefined, null);
        const policy = headers.get("content-security-policy");

        assert.equal(status, 200);
        assert.match(body, /^<!doctype html>/i);
        assert.match(policy, /^default-src 'none'; .*script-src 'sha256-[A-Za-z0-9+/]{43}='/);
        assert.doesNotMatch(policy, /unsafe/);
    });

    test("a page of another origin is refused", async () => {
        const answer = await fetch(`${demo.url}/api/`, { headers: { Origin: "http://example.org" } });

        assert.equal(answer.status, 403);
    });
});

const commands = [
    ["cover.open is no service", "call_service", { domain: "cover", service: "open" }, "not_found", /^Service cover\.open not found\.$/],
    ["color_temp was removed", "call_service", { domain: "light", service: "turn_on", service_data: { color_temp: 300 }, target: { entity_id: "light.office_desk" } }, "invalid_format", /^extra keys not allowed @ data\['color_temp'\]/],
    ["trace/contexts with a domain alone", "trace/contexts", { domain: "automation" }, "invalid_format", /some but not all values in the same group of inclusion/],
    ["get_state", "get_state", { entity_id: "light.hallway" }, "unknown_command", /^Unknown command\.$/],
    ["a dashboard without a configuration", "lovelace/config", { url_path: null }, "config_not_found", /^No config found\.$/],
    ["the Supervisor", "supervisor/api", { endpoint: "/addons", method: "get" }, "unknown_command", /^Unknown command\.$/],
    ["HACS", "hacs/repositories/list", {}, "unknown_command", /^Unknown command\.$/],
    ["a subscription that is not there", "unsubscribe_events", { subscription: 99 }, "not_found", /^Subscription not found\.$/],
    ["an id that does not increase", "get_config", { id: 1 }, "id_reuse", /^Identifier values have to increase\.$/],
];

describe("WebSocket", () => {
    let session;

    before(async () => {
        session = await Session.open(demo.url);
        assert.deepEqual(session.first.type, "auth_required");
        assert.deepEqual(session.second.type, "auth_ok");
    });
    after(() => session.close());

    for (const [what, type, fields, code, text] of commands)
        test(what, async () => {
            const { success, error } = await session.ask(type, fields);

            assert.equal(success, false);
            assert.equal(error.code, code, error.message);
            assert.match(error.message, text);
        });

    test("areas and entities can be arranged as in a real home", async () => {
        const area = await session.ask("config/area_registry/create", { name: "E2e area" });

        assert.ok(area.success, JSON.stringify(area));
        const moved = await session.ask("config/entity_registry/update", {
            entity_id: "light.hallway",
            area_id: area.result.area_id,
        });

        assert.ok(moved.success, JSON.stringify(moved));
        const { result } = await session.ask("config/entity_registry/list");

        assert.equal(
            result.find(({ entity_id }) => entity_id === "light.hallway").area_id,
            area.result.area_id,
        );
        assert.ok((await session.ask("config/area_registry/delete", { area_id: area.result.area_id })).success);
    });

    test("a wrong token is refused, and the socket is closed", async () => {
        const refused = await Session.open(demo.url, "wrong");

        assert.deepEqual(refused.second, {
            type: "auth_invalid",
            message: "Invalid access token or password",
        });
        await once(refused.socket, "close");
    });

    test("messages that are not text end the connection", async () => {
        const other = await Session.open(demo.url);

        other.socket.send(Buffer.from("{}"));
        assert.equal((await once(other.socket, "close"))[0], 1002);
    });

    test("a plain request is told to upgrade", async () => {
        assert.equal((await fetch(`${demo.url}/api/websocket`)).status, 426);
    });
});

/* ---- what clients may do to it ---- */

test("a client that does not read is dropped", () =>
    withDemo(async (one) => {
        const { hostname, port } = new URL(one.url);
        const slow = connect(port, hostname);
        const frame = (text) => {
            const size = Buffer.byteLength(text);
            const head = Buffer.from([0x81, 0x80 | 126, size >> 8, size & 255, 0, 0, 0, 0]);

            return Buffer.concat([head, Buffer.from(text)]);
        };

        await once(slow, "connect");
        slow.write(
            `GET /api/websocket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        );
        await once(slow, "data");
        slow.pause();
        slow.write(frame(JSON.stringify({ type: "auth", access_token: TOKEN })));
        let closed = false;
        let id = 0;

        slow.on("close", () => (closed = true));
        slow.on("error", () => (closed = true));
        /* Each answer has all states. */
        await until(() => {
            for (let i = 0; i < 20 && !slow.destroyed && slow.writableLength < 1 << 20; i++)
                slow.write(frame(JSON.stringify({ id: ++id, type: "get_states" })));
            return closed;
        }, "the end");
        assert.ok(id < 5000, `${id} commands`);
        assert.equal((await rest(one.url, "GET", "/api/")).status, 200);
    }));

test("GET /api/stream sends events, as many types as it is asked for", async () => {
    const demo = await startDemo();
    const open = (query, token = TOKEN) =>
        fetch(`${demo.url}/api/stream${query}`, { headers: { Authorization: `Bearer ${token}` } });
    const refused = await open("", "wrong");

    assert.equal(refused.status, 401);
    await refused.arrayBuffer();
    const answers = await Promise.all([open(""), open("?restrict=stream_test")]);
    const heard = ["", ""];

    for (const [i, answer] of answers.entries()) {
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get("content-type"), "text/event-stream");
        (async () => {
            for await (const piece of answer.body) heard[i] += Buffer.from(piece).toString();
            heard[i] += "END";
        })();
    }
    await until(() => heard.every((text) => text.startsWith("data: ping\n\n")), "pings");
    await rest(demo.url, "POST", "/api/services/light/toggle", { entity_id: "light.hallway" });
    await rest(demo.url, "POST", "/api/events/stream_test", { n: 7 });
    await until(() => heard.every((text) => text.includes("stream_test")), "events");
    assert.match(heard[0], /data: \{"event_type":"state_changed","data":\{"entity_id":"light\.hallway",.*\}\n\n/);
    assert.match(heard[1], /^data: ping\n\ndata: \{"event_type":"stream_test","data":\{"n":7\},.*\}\n\n$/);
    assert.equal(await demo.stop(), 0, demo.log()); /* it ends the streams, not the other way round */
    await until(() => heard.every((text) => text.endsWith("END")), "the ends");
});

test("several loops share one home", () =>
    withDemo(
        async (one) => {
            const sessions = await Promise.all(Array.from({ length: 12 }, () => Session.open(one.url)));

            await Promise.all(sessions.map((session) => session.ask("subscribe_events", { event_type: "state_changed" })));
            await rest(one.url, "POST", "/api/services/light/toggle", { entity_id: "light.hallway" });
            await until(
                () =>
                    sessions.every(({ events }) =>
                        events.some(({ event }) => event.data.entity_id === "light.hallway"),
                    ),
                "the change, at all of them",
            );
            await Promise.all(sessions.map((session) => session.close()));
        },
        { args: ["--threads", "3"] },
    ));

test("its token can be another one", () =>
    withDemo(
        async (one) => {
            assert.equal((await rest(one.url, "GET", "/api/")).status, 401);
            assert.equal((await rest(one.url, "GET", "/api/", undefined, "s3cret")).status, 200);
            assert.doesNotMatch(one.log(), /s3cret/);
        },
        { env: { HASS_TOKEN: "s3cret" } },
    ));
