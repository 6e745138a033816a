/* spec.mjs - is this a message that the specification allows?
 *
 * Every message that a server sends in these tests is held against the official schema.json of its
 * revision: a result by the method that was asked, a notification and a request by their own, an error by
 * its code.  The schemas are no part of this tree.  Where they are not there, the wire schemas of the
 * TypeScript SDK stand in, which take every revision at once and are therefore more lenient. */

import * as core from "@modelcontextprotocol/core";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN = "2026-07-28";
export const META = "io.modelcontextprotocol/";

const specification =
    process.env.HAFT_SPEC ?? fileURLToPath(new URL("../../../shared/spec", import.meta.url));

const results = {
    initialize: "InitializeResult",
    ping: "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "server/discover": "DiscoverResult",
    "subscriptions/listen": "SubscriptionsListenResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
};

const requests = {
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
    ping: "PingRequest",
};

const notifications = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
};

/* Types of 2026-07-28: of the error itself, or of the whole message. */
const errors = {
    [-32700]: ["ParseError", "error"],
    [-32600]: ["InvalidRequestError", "error"],
    [-32601]: ["MethodNotFoundError", "error"],
    [-32602]: ["InvalidParamsError", "error"],
    [-32603]: ["InternalError", "error"],
    [-32020]: ["HeaderMismatchError"],
    [-32021]: ["MissingRequiredClientCapabilityError"],
    [-32022]: ["UnsupportedProtocolVersionError"],
};

/* ---- types by name ---- */

function official(revision) {
    const document = JSON.parse(readFileSync(join(specification, revision, "schema.json"), "utf8"));
    const place = document.$defs ? "$defs" : "definitions";
    const AjvOf = document.$schema.includes("2020-12") ? Ajv2020 : Ajv;
    const ajv = new AjvOf({ strict: false, allErrors: true });

    addFormats(ajv);
    ajv.addFormat("byte", /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
    ajv.addSchema(document, revision);
    return (type, value) => {
        if (!document[place][type]) return `there is no ${type} in ${revision}`;
        const check = ajv.getSchema(`${revision}#/${place}/${type}`);
        return check(value) ? null : `${type}: ${ajv.errorsText(check.errors)}`;
    };
}

const envelopes = /^JSONRPC|Error$/;

function substitute() {
    return (type, value) => {
        const schema = core[`${type}Schema`];
        if (!schema)
            return envelopes.test(type) || type === "InputRequiredResult" ? null : `no ${type}`;
        /* An id comes back as the client sent it; only the SDK minds how large it is. */
        const { id } = value ?? {};
        const huge = Number.isInteger(id) && !Number.isSafeInteger(id);
        const { success, error } = schema.safeParse(huge ? { ...value, id: 0 } : value);
        return success ? null : `${type}: ${error.message}`;
    };
}

const checkers = new Map();

function checker(revision) {
    if (!checkers.has(revision))
        checkers.set(
            revision,
            existsSync(join(specification, revision)) ? official(revision) : substitute(),
        );
    return checkers.get(revision);
}

/* ---- one conversation ---- */

const isRequest = (message) => message?.method !== undefined && message.id !== undefined;

/* A request that says of which revision it is, rightly or not, is answered by the modern one. */
function claimed(message) {
    const version = message?.params?._meta?.[`${META}protocolVersion`];
    return version === undefined ? undefined : MODERN;
}

export class Conversation {
    own = () => false; /* whether a method is the program's, of whose results nothing is known */
    faults = [];
    count = 0;
    #asked = new Map();

    /* The revision is that of a client that has not said which. */
    constructor(revision = "2025-11-25") {
        this.revision = revision;
    }

    /* What the client sends, in order. */
    sent(message) {
        for (const one of [message].flat())
            if (isRequest(one)) {
                const asked = { method: one.method, revision: claimed(one) ?? this.revision };
                this.#asked.set(one.id, [...(this.#asked.get(one.id) ?? []), asked]);
            } else if (one?.method === "notifications/cancelled") {
                for (const asked of this.#asked.get(one.params?.requestId) ?? [])
                    asked.cancelled = true;
            }
    }

    /* What a message answers: the first of that id that somebody waits for, unless the id was taken and
     * the last is refused. */
    #answered({ id, error }) {
        const all = this.#asked.get(id) ?? [];
        const wanted = Math.max(all.findIndex(({ cancelled }) => !cancelled), 0);
        return (error?.code === -32600 ? all.pop() : all.splice(wanted, 1)[0]) ?? {};
    }

    /* What the server sends. */
    received(message) {
        for (const one of [message].flat()) this.#check(one);
    }

    #check(message) {
        this.count++;
        if (message.method !== undefined) {
            this.#checkCall(message);
            return;
        }
        const { method, revision } = this.#answered(message);
        if (message.error) this.#checkError(message, revision ?? this.revision);
        else this.#checkResult(message, method, revision);
    }

    #fault(message, text) {
        if (text) this.faults.push(`${text}\n    ${JSON.stringify(message).slice(0, 2000)}`);
    }

    #checkCall(message) {
        const modern = message.params?._meta?.[`${META}subscriptionId`] !== undefined;
        const revision = modern ? MODERN : this.revision;
        const is = checker(revision);
        const table = isRequest(message) ? requests : notifications;
        const type = table[message.method];

        this.#fault(
            message,
            is(isRequest(message) ? "JSONRPCRequest" : "JSONRPCNotification", message),
        );
        this.#fault(
            message,
            type ? is(type, message) : `${message.method} is no method of servers`,
        );
        if (revision === MODERN && isRequest(message))
            this.#fault(message, "a request to a modern client");
    }

    #checkError(message, revision) {
        const is = checker(revision);
        const named = LEGACY.indexOf(revision) === 3 || revision === MODERN;
        const [type, part] = revision === MODERN ? (errors[message.error.code] ?? []) : [];

        /* Revisions before 2025-11-25 have no way to answer what has no id; null is JSON-RPC's. */
        if (named || message.id != null)
            this.#fault(message, is(named ? "JSONRPCErrorResponse" : "JSONRPCError", message));
        if (type) this.#fault(message, is(type, part ? message[part] : message));
    }

    #checkResult(message, method, revision) {
        if (!method) return this.#fault(message, `an answer to nothing: ${message.id}`);
        if (method === "initialize") revision = this.revision = message.result.protocolVersion;
        const is = checker(revision);
        const named = LEGACY.indexOf(revision) === 3 || revision === MODERN;
        const waits = message.result?.resultType === "input_required";
        const known = results[method] ?? (this.own(method) ? "Result" : undefined);
        const type = waits ? "InputRequiredResult" : known;

        this.#fault(message, is(named ? "JSONRPCResultResponse" : "JSONRPCResponse", message));
        this.#fault(message, type ? is(type, message.result) : `${method} has no result`);
        if (
            revision === MODERN &&
            !waits &&
            !this.own(method) &&
            message.result.resultType !== "complete"
        )
            this.#fault(message, "resultType");
        if (revision !== MODERN && message.result.resultType !== undefined)
            this.#fault(message, "a modern word to a legacy client");
    }
}
