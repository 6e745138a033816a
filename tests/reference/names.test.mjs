// The reference has every public name, with a description, and no others.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {complaints, compiled, compiledCpp, exported, macros} from './names.mjs';
import {load, root} from '../../tools/reference/generate.mjs';
import {cppFiles, isOuter, memberNames, names, readHeaders} from '../../tools/reference/model.mjs';
import {scanCpp} from '../../tools/reference/scan_cpp.mjs';

const build = process.env.HAFT_BUILD;
const include = path.join(root, 'include');
const tables = JSON.parse(execFileSync(path.join(build, 'reference/reference-tables'), {encoding: 'utf8'}));
const model = load(tables);
const ofC = (list) => list.filter((one) => !one.page.cpp);

test('every name that the compiler sees has an entry with a description', () => {
  const seen = compiled(include);

  assert.ok(seen.names.size > 500 && seen.members.size > 300, `${seen.names.size} names and ${seen.members.size} members`);
  assert.deepEqual(complaints(seen.names, ofC(model.names)), []);
  assert.deepEqual(complaints(seen.members, ofC(model.members)), []);
});

const ofCpp = (list) => list.filter((one) => one.page.cpp && one.name.startsWith('haft::') && !one.name.includes('operator'));

test('every name of namespace haft has an entry with a description', () => {
  const seen = compiledCpp(cppFiles(include).map((file) => path.join(include, file)));

  assert.deepEqual(complaints(seen.names, ofCpp(model.names)), []);
  assert.deepEqual(complaints(seen.members, ofCpp(model.members)), []);
  if (cppFiles(include).length)
    for (const name of macros(include, path.join(include, 'haft.hpp'), ['c++', '-std=c++17', '-x', 'c++'])) assert.ok(model.byName.get(name)?.doc, `${name} has no entry or no description`);
});

const SAMPLE = `/* haft/cpp/sample.hpp - a sample.
 *
 * It shows HAFT_SAMPLE. */
#define HAFT_SAMPLE(x) x

namespace haft
{

namespace detail
{
struct hidden {
    int member;
};
} /* namespace detail */

/* A described class. */
template <class T> class sample : public base<T>
{
  public:
    explicit sample(int size = 0) : size_{size}, text_("{")
    {
    }
    sample(const sample &) = delete;
    /* The size. */
    int size() const noexcept
    {
        return size_;
    }
    void send(std::map<std::string, int> values = {})
    {
        haft_client_send(values, '}');
    }
    int forgotten() const
    {
        return 1;
    }

  private:
    int own() const;
    int size_;
};

struct pair {
    int first; /* the first */
    int second;
};

using sizes = std::vector<int>;
inline auto make(int x)
{
    return sample(x);
}
} /* namespace haft */
`;

test('C++ is read as it is written, and what is not described is noticed', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-cpp-')), file = path.join(folder, 'sample.hpp');
  const pages = scanCpp('haft/cpp/sample.hpp', SAMPLE).groups.map((group) => ({...group, cpp: true, header: 'haft/cpp/sample.hpp', summary: ''}));

  try {
    fs.writeFileSync(file, SAMPLE);
    const seen = compiledCpp([file]);

    assert.deepEqual([...seen.names].sort(), ['haft::make', 'haft::pair', 'haft::sample', 'haft::sizes']);
    assert.deepEqual(complaints(seen.names, ofCpp(names(pages))), ['haft::make: no description']);
    assert.deepEqual(complaints(seen.members, memberNames(pages)).sort(), ['haft::pair::second: no description', 'haft::sample::forgotten: no description']);
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
  assert.deepEqual(memberNames(pages).find((one) => one.name === 'haft::sample::send').doc, 'Calls haft_client_send.');
  assert.ok(names(pages).find((one) => one.name === 'HAFT_SAMPLE').doc.includes('It shows'));
});

test('every function that the libraries export has an entry, under the right library', () => {
  const core = new Set(exported(path.join(build, 'libhaft-core.so'))), all = exported(path.join(build, 'libhaft.so'));

  assert.ok(all.length > 250, `${all.length} functions`);
  for (const name of all) assert.ok(model.byName.has(name), `${name} has no entry`);
  for (const one of ofC(model.names))
    if (one.kind === 'function') assert.equal(core.has(one.name), !isOuter(one.page), `${one.name} of ${one.page.header}`);
});

// What is said about a copy of the headers with one change.
function changed(file, change) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-reference-'));

  try {
    fs.cpSync(include, folder, {recursive: true});
    const text = fs.readFileSync(path.join(folder, file), 'utf8'), other = change(text);

    assert.notEqual(other, text, `${file} is not changed`);
    fs.writeFileSync(path.join(folder, file), other);
    const {pages} = readHeaders(folder), seen = compiled(folder);

    return [...complaints(seen.names, ofC(names(pages))), ...complaints(seen.members, ofC(memberNames(pages)))];
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
}

test('a name without a description is noticed', () => {
  const after = 'typedef struct yyjson_val haft_value;';
  const rows = [
    ['haft/json.h', (text) => text.replace(after, '$&\n\nint haft_json_forgotten(void);'), 'haft_json_forgotten: no description'],
    ['haft/json.h', (text) => text.replace(after, '$&\n\n#define HAFT_JSON_FORGOTTEN 1'), 'HAFT_JSON_FORGOTTEN: no description'],
    ['haft/tool.h', (text) => text.replace(/unsigned timeout_ms;.*/, 'unsigned timeout_ms;'), 'haft_tool.timeout_ms: no description'],
    ['haft/tool.h', (text) => text.replace(/HAFT_YES,.*/, 'HAFT_YES,'), 'HAFT_YES: no description'],
    // Behind the macros nothing is described, so that a public name there has no entry.
    ['haft/tool.h', (text) => text.replace('/* ---- behind the macros ---- */', '$&\n\n/* Described. */\nint haft_hidden(void);'), 'haft_hidden: no entry'],
    ['haft/json.h', (text) => text.replace(after, '$&\n\n#ifdef HAFT_NEVER_\n/* Described. */\nint haft_absent(void);\n#endif'), 'haft_absent: not declared'],
  ];

  for (const [file, change, expected] of rows) assert.deepEqual(changed(file, change), [expected]);
});

test('every option, action and configuration key has an entry', () => {
  const haft = path.join(build, 'bin/haft'), entries = new Set(model.tables.entries.map((one) => one.name));
  const run = (...args) => execFileSync(haft, args, {encoding: 'utf8', env: {PATH: process.env.PATH}});
  const flagsIn = (text) => [...text.matchAll(/^\s+(--[a-z][a-z-]*)/gm)].map((m) => m[1]);
  const flags = flagsIn(run('serve', '--help'));

  assert.ok(flags.length > 50, `${flags.length} flags`);
  for (const flag of flags) assert.ok(entries.has(flag) || entries.has(`haft serve ${flag}`), `${flag} has no entry`);
  for (const [section, members] of Object.entries(JSON.parse(run('serve', '--demo', '--print-config', '--json'))))
    for (const key of Object.keys(members)) assert.ok(entries.has(`${section}.${key}`), `${section}.${key} has no entry`);
  for (const command of tables.commands.filter((one) => one.name !== 'serve' && one.options.length))
    for (const flag of flagsIn(run('help', command.name))) assert.ok(entries.has(`haft ${command.name} ${flag}`) || entries.has(flag), `haft ${command.name} ${flag} has no entry`);
});

const sources = (folder) =>
  fs.readdirSync(path.join(root, folder), {recursive: true}).filter((name) => /\.[ch]$/.test(name)).map((name) => fs.readFileSync(path.join(root, folder, name), 'utf8'));

test('every variable, exit code, metric, policy kind and error has an entry with a description', () => {
  const entries = new Map(model.tables.entries.map((one) => [one.name, one.doc]));
  const text = [...sources('src'), ...sources('apps')].join('\n');
  const all = (pattern, prefix = '') => [...text.matchAll(pattern)].map((m) => prefix + m[1]);
  const expected = [
    all(/\bgetenv\("(\w+)"\)/g), all(/"(mcp_server_\w+)"/g), all(/haft_policy_kind,\s+\.name = "([a-z-]+)"/g), all(/X\(EXIT_\w+, (\d+),/g, 'haft: '), all(/X\(RPC_\w+, (-\d+),/g),
  ];

  assert.deepEqual(expected.map((list) => list.length >= 6), [true, true, true, true, true], 'each pattern finds its names');
  for (const name of expected.flat()) assert.ok(entries.get(name), `${name} has no entry or no description`);
  for (const [name, doc] of entries) assert.ok(doc, `${name} has no description`);
});
