// tables.mjs - pages of Markdown, and entries for the search, from what reference-tables prints and from the tables of
// docs/reference.md.

import {parse} from './markdown.mjs';

const cell = (text) => String(text ?? '').replace(/\|/g, '\\|');
const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`;
const code = (text) => (text === undefined || text === '' ? '' : `\`${text}\``);

// The rows of the table below a heading of docs/reference.md: [{name, doc}].
export function documented(markdown, heading) {
  const blocks = parse(markdown);
  const at = blocks.findIndex((block) => block.kind === 'heading' && block.text === heading);
  const table = blocks.slice(at + 1).find((block) => block.kind === 'table');

  if (at < 0 || !table) throw new Error(`docs/reference.md has no table below "${heading}"`);
  return table.rows.map(([name, doc]) => ({name: name.replace(/`/g, ''), doc}));
}

// The effects of the policy kinds, from the table of docs/gateway.md.
function policyEffects(markdown) {
  const table = parse(markdown).find((block) => block.kind === 'table' && block.head[0] === 'kind');

  return new Map(table.rows.map(([name, , doc]) => [name.replace(/`/g, ''), doc]));
}

function optionsPage(tables) {
  const lines = ['Every program that calls `haft_main` or `haft_gateway_main`, and `haft serve`, has these options.', ''];

  for (const option of tables.options) {
    lines.push(`## ${option.flag}`, '', `${sentence(option.doc)}`, '', '| | |', '|---|---|');
    lines.push(row('flag', code(option.flag + (option.takes ? ` ${option.takes}` : ''))));
    if (option.key) lines.push(row('key in a file', code(option.key)));
    lines.push(row('variable', code(option.variable) + (option.also ? `, ${code(option.also)}` : '')));
    if (option.expected) lines.push(row('value', option.expected));
    if (option.initial) lines.push(row('default', code(option.initial)));
    lines.push(row('applies at a reload', option.live ? 'yes' : 'no'), '');
  }
  lines.push('## Actions', '', 'These flags make a server do something else than serve.', '', '| flag | action |', '|---|---|');
  for (const verb of tables.verbs) lines.push(row(code(verb.flag + (verb.takes ? ` ${verb.takes}` : '')), sentence(verb.doc)));
  lines.push('', '## Commands of haft', '', '| command | purpose |', '|---|---|');
  for (const command of tables.commands) lines.push(row(code(`haft ${command.name}`), sentence(command.doc)));
  for (const command of tables.commands.filter((one) => one.options.length)) {
    lines.push('', `### Options of haft ${command.name}`, '', '| flag | effect |', '|---|---|');
    for (const option of command.options.filter((one) => one.flag))
      lines.push(row(code(option.flag + (option.takes ? ` ${option.takes}` : '')), sentence(option.doc)));
  }
  return lines.join('\n');
}

const sentence = (text) => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);

  return (/[.!?]$/.test(first) ? first : `${first}.`).replace(/\*/g, '\\*');
};

function environmentPage(tables, variables) {
  const lines = ['A server reads these variables when it starts, and again at SIGHUP where an option applies at a reload. ' +
    'An option on the command line overrides its variable, and the variable overrides the configuration file.', '', '## Options', '',
  '| variable | same as | effect |', '|---|---|---|'];

  for (const option of tables.options) lines.push(row([option.variable, option.also].filter(Boolean).map(code).join(', '), code(option.flag), sentence(option.doc)));
  for (const command of tables.commands) {
    const own = command.options.filter((one) => one.variable);

    if (own.length) lines.push('', `## Variables of haft ${command.name}`, '', '| variable | same as | effect |', '|---|---|---|');
    for (const option of own) lines.push(row(code(option.variable), option.flag ? code(option.flag) : '', sentence(option.doc)));
  }
  lines.push('', '## Other variables', '', '| variable | effect |', '|---|---|');
  for (const {name, doc} of variables) lines.push(row(code(name), doc));
  return lines.join('\n');
}

function exitsPage(tables, server) {
  const lines = ['## The program haft', '', '| code | meaning |', '|---|---|'];

  for (const exit of tables.exits) lines.push(row(exit.code, sentence(exit.doc)));
  lines.push('', '## Servers', '', 'A program that ends with the return value of `haft_main` or `haft_gateway_main`, and `haft serve`, uses these codes.', '',
    '| code | meaning |', '|---|---|');
  for (const {name, doc} of server) lines.push(row(name, doc));
  return lines.join('\n');
}

// [{name, type, doc}] of the text format.
export function metrics(text) {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((m) => [m[1], m[2]]));

  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map((m) => ({name: m[1], type: types.get(m[1]), doc: m[2]}));
}

function metricsPage(tables) {
  const lines = ['`--metrics` and `haft_metrics_enable` count; `GET /metrics` and `haft_metrics_write` show these metrics in the text format of Prometheus.', '',
    '| metric | type | meaning |', '|---|---|---|'];

  for (const metric of metrics(tables.metrics)) lines.push(row(code(metric.name), metric.type, metric.doc));
  return lines.join('\n');
}

const typeOf = (schema) => (schema.enum ? schema.enum.map((one) => code(JSON.stringify(one))).join(', ') : [schema.type].flat().filter(Boolean).join(' or ') || 'any JSON value');

function policiesPage(tables, effects) {
  const lines = ['A policy wraps routes and MCP endpoints of a gateway. `haft_policy_make`, `haft_policies_json` and the section `gateway.policies` ' +
    'of a configuration file make one from a kind and its options.', ''];

  for (const kind of tables.policies) {
    lines.push(`## ${kind.name}`, '', sentence(effects.get(kind.name) || ''), '', '| option | type | default | meaning |', '|---|---|---|---|');
    for (const [name, schema] of Object.entries(kind.schema.properties || {})) {
      const required = (kind.schema.required || []).includes(name);

      lines.push(row(code(name), typeOf(schema), required ? 'required' : code(schema.default === undefined ? '' : JSON.stringify(schema.default)), schema.description));
    }
    lines.push('');
  }
  return lines.join('\n');
}

function errorsPage(tables, names, rpc) {
  const rows = (list) => names.filter((one) => one.kind === 'enumerator' && one.entry.name === list);
  const lines = ['## Status codes of functions', '', 'Functions return one of these negative numbers when they fail (`haft_status`); `haft_strerror` returns the text.', '',
    '| name | value | meaning |', '|---|---|---|'];

  for (const one of rows('haft_status')) lines.push(row(code(one.name), one.entry.enumerators.find((e) => e.name === one.name).value, one.doc));
  lines.push('', '## JSON-RPC errors', '', 'A server answers a request with one of these codes in `error.code`.', '', '| code | message | cause |', '|---|---|---|');
  for (const error of tables.rpc) lines.push(row(error.code, error.doc, (rpc.find((one) => one.name === String(error.code)) || {}).doc));
  for (const {name, doc} of rpc) if (!tables.rpc.some((one) => String(one.code) === name)) lines.push(row(name, '', doc));
  lines.push('', '## Issue codes', '', 'Each issue of a value that does not match its schema has one of these codes (`haft_issue_code`).', '', '| name | meaning |', '|---|---|');
  for (const one of rows('haft_issue_code')) lines.push(row(code(one.name), one.doc));
  lines.push('', '## Outcomes of calls', '', 'The audit log, the metrics and events use these names (`haft_outcome`).', '', '| name | meaning |', '|---|---|');
  for (const one of rows('haft_outcome')) lines.push(row(code(one.name), one.doc));
  return lines.join('\n');
}

export const PAGES = [
  ['options', 'options of servers and of the program haft'],
  ['environment', 'environment variables'],
  ['errors', 'status codes, JSON-RPC errors, issue codes and outcomes'],
  ['exit-codes', 'exit codes of haft and of servers'],
  ['metrics', 'metrics of a server'],
  ['policies', 'kinds of gateway policies and their options'],
];

// {pages: [{name, about, text, file}], entries: [{name, kind, doc, page}]}; links in a page are relative to its file.
export function tablePages(tables, names, {reference, gateway}) {
  const variables = documented(reference, 'Environment variables'), server = documented(reference, 'Exit codes of a server'), rpc = documented(reference, 'JSON-RPC errors');
  const effects = policyEffects(gateway);
  const text = {
    options: optionsPage(tables), environment: environmentPage(tables, variables), errors: errorsPage(tables, names, rpc),
    'exit-codes': exitsPage(tables, server), metrics: metricsPage(tables), policies: policiesPage(tables, effects),
  };
  const entries = [];
  const add = (kind, page, name, doc) => entries.push({kind, page, name, doc: doc || ''});

  for (const option of tables.options) {
    add('option', 'options', option.flag, option.doc);
    if (option.key) add('key', 'options', option.key, option.doc);
    for (const variable of [option.variable, option.also].filter(Boolean)) add('variable', 'environment', variable, option.doc);
  }
  for (const verb of tables.verbs) add('option', 'options', verb.flag, verb.doc);
  for (const command of tables.commands) {
    add('command', 'options', `haft ${command.name}`, command.doc);
    for (const option of command.options) {
      if (option.flag) add('option', 'options', `haft ${command.name} ${option.flag}`, option.doc);
      if (option.variable) add('variable', 'environment', option.variable, option.doc);
    }
  }
  for (const {name, doc} of variables) add('variable', 'environment', name, doc);
  for (const exit of tables.exits) add('exit code', 'exit-codes', `haft: ${exit.code}`, exit.doc);
  for (const {name, doc} of server) add('exit code', 'exit-codes', `server: ${name}`, doc);
  for (const metric of metrics(tables.metrics)) add('metric', 'metrics', metric.name, metric.doc);
  for (const error of tables.rpc) add('error', 'errors', String(error.code), (rpc.find((one) => one.name === String(error.code)) || {}).doc);
  for (const kind of tables.policies) {
    add('policy', 'policies', kind.name, effects.get(kind.name));
    for (const [name, schema] of Object.entries(kind.schema.properties || {})) add('policy option', 'policies', `${kind.name}: ${name}`, schema.description);
  }
  return {pages: PAGES.map(([name, about]) => ({name, about, text: text[name], file: name === 'policies' ? 'docs/gateway.md' : 'docs/reference.md'})), entries};
}
