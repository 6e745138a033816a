// names.mjs - every public name as the compiler sees it, to compare the reference with.

import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const run = (program, args) => execFileSync(program, args, {encoding: 'utf8', maxBuffer: 1 << 29, stdio: ['ignore', 'pipe', 'inherit']});
const isPublic = (name) => /^(haft_|HAFT_)/.test(name || '') && !name.endsWith('_');

// A C file that includes every header, in a folder of its own.
function withSource(include, use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-names-')), file = path.join(folder, 'all.c');
  const headers = fs.readdirSync(path.join(include, 'haft')).filter((name) => name.endsWith('.h'));

  try {
    fs.writeFileSync(file, headers.map((name) => `#include <haft/${name}>\n`).join(''));
    return use(file);
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
}

// Macros: all but those that keep a header from being included twice.
export function macros(include, file, compiler = ['cc']) {
  const [program, ...options] = compiler, text = run(program, [...options, '-E', '-dM', '-I', include, file]);
  const list = [...text.matchAll(/^#define (HAFT_\w+)(.*)$/gm)];

  return list.filter(([, name, rest]) => isPublic(name) && !(/_H(PP)?$/.test(name) && !rest.trim())).map((m) => m[1]);
}

// Functions, types, constants, variables and members, from clang's syntax tree.
function declared(include, file) {
  const tree = JSON.parse(run('clang', ['-std=c11', '-fsyntax-only', '-Xclang', '-ast-dump=json', '-I', include, file]));
  const names = new Set(), members = new Set();

  for (const node of tree.inner) {
    if (['FunctionDecl', 'TypedefDecl', 'VarDecl'].includes(node.kind) && isPublic(node.name)) names.add(node.name);
    if (node.kind === 'RecordDecl' && isPublic(node.name) && node.completeDefinition) {
      names.add(node.name);
      for (const field of node.inner || [])
        if (field.kind === 'FieldDecl' && field.name && !field.name.endsWith('_')) members.add(`${node.name}.${field.name}`);
    }
    if (node.kind === 'EnumDecl') {
      if (isPublic(node.name)) names.add(node.name);
      for (const one of node.inner || []) if (one.kind === 'EnumConstantDecl' && isPublic(one.name)) names.add(one.name);
    }
  }
  return {names: [...names], members: [...members]};
}

export function compiled(include) {
  return withSource(include, (file) => {
    const {names, members} = declared(include, file);

    return {names: new Set([...names, ...macros(include, file)]), members: new Set(members)};
  });
}

// What namespace haft has in C++ headers, and the public members of its classes, as ctags sees them.
export function compiledCpp(files) {
  const names = new Set(), members = new Set();

  if (!files.length) return {names, members};
  const text = run('ctags', ['--output-format=json', '--language-force=C++', '--kinds-C++=+p', '--fields=+aS', '-f', '-', ...files]);

  for (const tag of text.trim().split('\n').map((line) => JSON.parse(line))) {
    if (/_$|^~|^operator|^__anon/.test(tag.name) || tag.kind === 'namespace' || tag.kind === 'macro') continue;
    if (tag.scope === 'haft') names.add(`haft::${tag.name}`);
    else if (/^haft::\w+$/.test(tag.scope) && tag.scope !== 'haft::detail' && tag.access === 'public' && tag.kind !== 'enumerator') members.add(`${tag.scope}::${tag.name}`);
  }
  return {names, members};
}

// Functions and variables that a shared library exports.
export const exported = (library) =>
  run('nm', ['-D', '--defined-only', library]).split('\n').map((line) => line.split(' ').pop().replace(/@.*/, ''))
    .filter((name) => name.startsWith('haft_'));

// What the reference lacks: names without an entry, entries without a description, entries that nothing declares.
export function complaints(compiledNames, entries) {
  const described = new Map(entries.map((one) => [one.name, one.doc.trim()]));
  const list = [];

  for (const name of compiledNames) {
    if (!described.has(name)) list.push(`${name}: no entry`);
    else if (!described.get(name)) list.push(`${name}: no description`);
  }
  for (const name of described.keys()) if (!compiledNames.has(name)) list.push(`${name}: not declared`);
  return list;
}
