// The texts of a pair as numbered lines, which are there as plain text without it: the passages' numbers beside them, folds where
// nothing is shared, colours, what is alike in words and to the character, and a map of each side. All of that are data of the
// texts: "4k3 12s8" is a keyword of three characters after four others, then a string; "2 12 14" is passage 2 in lines 12 to 14.
'use strict';

(function () {
  const [CONTEXT, SHORTEST_FOLD] = [3, 12]; // as `code_view` has them
  const [HUES, PATTERNS] = [6, 5];
  const [MAP_HEIGHT, LEAST_HEIGHT] = [1000, 6]; // so that the smallest passage can be seen and clicked
  const SVG = 'http://www.w3.org/2000/svg';
  const words = document.getElementById('code-words').dataset;

  const look = (number) => `h${number % HUES} q${number % PATTERNS}`;
  const tenths = (value) => Math.round(10 * value) / 10;
  const numbersIn = (data) => (data ? data.split(' ').map(Number) : []);

  function made(name, properties, ...content) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...content);
    return element;
  }

  function drawn(name, attributes, ...content) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...content);
    return element;
  }

  // Layers: spans of a text, each of one kind.

  function readLayer(data) {
    let end = 0;
    const spans = [...(data || '').matchAll(/(\d+)([a-z])(\d+)/g)].map(([, gap, kind, length]) => {
      const start = end + Number(gap);
      end = start + Number(length);
      return { start, end, kind };
    });
    return { spans, next: 0 };
  }

  // The kind at a place, and up to where it holds; places are asked for in order.
  function kindAt(layer, place) {
    while (layer.next < layer.spans.length && layer.spans[layer.next].end <= place) {
      layer.next += 1;
    }
    const span = layer.spans[layer.next];
    if (!span) {
      return { kind: '', until: Infinity };
    }
    return span.start <= place ? { kind: span.kind, until: span.end } : { kind: '', until: span.start };
  }

  // The leaves of a text, cut into lines: a text or the box of an unseen character, and the mark that it is in.

  class Lines {
    constructor(text) {
      this.lines = [[]];
      this.cells = new Map();
      for (const node of text.childNodes) {
        if (node.className === 'cell') {
          this.cells.set(this.lines.length - 1, node.textContent);
        } else {
          const within = node.nodeName === 'MARK' || node.className === 'base' ? node : null;
          (within ? [...within.childNodes] : [node]).forEach((leaf) => this.add(leaf, within));
        }
      }
      if (!this.lines[this.lines.length - 1].length) {
        this.lines.pop();
      }
    }

    add(leaf, within) {
      if (leaf.nodeType !== Node.TEXT_NODE) {
        this.lines[this.lines.length - 1].push({ box: leaf, within });
        return;
      }
      leaf.data.split(/(?<=\n)/).forEach((part) => {
        this.addPart(part, within);
        if (part.endsWith('\n')) {
          this.lines.push([]);
        }
      });
    }

    // A line's indentation and its end are no part of a passage: they only lie between tokens that are equal.
    addPart(part, within) {
      const line = this.lines[this.lines.length - 1];
      const isPassage = within && within.nodeName === 'MARK';
      const margin = isPassage && line.every((leaf) => !leaf.box && !leaf.text.trim()) ? /^[ \t]*/.exec(part)[0].length : 0;
      const end = isPassage && part.endsWith('\n') ? part.length - 1 : part.length;
      const pieces = [[part.slice(0, margin), null], [part.slice(margin, end), within], [part.slice(Math.max(end, margin)), null]];
      pieces.filter(([text]) => text).forEach(([text, holder]) => line.push({ text, within: holder }));
    }
  }

  class Painter {
    constructor(text) {
      this.place = 0;
      this.colours = readLayer(text.dataset.c);
      this.levels = [readLayer(text.dataset.t), readLayer(text.dataset.x)];
    }

    // A line as an item of a list; a mark is in parts, each of which is alike in one way from its beginning to its end.
    line(leaves) {
      const item = document.createElement('li');
      let last = {};
      for (const { within, pieces } of leaves.map((leaf) => ({ within: leaf.within, pieces: this.pieces(leaf) }))) {
        for (const { node, level } of pieces) {
          if (!within) {
            item.append(node);
          } else if (last.within === within && last.level === level && last.part === item.lastChild) {
            last.part.append(node);
          } else {
            last = { within, level, part: within.cloneNode(false) };
            last.part.removeAttribute('id');
            if (within.nodeName === 'MARK') {
              last.part.classList.add(...level);
            }
            last.part.append(node);
            item.append(last.part);
          }
        }
      }
      return item;
    }

    // A text, or the box of an unseen character, in pieces that look the same.
    pieces({ text, box }) {
      if (box) {
        const level = this.levels.map((layer) => kindAt(layer, this.place).kind).join('');
        this.place += Number.parseInt(box.dataset.char, 16) > 0xffff ? 2 : 1;
        return [{ node: box, level }];
      }
      const found = [];
      for (let done = 0; done < text.length; ) {
        const [colour, ...levels] = [this.colours, ...this.levels].map((layer) => kindAt(layer, this.place));
        const length = Math.min(text.length - done, ...[colour, ...levels].map(({ until }) => until - this.place));
        const part = text.substr(done, length);
        const node = colour.kind ? made('span', { className: colour.kind }, part) : document.createTextNode(part);
        found.push({ node, level: levels.map(({ kind }) => kind).join('') });
        done += length;
        this.place += length;
      }
      return found;
    }
  }

  // A file: its lines in lists of one kind, in passages and outside, and folds of those far from any passage.

  class File {
    constructor(code) {
      this.code = code;
      this.name = code.closest('.file').id;
      const data = numbersIn(code.dataset.p);
      this.passages = data.filter((_, place) => place % 3 === 0).map((number, n) => ({ number, first: data[3 * n + 1], last: data[3 * n + 2] }));
      this.labelled = new Set(numbersIn(code.dataset.b));
      this.count = Number(code.closest('.file').dataset.lines);
    }

    build() {
      for (const text of this.code.querySelectorAll('pre')) {
        const read = new Lines(text);
        const painter = new Painter(text);
        const start = Number(text.dataset.l || 1);
        const rows = read.lines.map((leaves, place) => this.row(leaves, start + place, painter, read.cells.get(place)));
        text.replaceWith(...this.foldedRows(rows));
      }
    }

    row(leaves, number, painter, cell) {
      const inside = this.passages.filter(({ first, last }) => first <= number && number <= last).map((passage) => passage.number);
      const isStarter = leaves.some(({ within }) => within && within.className === 'base');
      const item = painter.line(leaves);
      const kind = inside.length ? Math.min(...inside) : isStarter ? -1 : 0;
      const tags = this.passages.filter(({ first }) => first === number).map((passage) => this.tag(passage.number, kind));
      const margins = tags.length ? [made('span', { className: 'tags' }, ...tags)] : [];
      item.prepend(...margins, ...(this.labelled.has(number) ? [made('span', { className: 'tags label' }, words.starter)] : []));
      return { number, item, kind, cell, isStarter };
    }

    tag(number, kind) {
      const [side, other] = this.name.startsWith('a') ? ['a', 'b'] : ['b', 'a'];
      const tag = made('a', { className: number === kind ? 'tag' : `tag ${look(number)}`, id: `${side}-m${number}`, href: `#${other}-m${number}` }, number);
      tag.setAttribute('aria-label', words.tag.replace('{number}', number));
      return tag;
    }

    // The first and last line of each fold: many lines in a row, all more than a few lines away from every passage.
    folds() {
      const folds = [];
      let free = 1;
      const regions = this.passages.map(({ first, last }) => [first, last]).sort(([one], [other]) => one - other);
      for (const [first, last] of [...regions, [this.count + CONTEXT + 1, 0]]) {
        if (first - CONTEXT - free >= SHORTEST_FOLD) {
          folds.push([free, first - CONTEXT - 1]);
        }
        free = Math.max(free, last + CONTEXT + 1);
      }
      return folds;
    }

    foldedRows(rows) {
      const parts = [];
      let rest = rows;
      for (const [first, last] of this.folds()) {
        const within = rest.filter(({ number }) => first <= number && number <= last);
        if (within.length) {
          parts.push(...this.lists(rest.filter(({ number }) => number < first)), this.fold(first, last, within));
          rest = rest.filter(({ number }) => number > last);
        }
      }
      return [...parts, ...this.lists(rest)];
    }

    fold(first, last, rows) {
      const starter = rows.filter((row) => row.isStarter).length;
      const told = starter === rows.length ? words.starter : starter ? words.foldStarter.replace('{n}', starter) : words.fold;
      const summary = made('summary', {}, made('span', { className: 'span' }, `${first}–${last}`), ` ${told}`);
      return made('details', { className: 'fold', id: `${this.name}-fold-${first}` }, summary, ...this.lists(rows));
    }

    lists(rows) {
      const parts = [];
      let before = null;
      for (const row of rows) {
        if (!before || before.kind !== row.kind || row.cell) {
          if (row.cell) {
            parts.push(made('div', { className: 'cell' }, row.cell));
          }
          parts.push(made('ol', { className: row.kind > 0 ? `in ${look(row.kind)}` : row.kind ? 'out' : '', start: row.number }));
          if (row.kind > 0) {
            parts[parts.length - 1].dataset.m = row.kind;
          }
        }
        parts[parts.length - 1].append(row.item);
        before = row;
      }
      return parts;
    }
  }

  // The map of a side: where its passages are, and where its files end.

  function drawMap(side) {
    const letter = side.dataset.side;
    const files = [...side.querySelectorAll('.file')].map((file) => ({ lines: Number(file.dataset.lines), code: file.querySelector('.code') }));
    const scale = MAP_HEIGHT / Math.max(1, files.reduce((sum, { lines }) => sum + lines, 0));
    const [blocks, ends] = [[], []];
    let before = 0;
    for (const { lines, code } of files) {
      for (const { number, first, last } of code ? new File(code).passages : []) {
        const box = { class: `block ${look(number)}`, x: 1, width: 8, y: tenths(scale * (before + first - 1)), height: tenths(Math.max(LEAST_HEIGHT, scale * (last - first + 1))) };
        const title = drawn('title', {}, words.block.replace('{number}', number));
        blocks.push([number, drawn('a', { href: `#${letter}-m${number}`, 'data-m': number }, title, drawn('rect', box))]);
      }
      before += lines;
      ends.push(drawn('line', { class: 'end', x1: 0, x2: 10, y1: tenths(scale * before), y2: tenths(scale * before) }));
    }
    const name = words.map.replace('{name}', side.querySelector('.side-title bdi').textContent);
    const box = { class: 'map screen-only', id: `map-${letter}`, viewBox: `0 0 10 ${MAP_HEIGHT}`, preserveAspectRatio: 'none', role: 'group', 'aria-label': name };
    const ground = drawn('rect', { class: 'ground', width: 10, height: MAP_HEIGHT });
    const ordered = blocks.sort(([one], [other]) => one - other).map(([, block]) => block);
    side.querySelector('.pane').before(drawn('svg', box, ground, ...ends.slice(0, -1), ...ordered, drawn('rect', { class: 'window', id: `window-${letter}`, width: 10, height: 0 })));
  }

  document.querySelectorAll('.code').forEach((code) => new File(code).build());
  document.querySelectorAll('.side').forEach(drawMap);
})();
