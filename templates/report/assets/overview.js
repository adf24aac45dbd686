// The overview: one section at a time, and a table of pairs to sort, filter and save. Without this script all sections
// follow each other, and the table is plain and complete.
//
// The address has the section (#clusters) or the view of the pairs (#name=ada&min=20&max=60&sort=longest), so that it can
// be sent on. On a server a row may carry the state of its review; then the states are a filter and a column too.
'use strict';

(function () {
  const panels = Array.from(document.querySelectorAll('.tab-panel'));
  const tabs = Array.from(document.querySelectorAll('.tabs a'));

  // The section that an address leads to: by its own name, by something in it, or the first.
  function panelOf(hash) {
    const found = hash.length > 1 && !hash.includes('=') ? document.getElementById(hash.slice(1)) : null;
    return (found && found.closest('.tab-panel')) || panels[0];
  }

  function showPanel() {
    const shown = panelOf(window.location.hash);
    for (const panel of panels) {
      panel.toggleAttribute('data-away', panel !== shown);
    }
    for (const tab of tabs) {
      if (tab.hash === '#' + shown.id) {
        tab.setAttribute('aria-current', 'true');
      } else {
        tab.removeAttribute('aria-current');
      }
    }
    const within = window.location.hash.length > 1 && document.getElementById(window.location.hash.slice(1));
    if (within && within !== shown) {
      within.scrollIntoView({ block: 'nearest' });
    }
  }

  // A tab changes the section in place: the page does not jump, and the way back leads to the section before.
  function choose(event) {
    event.preventDefault();
    if (event.currentTarget.hash !== window.location.hash) {
      window.history.pushState(null, '', event.currentTarget.hash);
      window.dispatchEvent(new HashChangeEvent('hashchange'));
    }
  }

  document.documentElement.toggleAttribute('data-tabbed', true);
  tabs.forEach((tab) => tab.addEventListener('click', choose));
  window.addEventListener('hashchange', showPanel);
  window.addEventListener('popstate', showPanel);
  showPanel();
})();

(function () {
  const table = document.getElementById('pairs-table');
  if (!table) {
    return;
  }
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const bars = Array.from(document.querySelectorAll('#histogram a'));
  const inputs = {
    name: document.getElementById('filter-name'),
    min: document.getElementById('filter-min'),
    max: document.getElementById('filter-max'),
    standing: document.getElementById('filter-standing'),
  };
  const columns = [
    'rank', 'a', 'b', 'score', 'shareA', 'shareB', 'tokens', 'longest', 'rarity', 'cluster', 'above', 'standing',
  ];
  const texts = new Set(['a', 'b', 'standing', 'state']);
  const names = rows.map((row) => fold(row.dataset.a + '\n' + row.dataset.b));
  const places = new Map(rows.map((row, place) => [row, place]));
  const everything = { name: '', min: '', max: '', standing: '', state: '' };
  const start = { ...everything, sort: 'rank', order: 'ascending' };
  let view = { ...start };
  let order = 'rank ascending'; // in which the rows stand now

  function fold(text) {
    return text.normalize('NFKC').toLowerCase();
  }

  // The address

  function viewFromAddress() {
    const given = new URLSearchParams(window.location.hash.slice(1));
    const read = { ...start };
    for (const key of Object.keys(start)) {
      if (given.has(key)) {
        read[key] = given.get(key);
      }
    }
    if (!table.querySelector('[data-sort="' + CSS.escape(read.sort) + '"]')) {
      read.sort = start.sort;
    }
    read.order = read.order === 'descending' ? 'descending' : 'ascending';
    read.min = asPercent(read.min);
    read.max = asPercent(read.max);
    read.standing = asOption('standing', read.standing);
    read.state = asOption('state', read.state);
    return read;
  }

  function asPercent(text) {
    const number = Number.parseFloat(text);
    return Number.isFinite(number) ? String(Math.min(100, Math.max(0, number))) : '';
  }

  function asOption(key, text) {
    const known = inputs[key] ? Array.from(inputs[key].options, (option) => option.value) : [];
    return known.includes(text) ? text : '';
  }

  function address() {
    const changed = new URLSearchParams();
    for (const key of Object.keys(start)) {
      if (view[key] !== start[key]) {
        changed.set(key, view[key]);
      }
    }
    const text = changed.toString();
    return window.location.pathname + window.location.search + (text ? '#' + text : '');
  }

  function change(part) {
    view = { ...view, ...part };
    window.history.replaceState(null, '', address());
    window.dispatchEvent(new HashChangeEvent('hashchange')); // the pairs may have been behind another tab
  }

  // The table

  function isIn(row) {
    const score = Number(row.dataset.score);
    const words = fold(view.name).split(/\s+/).filter(Boolean);
    const least = view.min === '' ? 0 : Number(view.min) / 100;
    const most = view.max === '' ? 1 : Number(view.max) / 100;
    const inRange = score >= least && (score < most || most >= 1);
    const inState = view.state === '' || row.dataset.state === view.state;
    const inStanding = view.standing === '' || row.dataset.standing.split(' ')[0] === view.standing;
    return inRange && inState && inStanding && words.every((word) => names[places.get(row)].includes(word));
  }

  function compare(key) {
    const number = (row) => (row.dataset[key] === '' ? Infinity : Number(row.dataset[key]));
    const byText = (one, other) => one.dataset[key].localeCompare(other.dataset[key], undefined, { numeric: true });
    return texts.has(key) ? byText : (one, other) => number(one) - number(other) || 0;
  }

  function sorted() {
    const by = compare(view.sort);
    const sign = view.order === 'descending' ? -1 : 1;
    return rows.slice().sort((one, other) => sign * by(one, other) || places.get(one) - places.get(other));
  }

  function shownRows() {
    return Array.from(body.rows).filter((row) => !row.hidden);
  }

  function show() {
    let count = 0;
    for (const row of rows) {
      row.hidden = !isIn(row);
      count += row.hidden ? 0 : 1;
    }
    const wanted = view.sort + ' ' + view.order;
    if (order !== wanted) {
      body.append(...sorted());
      order = wanted;
    }
    showState(count);
  }

  function showState(count) {
    for (const [key, input] of Object.entries(inputs)) {
      if (input.value !== view[key] && document.activeElement !== input) {
        input.value = view[key];
      }
    }
    for (const heading of table.tHead.rows[0].cells) {
      heading.removeAttribute('aria-sort');
      if (heading.dataset.key === view.sort) {
        heading.setAttribute('aria-sort', view.order);
      }
    }
    const filtered = Object.keys(everything).some((key) => view[key] !== '');
    const told = document.getElementById('filter-count');
    told.textContent = filtered ? told.dataset.some.replace('{shown}', count) : told.dataset.all;
    document.getElementById('filter-clear').hidden = !filtered;
    document.getElementById('nothing-found').hidden = count > 0;
    bars.forEach(markBar);
  }

  function markBar(bar) {
    if (isChosen(bar)) {
      bar.setAttribute('aria-current', 'true');
    } else {
      bar.removeAttribute('aria-current');
    }
  }

  function isChosen(bar) {
    return view.min !== '' && view.max !== '' &&
      Number(bar.dataset.min) >= Number(view.min) && Number(bar.dataset.max) <= Number(view.max);
  }

  function clear() {
    for (const input of Object.values(inputs)) {
      input.value = '';
    }
    change(everything);
  }

  function sortBy(key) {
    const numbersDown = !texts.has(key) && !['rank', 'cluster'].includes(key);
    const first = numbersDown ? 'descending' : 'ascending';
    const turned = view.order === 'ascending' ? 'descending' : 'ascending';
    change({ sort: key, order: view.sort === key ? turned : first });
  }

  // The file

  // A text that a spreadsheet could take for a formula, perhaps behind something unseen, gets an apostrophe.
  function harmless(text) {
    const formula = /^[\s\0\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
    return formula.test(text) ? "'" + text : text;
  }

  function cell(row, key) {
    const value = texts.has(key) ? harmless(row.dataset[key]) : row.dataset[key];
    return '"' + value.replaceAll('"', '""') + '"';
  }

  function csv() {
    const heading = columns.map((key) => key.replace(/[AB]$/, (side) => '_' + side.toLowerCase()));
    const lines = shownRows().map((row) => columns.map((key) => cell(row, key)));
    return [heading, ...lines].map((line) => line.join(',') + '\r\n').join('');
  }

  function download() {
    const file = new Blob(['\ufeff', csv()], { type: 'text/csv;charset=utf-8' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = 'pairs.csv';
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // Keys

  function step(by) {
    const open = shownRows().map((row) => row.querySelector('a.open'));
    const at = open.indexOf(document.activeElement);
    const next = at < 0 ? 0 : Math.min(open.length - 1, Math.max(0, at + by));
    if (open.length) {
      open[next].focus();
      open[next].closest('tr').scrollIntoView({ block: 'nearest' });
    }
  }

  function focusFilter() {
    inputs.name.focus();
    inputs.name.select();
  }

  const keys = {
    '/': focusFilter,
    j: () => step(1),
    k: () => step(-1),
    '?': () => document.getElementById('help').showModal(),
  };

  function onKey(event) {
    const isTyping = event.target.closest('input, textarea, select, dialog');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) {
      return;
    }
    event.preventDefault();
    keys[event.key]();
  }

  // One stop for the tabulator key in the histogram; arrows go from bar to bar.
  function onBarKey(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = bars[bars.indexOf(event.currentTarget) + (way || 0)];
    if (way && next) {
      event.preventDefault();
      event.currentTarget.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    }
  }

  function chooseBar(event) {
    event.preventDefault();
    const bar = event.currentTarget;
    change(bar.hasAttribute('aria-current')
      ? { min: '', max: '' }
      : { min: bar.dataset.min, max: bar.dataset.max });
  }

  // The states of the reviews: a row without one has not been reviewed.

  function setUpStates() {
    if (!table.querySelector('.badge[data-state]')) {
      return;
    }
    for (const row of rows) {
      const badge = row.querySelector('.badge[data-state]');
      row.dataset.state = badge ? badge.dataset.state : 'unreviewed';
    }
    document.getElementById('states').hidden = false;
    inputs.state = document.getElementById('filter-state');
    columns.push('state');
  }

  function setUp() {
    setUpStates();
    for (const element of document.querySelectorAll('.needs-script')) {
      element.hidden = false;
    }
    const readers = { min: asPercent, max: asPercent };
    for (const [key, input] of Object.entries(inputs)) {
      const read = readers[key] || String;
      input.addEventListener('input', () => change({ [key]: read(input.value) }));
    }
    inputs.name.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        clear();
      }
    });
    for (const button of table.querySelectorAll('[data-sort]')) {
      button.addEventListener('click', () => sortBy(button.dataset.sort));
    }
    bars.forEach((bar, place) => {
      bar.setAttribute('tabindex', place ? '-1' : '0');
      bar.addEventListener('keydown', onBarKey);
      bar.addEventListener('click', chooseBar);
    });
    document.getElementById('filter-clear').addEventListener('click', clear);
    document.getElementById('download').addEventListener('click', download);
    document.getElementById('help-open').addEventListener('click', keys['?']);
    document.getElementById('help-close').addEventListener('click', () => document.getElementById('help').close());
    document.addEventListener('keydown', onKey);
    window.addEventListener('hashchange', readAddress);
  }

  function readAddress() {
    if (window.location.hash === '' || window.location.hash.includes('=')) {
      view = viewFromAddress();
      show();
    }
  }

  setUp();
  readAddress();
})();
