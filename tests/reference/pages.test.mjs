// The manual pages are what man and groff accept, and the HTML holds together and can be searched from file://.

import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import vm from 'node:vm';
import {load, root, writeHtml, writeManual} from '../../tools/reference/generate.mjs';

const build = process.env.HAFT_BUILD;
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-pages-'));
const man = path.join(out, 'docs/man'), html = path.join(out, 'docs/html');
const model = load(JSON.parse(execFileSync(path.join(build, 'reference/reference-tables'), {encoding: 'utf8'})));

writeManual(model, man);
writeHtml(model, html);
after(() => fs.rmSync(out, {recursive: true}));

const pages = (section) => fs.readdirSync(path.join(man, `man${section}`)).map((name) => path.join(man, `man${section}`, name));
const isAlias = (file) => fs.readFileSync(file, 'utf8').startsWith('.so ');
const own = () => [...pages(3), ...pages(7)].filter((file) => !isAlias(file));
const utf8 = {...process.env, LC_ALL: 'C.UTF-8'};

// What groff says about pages, with all warnings.
const warnings = (files) => spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', '-rLL=100n', ...files], {encoding: 'utf8', env: utf8}).stderr.trim();

test('groff accepts every page without a warning', () => {
  assert.ok(own().length > 250, `${own().length} pages`);
  assert.equal(warnings(own()), '');
  const bad = path.join(out, 'bad.3');

  fs.writeFileSync(bad, '.TH bad 3\n.SH NAME\nbad \\- has a character \\(zz that does not exist\n.UNKNOWN macro\n');
  assert.match(warnings([bad]), /UNKNOWN/);
});

test('man finds a page for every name, and every page says what it is about', () => {
  for (const one of model.names) assert.ok(fs.existsSync(path.join(man, 'man3', `${one.name}.3`)), `${one.name} has no page`);
  for (const file of pages(3).filter(isAlias)) {
    const [, target] = fs.readFileSync(file, 'utf8').match(/^\.so (\S+)$/m);

    assert.ok(!isAlias(path.join(man, target)), `${file}: ${target} is also an alias`);
  }
  assert.doesNotMatch(execFileSync('lexgrog', own(), {encoding: 'utf8', maxBuffer: 1 << 26}), /parse failed/);
  const rows = [[3, 'haft_audio', 'mime_type'], [3, 'HAFT_EINVAL', 'HAFT_ENOMEM'], [3, 'haft_tool', 'timeout_ms'], [3, 'haft_call.h', 'haft_text'], [7, 'haft', 'haft-errors'],
    [7, 'haft-errors', '-32700'], [7, 'haft-options', 'HAFT_LOG_LEVEL'], [7, 'haft-schema', 'NAME']];

  for (const [section, name, text] of rows) {
    const shown = execFileSync('man', ['-M', man, String(section), name], {encoding: 'utf8', env: {...utf8, MANPAGER: 'cat', MANWIDTH: '120'}});

    assert.ok(shown.includes(text), `${name}(${section}) does not have ${text}`);
  }
});

// The addresses in a page that lead nowhere.
function broken(file) {
  const text = fs.readFileSync(file, 'utf8'), list = [];

  for (const [, address] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
    const [name, fragment] = address.split('#'), target = name ? path.join(html, name) : file;

    if (/^[a-z]+:/.test(address)) continue;
    if (!fs.existsSync(target) || (fragment && !fs.readFileSync(target, 'utf8').includes(`id="${fragment}"`))) list.push(address);
  }
  return list;
}

test('every link in the HTML leads somewhere, and nothing is loaded from a network', () => {
  const files = fs.readdirSync(html).filter((name) => name.endsWith('.html')).map((name) => path.join(html, name));

  assert.ok(files.length > 80, `${files.length} pages`);
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8'), ids = [...text.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);

    assert.deepEqual(broken(file), [], file);
    assert.doesNotMatch(text, /<(script|link|img|iframe)[^>]+(src|href)="(https?:)?\/\//, file);
    assert.equal(new Set(ids).size, ids.length, `${file} has an id twice: ${ids.find((id, i) => ids.indexOf(id) !== i)}`);
  }
  const bad = path.join(html, 'bad.html');

  fs.writeFileSync(bad, '<a href="index.html#nowhere">x</a><a href="none.html">y</a>');
  assert.deepEqual(broken(bad), ['index.html#nowhere', 'none.html']);
  fs.rmSync(bad);
});

test('the search finds everything, and leads to it', () => {
  // As a browser loads them from file://: plain scripts, one after the other.
  const context = vm.createContext({}), texts = new Map();

  for (const name of ['index.js', 'search.js']) vm.runInContext(fs.readFileSync(path.join(html, name), 'utf8'), context);
  const find = vm.runInContext('(query) => haftSearch(haftIndex, query, 10)', context);

  for (const one of [...model.names, ...model.members]) assert.ok(find(one.name).some(([name]) => name === one.name), `${one.name} is not found`);
  const rows = [['haft_text', 'haft_text'], ['--log-level', '--log-level'], ['HAFT_LOG_LEVEL', 'HAFT_LOG_LEVEL'], ['rate-limit', 'rate-limit'],
    ['mcp_server_calls_total', 'mcp_server_calls_total'], ['-32601', '-32601'], ['timeout_ms haft_tool', 'haft_tool.timeout_ms'], ['elicit', 'haft_elicit']];

  for (const [query, expected] of rows) assert.equal(find(query)[0][0], expected, query);
  assert.equal(find('').length, 0);
  assert.equal(find('zzzz_nothing').length, 0);
  for (const [name, , address] of vm.runInContext('haftIndex', context)) {
    const [file, fragment] = address.split('#');

    if (!texts.has(file)) texts.set(file, fs.readFileSync(path.join(html, file), 'utf8'));
    assert.ok(!fragment || texts.get(file).includes(`id="${fragment}"`), `${name}: ${address}`);
  }
});

// As much of a browser as search.js uses.
function browser() {
  const element = () => ({
    children: [], listeners: {}, value: '', hidden: true,
    get childElementCount() { return this.children.length; },
    set textContent(text) { this.text = text; this.children = []; },
    append(...list) { this.children.push(...list); },
    addEventListener(name, listener) { this.listeners[name] = listener; },
    querySelector() { return this.children[0]?.children[0] ?? null; },
  });
  const parts = {search: element(), found: element()};

  return {parts, document: {...element(), getElementById: (id) => parts[id], createElement: element}, location: {}};
}

test('typing shows what is found, Enter goes to the first, and Escape hides the list', () => {
  const page = browser(), {search, found} = page.parts, context = vm.createContext(page);

  for (const name of ['index.js', 'search.js']) vm.runInContext(fs.readFileSync(path.join(html, name), 'utf8'), context);
  search.value = 'haft_elicit_url';
  search.listeners.input();
  assert.equal(found.hidden, false);
  assert.equal(found.children[0].children[0].text, 'haft_elicit_url');
  search.listeners.keydown({key: 'Enter'});
  assert.equal(page.location.href, 'header-call.html#haft_elicit_url');
  search.listeners.keydown({key: 'Escape'});
  assert.equal(found.hidden, true);
});

test('cmake installs the pages, the documentation and the examples', () => {
  const tree = path.join(out, 'build'), prefix = path.join(out, 'prefix'), quiet = {stdio: ['ignore', 'ignore', 'inherit']};

  execFileSync('cmake', ['-S', root, '-B', tree, '-G', 'Ninja', `-DHAFT_DOCS=${path.join(out, 'docs')}`, '-DHAFT_TESTS=OFF', '-DHAFT_BENCH=OFF', '-DHAFT_EXAMPLES=OFF'], quiet);
  execFileSync('cmake', ['--install', tree, '--component', 'docs', '--prefix', prefix], quiet);
  for (const name of ['man/man3/haft_text.3', 'man/man3/haft_audio.3', 'man/man7/haft.7', 'doc/haft/html/index.html', 'doc/haft/html/search.js', 'doc/haft/tools.md',
    'doc/haft/internals/README.md', 'doc/haft/examples/greeting.c', 'doc/haft/examples/shop/shop_tools.c'])
    assert.ok(fs.existsSync(path.join(prefix, 'share', name)), `share/${name} is not installed`);
});
