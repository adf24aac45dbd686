// The view "Diff" of a pair: both files line by line, as `diff -u` would show them, made from the texts on the page when it is
// first asked for. Where lines come again and again it would take too long, so equal pairs of lines are counted first.
'use strict';

window.mossDiff = (function () {
  const [LINES, EQUAL_PAIRS, CONTEXT] = [5000, 100000, 3];
  const LITTLE = 0.1; // the share of the smaller file's lines that must be equal for a difference to be readable
  const ROWS = { ' ': 'same', '−': 'gone', '+': 'new' };

  // The texts and the boxes of unseen characters in a line.
  function leavesOf(line) {
    return [...line.childNodes].flatMap((node) => {
      if (node.nodeType === Node.TEXT_NODE || node.className === 'unseen') {
        return [node];
      }
      return node.classList.contains('tags') ? [] : leavesOf(node);
    });
  }

  function written(line) {
    const parts = leavesOf(line).map((leaf) => leaf.data ?? String.fromCodePoint(Number.parseInt(leaf.dataset.char, 16)));
    return parts.join('').replace(/\n$/, '');
  }

  function count(lines) {
    const counts = new Map();
    lines.forEach((line) => counts.set(line, (counts.get(line) || 0) + 1));
    return counts;
  }

  // The longest run of equal lines in two ranges, the earliest if there are several.
  function longestRun(a, places, [low, high, from, to]) {
    let best = { i: low, j: from, length: 0 };
    let before = new Map();
    for (let i = low; i < high; i += 1) {
      const here = new Map();
      for (const j of places.get(a[i]) || []) {
        if (j >= from && j < to) {
          const length = (before.get(j - 1) || 0) + 1;
          here.set(j, length);
          best = length > best.length ? { i: i - length + 1, j: j - length + 1, length } : best;
        }
      }
      before = here;
    }
    return best;
  }

  // The runs of equal lines in order: the longest, then the longest before it and after it, and so on.
  function equalRuns(a, b) {
    const places = new Map();
    b.forEach((line, j) => (places.has(line) ? places.get(line).push(j) : places.set(line, [j])));
    const [runs, ranges] = [[], [[0, a.length, 0, b.length]]];
    while (ranges.length) {
      const [low, high, from, to] = ranges.pop();
      const run = longestRun(a, places, [low, high, from, to]);
      if (run.length) {
        runs.push(run);
        ranges.push([low, run.i, from, run.j], [run.i + run.length, high, run.j + run.length, to]);
      }
    }
    return runs.sort((one, other) => one.i - other.i);
  }

  // Every line of both sides: [sign, number on the first side, number on the second].
  function compare(a, b) {
    const rows = [];
    let [i, j] = [0, 0];
    for (const run of [...equalRuns(a, b), { i: a.length, j: b.length, length: 0 }]) {
      while (i < run.i) rows.push(['−', (i += 1), 0]);
      while (j < run.j) rows.push(['+', 0, (j += 1)]);
      for (let n = 0; n < run.length; n += 1) rows.push([' ', (i += 1), (j += 1)]);
    }
    return rows;
  }

  // The rows in hunks: what differs, with a few lines around it.
  function hunksOf(rows) {
    const hunks = [];
    let last = -Infinity;
    rows.forEach(([sign], place) => {
      if (sign === ' ') return;
      const first = Math.max(0, place - CONTEXT);
      if (first > last) hunks.push([]);
      for (let n = Math.max(first, last); n < Math.min(rows.length, place + CONTEXT + 1); n += 1) {
        hunks[hunks.length - 1].push(rows[n]);
      }
      last = Math.min(rows.length, place + CONTEXT + 1);
    });
    return hunks;
  }

  // Why there is no difference to show, or nothing.
  function reasonAgainst(a, b, words) {
    if (Math.max(a.length, b.length) > LINES) return words.long;
    const [ours, theirs] = [count(a), count(b)];
    const sum = (each) => [...ours].reduce((total, [line, times]) => total + each(line, times, theirs.get(line) || 0), 0);
    if (sum((line, n, m) => n * m) > EQUAL_PAIRS) return words.repetitive;
    const [alike, least] = [sum((line, n, m) => (line.trim() ? Math.min(n, m) : 0)), Math.min(a.length, b.length)];
    if (alike < LITTLE * least) return words.different.replace('{alike}', alike).replace('{least}', least);
    return a.length === b.length && a.every((line, n) => line === b[n]) ? words.equal : '';
  }

  function cell(name, ...content) {
    const made = document.createElement('td');
    made.className = name;
    made.append(...content);
    return made;
  }

  function rowOf([sign, i, j], lines) {
    const row = document.createElement('tr');
    row.className = ROWS[sign];
    const leaves = leavesOf(i ? lines.a[i - 1] : lines.b[j - 1]).map((leaf) => leaf.cloneNode(true));
    row.append(cell('n', i || ''), cell('n', j || ''), cell('sign', sign), cell('line', ...leaves));
    return row;
  }

  function show(section, parts) {
    const lines = { a: linesOf(section.dataset.a), b: linesOf(section.dataset.b) };
    const [a, b] = [lines.a.map(written), lines.b.map(written)];
    const reason = reasonAgainst(a, b, parts.dataset);
    section.querySelector('p').textContent = reason;
    if (reason) return;
    const table = parts.content.querySelector('table').cloneNode(true);
    for (const hunk of hunksOf(compare(a, b))) {
      table.append(document.createElement('tbody'));
      table.lastChild.append(...hunk.map((row) => rowOf(row, lines)));
    }
    section.querySelector('p').replaceWith(table);
  }

  const linesOf = (file) => [...document.querySelectorAll(`#${file} .code li`)];

  const titleOf = (file) => document.querySelector(`#${file} h3 bdi`).textContent;

  // A file of each side, or one that only one side has.
  function sectionOf([a, b], parts) {
    const section = parts.content.querySelector('section').cloneNode(true);
    const names = [a, b].filter(Boolean).map(titleOf);
    section.querySelectorAll('bdi').forEach((name, place) => (name.textContent = names[place] || ''));
    section.querySelector('span').hidden = names.length < 2;
    section.querySelector('p').textContent = a ? parts.dataset.onlyA : parts.dataset.onlyB;
    if (a && b) {
      [section.dataset.a, section.dataset.b] = [a, b];
      show(section, parts);
    }
    return section;
  }

  // Fills the view, once.
  function fill(diff) {
    if (diff.children.length) return;
    const parts = document.getElementById('diff-parts');
    const head = [...parts.content.querySelectorAll('h2, h2 + p')].map((part) => part.cloneNode(true));
    for (const name of head[1].querySelectorAll('[data-name]')) {
      name.textContent = document.querySelector(`#side-${name.dataset.name} .side-title bdi`).textContent;
    }
    diff.append(...head, ...diff.dataset.files.split(' ').map((files) => sectionOf(files.split('-'), parts)));
  }

  return { fill, compare, hunksOf };
})();
