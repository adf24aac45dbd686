// The texts of a pair: colours, and what is alike in words and to the character, laid over lines that are there without it.
// They are data of each list of lines: "4k3 12s8" is a keyword of three characters after four others, then a string.
'use strict';

(function () {
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

  function coloured(text, kind) {
    if (!kind) {
      return document.createTextNode(text);
    }
    const span = document.createElement('span');
    span.className = kind;
    span.textContent = text;
    return span;
  }

  class Painter {
    constructor(list) {
      this.place = 0;
      this.passage = list.dataset.m;
      this.colours = readLayer(list.dataset.c);
      this.levels = [readLayer(list.dataset.t), readLayer(list.dataset.x)];
    }

    paintLine(line) {
      for (const node of [...line.childNodes]) {
        if (node.nodeName === 'MARK') {
          node.replaceWith(...this.parted(node));
        } else if (node.className === 'base') {
          node.replaceChildren(...[...node.childNodes].flatMap((leaf) => this.pieces(leaf)).map((piece) => piece.node));
        } else if (!node.classList || !node.classList.contains('tags')) {
          node.replaceWith(...this.pieces(node).map((piece) => piece.node));
        }
      }
    }

    // A mark in parts, each of which is alike in one way from its beginning to its end.
    parted(mark) {
      const marks = [];
      mark.dataset.m = mark.dataset.m || this.passage;
      for (const { node, level } of [...mark.childNodes].flatMap((leaf) => this.pieces(leaf))) {
        if (!marks.length || marks[marks.length - 1].level !== level) {
          const part = mark.cloneNode(false);
          part.classList.add(...level);
          marks.push({ part, level });
        }
        marks[marks.length - 1].part.append(node);
      }
      return marks.map(({ part }) => part);
    }

    // A text, or the box of an unseen character, in pieces that look the same.
    pieces(leaf) {
      if (leaf.nodeType !== Node.TEXT_NODE) {
        const level = this.levels.map((layer) => kindAt(layer, this.place).kind).join('');
        this.place += Number.parseInt(leaf.dataset.char, 16) > 0xffff ? 2 : 1;
        return [{ node: leaf, level }];
      }
      const found = [];
      for (let done = 0; done < leaf.length; ) {
        const [colour, ...levels] = [this.colours, ...this.levels].map((layer) => kindAt(layer, this.place));
        const length = Math.min(leaf.length - done, ...[colour, ...levels].map(({ until }) => until - this.place));
        const node = coloured(leaf.data.substr(done, length), colour.kind);
        found.push({ node, level: levels.map(({ kind }) => kind).join('') });
        done += length;
        this.place += length;
      }
      return found;
    }
  }

  for (const list of document.querySelectorAll('.code ol:is([data-c], [data-m])')) {
    const painter = new Painter(list);
    for (const line of list.children) {
      painter.paintLine(line);
    }
  }
})();
