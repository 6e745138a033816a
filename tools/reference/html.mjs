// html.mjs - the reference and the documentation as HTML: one folder, no network, search in the browser.

import {anchor, inline, parse} from './markdown.mjs';
import {memberName} from './model.mjs';
import {synopsis} from './roff.mjs';
import {prose} from './scan.mjs';

export const escape = (text) => text.replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

// A page of HTML around a body.
export function page(title, body, menu) {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="stylesheet" href="style.css">
<script src="index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<header><a class="home" href="index.html">haft</a>
<input id="search" type="search" placeholder="Search names, options, pages" aria-label="Search" autocomplete="off">
<ol id="found" hidden></ol></header>
<div class="columns"><nav>${menu}</nav>
<main>
${body}
</main></div>
</body>
</html>
`;
}

export class Writer {
  // links: name of haft -> address; files: path in the tree -> address, for links between pages.
  constructor(links, files) {
    this.links = links;
    this.files = files;
  }

  // Text with names of haft as links.
  plain(text) {
    return escape(text).replace(/\b(?:haft|HAFT)_\w+/g, (name) => (this.links.has(name) ? `<a href="${this.links.get(name)}">${name}</a>` : name));
  }

  code(text) {
    return `<code>${this.plain(text)}</code>`;
  }

  block(text) {
    return `<pre>${this.plain(text)}</pre>`;
  }

  // Inline Markdown; `base` is the file it is in.
  text(source, base) {
    return inline(source).map((part) => {
      if (part.kind === 'code') return this.code(part.text);
      if (part.kind === 'strong') return `<strong>${this.text(part.text, base)}</strong>`;
      if (part.kind === 'em') return `<em>${this.text(part.text, base)}</em>`;
      if (part.kind === 'image') return this.image(part, base);
      if (part.kind === 'link') return this.link(part, base);
      return this.plain(part.text);
    }).join('');
  }

  image(part, base) {
    const address = this.files.get(resolve(base, part.target));

    return address ? `<img src="${address}" alt="${escape(part.text)}">` : escape(part.text);
  }

  link(part, base) {
    const label = inline(part.text).map((one) => (one.kind === 'code' ? `<code>${escape(one.text)}</code>` : escape(one.text))).join('');

    if (/^[a-z]+:/.test(part.target)) return `<a href="${escape(part.target)}">${label}</a>`;
    const [target, fragment] = part.target.split('#');
    const address = this.files.get(target ? resolve(base, target) : base);

    return address ? `<a href="${address}${fragment ? `#${fragment}` : ''}">${label}</a>` : label;
  }

  // The description of a header's comment.
  comment(doc) {
    let out = '', list = false;

    for (const block of prose(doc)) {
      if (list && block.kind !== 'list') out += '</ul>';
      if (!list && block.kind === 'list') out += '<ul>';
      list = block.kind === 'list';
      out += block.kind === 'code' ? this.block(block.text) : list ? `<li>${this.text(block.text)}</li>` : `<p>${this.text(block.text)}</p>`;
    }
    return out + (list ? '</ul>' : '');
  }

  blocks(blocks, base, seen = new Map()) {
    return blocks.map((block) => {
      switch (block.kind) {
        case 'heading': {
          const name = anchor(block.text), n = seen.get(name) || 0, id = n ? `${name}-${n}` : name;

          seen.set(name, n + 1);
          return `<h${block.level} id="${escape(id)}">${this.text(block.text, base)}</h${block.level}>`;
        }
        case 'code': return this.block(block.text);
        case 'table': return this.table(block, base);
        case 'quote': return `<blockquote>${this.blocks(block.blocks, base, seen)}</blockquote>`;
        case 'list': {
          const tag = block.ordered ? 'ol' : 'ul';
          const items = block.items.map((item) => `<li>${item.length === 1 && item[0].kind === 'para' ? this.text(item[0].text, base) : this.blocks(item, base, seen)}</li>`);

          return `<${tag}>${items.join('')}</${tag}>`;
        }
        default: return `<p>${this.text(block.text, base)}</p>`;
      }
    }).join('\n');
  }

  table(block, base) {
    const line = (list, tag) => `<tr>${list.map((one) => `<${tag}>${this.text(one, base)}</${tag}>`).join('')}</tr>`;
    const head = block.head.some(Boolean) ? `<thead>${line(block.head, 'th')}</thead>` : '';

    return `<table>${head}<tbody>${block.rows.map((one) => line(one, 'td')).join('\n')}</tbody></table>`;
  }

  markdown(text, base) {
    return this.blocks(parse(text), base);
  }

  // One group of declarations.
  group(group, {example, seeAlso, named = new Set()}) {
    // Overloads share a name: the first of them on the page has its id.
    const fresh = [...new Set(group.entries.map((entry) => entry.name))].filter((name) => !named.has(name));
    const ids = fresh.map((name) => `<span id="${name}"></span>`).join('');

    fresh.forEach((name) => named.add(name));
    const out = [`<section class="entry">${ids}<h3>${group.entries.map((entry) => escape(entry.name)).join(', ')}</h3>`];

    out.push(`<pre class="synopsis">${group.entries.map((entry) => this.plain(synopsis(entry))).join('\n')}</pre>`);
    out.push(this.comment(group.doc));
    for (const entry of group.entries) if (entry.note) out.push(`<p>${this.code(entry.name)}: ${this.text(entry.note)}</p>`);
    for (const entry of group.entries) out.push(this.members(entry));
    if (example) out.push(`<details><summary>Example, from ${this.exampleSource(example)}</summary>${this.block(example.text)}</details>`);
    if (seeAlso.length) out.push(`<p class="see">See also: ${seeAlso.map((name) => this.code(name)).join(', ')}</p>`);
    return out.filter(Boolean).join('\n') + '</section>';
  }

  exampleSource(example) {
    const address = this.files.get(example.file);

    return address ? `<a href="${address}">${escape(example.title)}</a>` : escape(example.title);
  }

  members(entry) {
    const rows = [];

    for (const member of entry.members || [])
      rows.push([member.names.map((name) => `<span id="${memberName(entry, name)}"></span><code>${escape(name)}</code>`).join(', '), this.comment(member.doc)]);
    for (const one of entry.enumerators || []) {
      const id = one.name === entry.name ? '' : `<span id="${one.name}"></span>`;

      rows.push([`${id}<code>${escape(one.name)}</code>${one.value ? ` ${escape(one.value)}` : ''}`, this.comment(one.doc)]);
    }
    return rows.length ? `<table class="members"><tbody>${rows.map(([a, b]) => `<tr><td>${a}</td><td>${b}</td></tr>`).join('\n')}</tbody></table>` : '';
  }
}

// A path of the tree from a file and a relative link.
export function resolve(base, target) {
  const parts = [...(base || '').split('/').slice(0, -1), ...target.split('/')], out = [];

  for (const part of parts) {
    if (part === '..') out.pop();
    else if (part !== '.' && part !== '') out.push(part);
  }
  return out.join('/');
}
