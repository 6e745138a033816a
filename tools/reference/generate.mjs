// generate.mjs TABLES OUT - writes the reference: manual pages below OUT/man, HTML in OUT/html.
//
// TABLES is what the program reference-tables prints.  The tree is the one that this file is in.

import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {exampleFor, isOuter, memberNames, names, readExamples, readHeaders, related, summary} from './model.mjs';
import {alias, manual3, manual7, manualHeader} from './roff.mjs';
import {escape, page as htmlPage, Writer} from './html.mjs';
import {tablePages} from './tables.mjs';
import {anchor, parse} from './markdown.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../..');
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');

// The version of the headers, and its date: that of its release in CHANGELOG.md, or SOURCE_DATE_EPOCH, or none.
export function version() {
  const text = read('include/haft/version.h');
  const number = ['MAJOR', 'MINOR', 'PATCH'].map((part) => text.match(new RegExp(`HAFT_VERSION_${part} (\\d+)`))[1]).join('.');
  const released = read('CHANGELOG.md').match(new RegExp(`^## ${number.replaceAll('.', '\\.')}, (\\d{4}-\\d\\d-\\d\\d)`, 'm'));
  const epoch = Number(process.env.SOURCE_DATE_EPOCH || 0);

  return {number, date: released ? released[1] : epoch ? new Date(epoch * 1000).toISOString().slice(0, 10) : ''};
}

const markdownIn = (folder) =>
  fs.readdirSync(path.join(root, folder)).filter((name) => name.endsWith('.md')).sort().map((name) => {
    const file = path.posix.join(folder, name);

    return {file, text: read(file)};
  });

// Everything that is written, read once.
export function load(tables) {
  const {headers, pages} = readHeaders(path.join(root, 'include'));
  const list = names(pages);
  const docs = markdownIn('docs');
  const text = (file) => docs.find((one) => one.file === file).text;

  return {
    version: version(), headers, pages, names: list, members: memberNames(pages), docs, internals: markdownIn('docs/internals'), roots: markdownIn('.'),
    byName: new Map(list.map((one) => [one.name, one])), examples: readExamples([...docs, {file: 'README.md', text: read('README.md')}]),
    tables: tablePages(tables, list, {reference: text('docs/reference.md'), gateway: text('docs/gateway.md')}),
  };
}

// ---- manual pages ----

const docName = (file) => `haft-${path.posix.basename(file, '.md')}`;
const titleOf = (text) => (text.match(/^# (.*)$/m) || [, ''])[1].replace(/`/g, '');
const lower = (text) => (/^[A-Z][a-z]/.test(text) ? text[0].toLowerCase() + text.slice(1) : text);

// Pages of section 7 that a link in docs/ leads to.
const docPage = (model) => (target) => {
  const name = target.split('#')[0];

  return model.docs.some((one) => one.file === `docs/${name}`) ? docName(name) : '';
};

const headerPage = (include) => include.replaceAll('/', '_');
const library = (page) => (isOuter(page) ? 'libhaft (pkg-config haft)' : 'libhaft-core (pkg-config haft-core) and libhaft (pkg-config haft)');

// The guides that mention the names of a page most often.
function guidesFor(page, docs) {
  const pattern = new RegExp(`\\b(${page.entries.map((entry) => entry.name).join('|')})\\b`, 'g');
  const counted = docs.map((doc) => ({doc, n: (doc.text.match(pattern) || []).length})).filter(({n}) => n);

  return counted.sort((a, b) => b.n - a.n).slice(0, 3).map(({doc}) => doc);
}

function man3(model) {
  const files = new Map();

  for (const page of model.pages) {
    const mentions = guidesFor(page, model.docs);
    const seeAlso = [...related(page, model.pages, model.byName).map((name) => ({name, section: 3})), {name: headerPage(page.header), section: 3},
      ...mentions.map((one) => ({name: docName(one.file), section: 7}))];

    files.set(page.name, manual3(page, {version: model.version, library: library(page), example: exampleFor(page, model.examples), seeAlso}));
  }
  for (const one of [...model.names, ...model.members.filter(({page}) => page.cpp)]) if (!files.has(one.name)) files.set(one.name, alias(one.page.name, 3));
  for (const header of model.headers)
    files.set(headerPage(header.include), manualHeader(header, model.pages.filter((page) => page.header === header.include), {version: model.version, seeAlso: [{name: 'haft', section: 7}]}));
  return files;
}

function overview(model) {
  const lines = [read('README.md').split(/\n\n/)[1], '', '## Headers', '', '`#include <haft.h>` includes all of these but `haft/testing.h` and `haft/part.h`.', '', '| header | contents |', '|---|---|'];

  for (const header of model.headers) if (header.include !== 'haft.h') lines.push(`| \`${headerPage(header.include)}\`(3) | ${header.title} |`);
  lines.push('', '## Tables', '', '| page | contents |', '|---|---|');
  for (const table of model.tables.pages) lines.push(`| \`haft-${table.name}\`(7) | ${table.about} |`);
  lines.push('', '## Guides', '', '| page | contents |', '|---|---|');
  for (const doc of model.docs) lines.push(`| \`${docName(doc.file)}\`(7) | ${titleOf(doc.text)} |`);
  return lines.join('\n');
}

function man7(model) {
  const files = new Map(), docs = docPage(model), seeAlso = [{name: 'haft', section: 7}];

  files.set('haft', manual7('haft', 'tools for AI models, served from C over MCP', overview(model), {version: model.version, docs, seeAlso: [{name: 'haft', section: 1}]}));
  for (const doc of model.docs) files.set(docName(doc.file), manual7(docName(doc.file), lower(titleOf(doc.text)), doc.text, {version: model.version, docs, seeAlso}));
  for (const table of model.tables.pages) files.set(`haft-${table.name}`, manual7(`haft-${table.name}`, table.about, table.text, {version: model.version, docs, seeAlso}));
  return files;
}

export function writeManual(model, out) {
  for (const [section, files] of [[3, man3(model)], [7, man7(model)]]) {
    const folder = path.join(out, `man${section}`);

    fs.rmSync(folder, {recursive: true, force: true});
    fs.mkdirSync(folder, {recursive: true});
    for (const [name, text] of files) fs.writeFileSync(path.join(folder, `${name}.${section}`), text);
  }
}

// ---- HTML ----

const headerFile = (include) => `header-${include.replace(/^haft\//, '').replaceAll('/', '-').replace(/\.(h|hpp)$/, (m) => (m === '.hpp' ? '-hpp' : ''))}.html`;
const pageFile = (file) => (file.startsWith('docs/') ? `${file.slice(5).replaceAll('/', '-').replace(/\.md$/, '')}.html` : `tree-${file.replaceAll('/', '-').replace(/\.md$/, '')}.html`);
const address = (one) => `${headerFile(one.page.header)}#${one.name}`;
const tableFile = (name) => `table-${name}.html`;

const examples = () => fs.readdirSync(path.join(root, 'examples')).filter((name) => name.endsWith('.c')).sort().map((name) => `examples/${name}`);

function addresses(model) {
  const files = new Map();

  for (const one of [...model.docs, ...model.internals, ...model.roots]) files.set(one.file, pageFile(one.file));
  for (const file of examples()) files.set(file, `${file.replace('/', '-').replace(/\.c$/, '')}.html`);
  for (const name of fs.readdirSync(path.join(root, 'docs')).filter((one) => one.endsWith('.svg'))) files.set(`docs/${name}`, name);
  for (const header of model.headers) files.set(`include/${header.include}`, headerFile(header.include));
  files.set('LICENSE', 'tree-LICENSE.html');
  files.set('docs/internals', pageFile('docs/internals/README.md'));
  return files;
}

function menu(model) {
  const list = (title, items) => `<b>${title}</b><ul>${items.map(([href, text]) => `<li><a href="${href}">${escape(text)}</a></li>`).join('')}</ul>`;

  return list('Guides', model.docs.map((doc) => [pageFile(doc.file), titleOf(doc.text)])) +
    list('Headers', model.headers.map((header) => [headerFile(header.include), header.include])) +
    list('Tables', model.tables.pages.map((table) => [tableFile(table.name), table.name])) +
    list('Examples', examples().map((file) => [`${file.replace('/', '-').replace(/\.c$/, '')}.html`, path.posix.basename(file)]));
}

function headerBody(model, header, writer) {
  const out = [`<h1>${escape(header.include)}</h1>`, `<pre>#include &lt;${header.include}&gt;</pre>`, `<p>${escape(header.title)}. Library: ${escape(library({header: header.include}))}.</p>`, writer.comment(header.overview)];
  const named = new Set();
  let section = null;

  for (const page of model.pages.filter((one) => one.header === header.include)) {
    if (page.section !== section && page.section) out.push(`<h2 id="${escape(anchor(page.section))}">${writer.text(page.section)}</h2>`);
    section = page.section;
    out.push(writer.group(page, {named, example: exampleFor(page, model.examples), seeAlso: related(page, model.pages, model.byName)}));
  }
  return out.join('\n');
}

// [name, kind, address, summary] of everything that can be found.
function searchIndex(model) {
  const index = [];

  for (const one of model.names) index.push([one.name, one.kind, address(one), one.summary]);
  for (const one of model.members) index.push([one.name, one.kind, address(one), one.summary]);
  for (const entry of model.tables.entries) {
    const to = entry.kind === 'option' && model.tables.pages[0].text.includes(`\n## ${entry.name}\n`) ? `#${anchor(entry.name)}` : entry.kind === 'policy' ? `#${anchor(entry.name)}` : '';

    index.push([entry.name, entry.kind, tableFile(entry.page) + to, summary(entry.doc)]);
  }
  for (const header of model.headers) index.push([header.include, 'header', headerFile(header.include), header.title]);
  for (const doc of model.docs) {
    for (const block of parse(doc.text)) if (block.kind === 'heading') index.push([block.text.replace(/`/g, ''), 'guide', `${pageFile(doc.file)}${block.level > 1 ? `#${anchor(block.text)}` : ''}`, block.level > 1 ? titleOf(doc.text) : '']);
  }
  return index;
}

function indexBody(model, writer) {
  const row = (href, name, about) => `<tr><td><a href="${href}">${escape(name)}</a></td><td>${about}</td></tr>`;
  const table = (rows) => `<table><tbody>${rows.join('\n')}</tbody></table>`;

  return `<h1>haft ${model.version.number}</h1><p>Type in the field above, or press <code>/</code>, to search functions, types, macros, options, variables, metrics and errors.</p>
<h2>Guides</h2>${table(model.docs.map((doc) => row(pageFile(doc.file), titleOf(doc.text), '')))}
<h2>Headers</h2>${table(model.headers.map((header) => row(headerFile(header.include), header.include, writer.plain(header.title))))}
<h2>Tables</h2>${table(model.tables.pages.map((one) => row(tableFile(one.name), one.name, escape(one.about))))}`;
}

export function writeHtml(model, out) {
  const writer = new Writer(new Map(model.names.map((one) => [one.name, address(one)])), addresses(model)), nav = menu(model);
  const put = (name, title, body) => fs.writeFileSync(path.join(out, name), htmlPage(title, body, nav));

  fs.rmSync(out, {recursive: true, force: true});
  fs.mkdirSync(out, {recursive: true});
  put('index.html', 'haft', indexBody(model, writer));
  for (const doc of [...model.docs, ...model.internals, ...model.roots]) put(pageFile(doc.file), titleOf(doc.text), writer.markdown(doc.text, doc.file));
  for (const header of model.headers) put(headerFile(header.include), header.include, headerBody(model, header, writer));
  for (const table of model.tables.pages) put(tableFile(table.name), table.about, `<h1>${escape(table.about[0].toUpperCase() + table.about.slice(1))}</h1>${writer.markdown(table.text, table.file)}`);
  for (const file of examples()) put(`${file.replace('/', '-').replace(/\.c$/, '')}.html`, file, `<h1>${file}</h1>${writer.block(read(file))}`);
  put('tree-LICENSE.html', 'License', `<h1>License</h1><pre>${escape(read('LICENSE'))}</pre>`);
  for (const name of fs.readdirSync(path.join(root, 'docs')).filter((one) => one.endsWith('.svg'))) fs.copyFileSync(path.join(root, 'docs', name), path.join(out, name));
  for (const name of ['search.js', 'style.css']) fs.copyFileSync(path.join(here, name), path.join(out, name));
  fs.writeFileSync(path.join(out, 'index.js'), `const haftIndex = ${JSON.stringify(searchIndex(model)).replaceAll('],[', '],\n[')};\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tables, out] = process.argv.slice(2);

  if (!out) {
    console.error('usage: generate.mjs TABLES OUT');
    process.exit(2);
  }
  const model = load(JSON.parse(fs.readFileSync(tables, 'utf8')));

  writeManual(model, path.join(out, 'man'));
  writeHtml(model, path.join(out, 'html'));
}
