/* http-checks-asking.mjs - questions in the middle of a call: as results to modern clients, as requests on
 * the call's own stream to legacy ones; and what a result may look like. */

import assert from "node:assert/strict";
import { META, MODERN, Session, ask, call, post, textOf } from "./http-client.mjs";

const CAN = { elicitation: { form: {} }, sampling: {}, roots: {} };
const tool = (name) => `test_input_required_result_${name}`;
const accept = (content) => ({ action: "accept", content });
const sampled = { role: "assistant", model: "m", content: { type: "text", text: "Paris" } };
const rooted = { roots: [{ uri: "file:///a" }] };

/* One round; what is not given is left out. */
const round = (url, name, { inputResponses, requestState, capabilities = CAN } = {}) =>
    call(
        url,
        name,
        {},
        {
            capabilities,
            params: {
                ...(inputResponses !== undefined && { inputResponses }),
                ...(requestState !== undefined && { requestState }),
            },
        },
    );

const asked = ({ response }) => {
    const { result } = response;

    assert.equal(result?.resultType, "input_required", JSON.stringify(response));
    assert.ok(
        result.inputRequests || result.requestState,
        "something to answer, or something to bring",
    );
    for (const key of ["ttlMs", "cacheScope", "content", "isError"])
        assert.ok(!(key in result), key);
    for (const { params } of Object.values(result.inputRequests ?? {}))
        assert.ok(!params?._meta, "no _meta inside");
    return result;
};
const done = (answered) => {
    assert.equal(
        answered.response.result?.resultType,
        "complete",
        JSON.stringify(answered.response),
    );
    return textOf(answered);
};

const rounds = async (url) => {
    const first = asked(await round(url, tool("elicitation")));

    assert.deepEqual(Object.keys(first.inputRequests), ["user_name"]);
    assert.equal(first.inputRequests.user_name.method, "elicitation/create");
    const bring = { requestState: first.requestState };
    const named = { user_name: accept({ name: "Alice" }) };
    assert.equal(
        done(await round(url, tool("elicitation"), { ...bring, inputResponses: named })),
        "Hello, Alice!",
    );
    const extra = { ...named, other: accept({}) };
    assert.equal(
        done(await round(url, tool("elicitation"), { ...bring, inputResponses: extra })),
        "Hello, Alice!",
    );
    for (const inputResponses of [{}, { wrong: accept({ name: "Alice" }) }])
        asked(await round(url, tool("elicitation"), { ...bring, inputResponses }));
    for (const inputResponses of [
        null,
        5,
        [],
        { user_name: 12345 },
        { user_name: { action: "maybe" } },
    ]) {
        const { response } = await round(url, tool("elicitation"), { ...bring, inputResponses });
        assert.notEqual(response.result?.resultType, "complete", JSON.stringify(inputResponses));
    }
    for (const [name, key, answer] of [
        ["sampling", "capital_question", sampled],
        ["list_roots", "client_roots", rooted],
    ]) {
        const { inputRequests, requestState } = asked(await round(url, tool(name)));
        assert.deepEqual(Object.keys(inputRequests), [key]);
        done(await round(url, tool(name), { requestState, inputResponses: { [key]: answer } }));
    }
    const three = asked(await round(url, tool("multiple_inputs")));
    assert.equal(Object.keys(three.inputRequests).length, 3);
    const one = asked(await round(url, tool("multi_round")));
    const two = asked(
        await round(url, tool("multi_round"), {
            requestState: one.requestState,
            inputResponses: { step1: accept({ name: "Bob" }) },
        }),
    );
    assert.notEqual(two.requestState, one.requestState);
    const last = {
        requestState: two.requestState,
        inputResponses: { step2: accept({ color: "green" }) },
    };
    assert.equal(done(await round(url, tool("multi_round"), last)), "Bob likes green");
    const prompt = await ask(url, "prompts/get", { name: tool("prompt") }, { capabilities: CAN });
    assert.deepEqual(Object.keys(asked(prompt).inputRequests), ["user_context"]);
    for (const method of ["tools/list", "prompts/list"])
        assert.equal(
            (await ask(url, method, {}, { capabilities: CAN })).response.result.resultType,
            "complete",
        );
};

/* What comes back is an attacker's word until the seal has been looked at. */
const tampering = async (url) => {
    const { requestState } = asked(await round(url, tool("tampered_state")));
    const inputResponses = { confirm: accept({ ok: true }) };
    const turned = (text, at) =>
        text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    const states = [
        `${requestState}-TAMPERED`,
        requestState.slice(0, -4),
        turned(requestState, 3),
        turned(requestState, requestState.length >> 1),
        turned(requestState, requestState.length - 3),
        "",
        "AAAA",
        requestState + requestState,
    ];

    for (const state of states) {
        const { response, status } = await round(url, tool("tampered_state"), {
            requestState: state,
            inputResponses,
        });
        assert.ok(response.error, `${state.slice(0, 20)} is refused`);
        assert.equal(response.error.code, -32602);
        assert.equal(status, 200);
    }
    for (const state of [5, null, {}, []]) {
        const { response } = await round(url, tool("tampered_state"), {
            requestState: state,
            inputResponses,
        });
        assert.equal(response.error?.code, -32602, JSON.stringify(state));
    }
    const other = await round(url, tool("request_state"), { requestState, inputResponses });
    assert.equal(other.response.error?.code, -32602, "it is bound to what it was made for");
    assert.equal(
        done(await round(url, tool("tampered_state"), { requestState, inputResponses })),
        "integrity-ok",
    );
    const kept = asked(await round(url, tool("request_state")));
    assert.equal(
        done(
            await round(url, tool("request_state"), {
                requestState: kept.requestState,
                inputResponses,
            }),
        ),
        "state-ok",
    );
};

const onlyDeclared = async (url) => {
    const rows = [
        [{ sampling: {} }, ["sampling/createMessage"]],
        [{ elicitation: {} }, ["elicitation/create"]],
        [{ elicitation: { form: {} } }, ["elicitation/create"]],
    ];

    for (const [capabilities, methods] of rows) {
        const { inputRequests } = asked(await round(url, tool("capabilities"), { capabilities }));
        assert.deepEqual(
            Object.values(inputRequests).map(({ method }) => method),
            methods,
        );
    }
    done(await round(url, tool("capabilities"), { capabilities: {} }));
    for (const [name, needed] of [
        ["test_missing_capability", { sampling: {} }],
        [tool("list_roots"), { roots: {} }],
    ]) {
        const { response, status } = await round(url, name, { capabilities: {} });
        assert.equal(status, 400);
        assert.equal(response.error.code, -32021);
        assert.deepEqual(response.error.data.requiredCapabilities, needed);
    }
    const { response } = await round(url, tool("elicitation"), {
        capabilities: { elicitation: { url: {} } },
    });
    assert.equal(
        response.error?.code,
        -32021,
        "a client that only opens addresses is shown no form",
    );
};

/* ---- legacy ---- */

const answers = {
    "elicitation/create": () => accept({ name: "Alice" }),
    "sampling/createMessage": () => sampled,
    "roots/list": () => rooted,
};

const legacy = async (url) => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const session = await Session.open(
            url,
            revision,
            revision >= "2025-06-18" ? CAN : { sampling: {}, roots: {} },
        );
        const listening = await session.get();
        const onRequest = async ({ id, method }) => {
            const told = await session.post({ jsonrpc: "2.0", id, result: answers[method]() });
            assert.equal(told.status, 202);
            assert.equal(await told.text(), "");
        };
        const rows = [
            [tool("sampling"), {}, ["sampling/createMessage"], /Paris/],
            [tool("list_roots"), {}, ["roots/list"], /1 roots/],
            ...(revision >= "2025-06-18"
                ? [[tool("elicitation"), {}, ["elicitation/create"], /^Hello, Alice!$/]]
                : []),
        ];

        for (const [name, args, methods, text] of rows) {
            const settled = await session.call(name, args, { onRequest });
            const requests = settled.notifications.filter(({ id }) => id !== undefined);

            assert.deepEqual(
                requests.map(({ method }) => method),
                methods,
            );
            assert.match(textOf(settled), text);
        }
        assert.equal(
            await listening.message(50),
            undefined,
            "questions are put on the stream of the call",
        );
        listening.close();
        await session.end();
    }
};

/* An answer counts for the session that was asked, once. */
const legacyStrangers = async (url) => {
    const session = await Session.open(url, "2025-11-25", CAN);
    const stranger = await Session.open(url, "2025-11-25", CAN);
    let rounds = 0;
    const settled = await session.call(
        tool("elicitation"),
        {},
        {
            onRequest: async ({ id }) => {
                const wrong = { jsonrpc: "2.0", id, result: accept({ name: "Mallory" }) };

                rounds++;
                assert.equal((await stranger.post(wrong)).status, 202);
                await post(url, wrong);
                const right = { ...wrong, result: accept({ name: "Alice" }) };
                assert.equal((await session.post(right)).status, 202);
                assert.equal((await session.post(wrong)).status, 202);
            },
        },
    );

    assert.equal(textOf(settled), "Hello, Alice!");
    assert.equal(rounds, 1);
};

/* ---- results ---- */

const results = async (url) => {
    const session = await Session.open(url);

    for (const way of [(...args) => call(url, ...args), (...args) => session.call(...args)]) {
        const good = (await way("failing", { fails: false })).response.result;

        assert.deepEqual(good.structuredContent, { begun: 1, cancelled: 1, finished: 1 });
        assert.deepEqual(
            JSON.parse(good.content[0].text),
            good.structuredContent,
            "the text says the same",
        );
        const bad = (await way("failing", { fails: true })).response.result;
        assert.equal(bad.isError, true);
        assert.ok(!("structuredContent" in bad));
        for (const args of [{}, { fails: "yes" }, { fails: true, more: 1 }]) {
            const wrong = (await way("failing", args)).response.result;
            assert.equal(wrong.isError, true, "bad arguments are told to the model");
            assert.match(
                wrong.content[0].text,
                /^Input validation error: Invalid arguments for tool failing: /,
            );
        }
    }
    const listed = (await ask(url, "tools/list")).response.result.tools;
    const { outputSchema } = listed.find(({ name }) => name === "failing");
    assert.deepEqual(outputSchema.required.sort(), ["begun", "cancelled", "finished"]);
    const nothing = await call(url, "counts", undefined, {
        meta: { [`${META}logLevel`]: "debug" },
    });
    assert.equal(nothing.response.result.resultType, "complete");
    assert.ok(MODERN);
};

export const asking = {
    "rounds of questions": ["everything", rounds],
    "requestState that was changed": ["everything", tampering],
    "only what was declared": ["everything", onlyDeclared],
    "questions on the call's own stream": ["everything", legacy],
    "answers of strangers": ["everything", legacyStrangers],
    "results and errors": ["driver", results],
};
