// The page of a pair: choosing a passage, aligned scrolling, connectors, maps, views and keys.
// Without this script both texts and their marks are there, and the page's links work; nothing here makes content.
'use strict';

(function () {
  const VIEWS = ['structure', 'text', 'exact', 'diff'];
  const EYE = 0.3; // how far down a pane the reader looks
  const SVG = 'http://www.w3.org/2000/svg';

  const byId = (id) => document.getElementById(id);
  const workspace = byId('workspace');
  const texts = byId('texts');
  const toolbar = byId('toolbar');
  const connectors = byId('connectors');
  const help = byId('help');
  const panes = { a: byId('pane-a'), b: byId('pane-b') };
  const cards = [...document.querySelectorAll('.card')];
  const passages = cards.map((card) => readPassage(card));
  const state = { current: 0, view: 'structure', swapped: false, synced: true, leader: 'a' };
  const roomy = window.matchMedia('(min-width: 1500px)'); // enough for 70 characters a line beside the list of passages
  let painting = false;

  // Passages: where each begins and ends on both sides.

  function readPassage(card) {
    const number = Number(card.dataset.m);
    return { number, card, hues: [...card.classList].filter((name) => /^[hq]\d$/.test(name)), a: readEnds('a', number), b: readEnds('b', number) };
  }

  function readEnds(side, number) {
    const marks = panes[side].querySelectorAll(`mark[data-m="${number}"]`);
    return { first: marks[0], last: marks[marks.length - 1], marks };
  }

  function extent(passage, side) {
    const top = passage[side].first.closest('li').getBoundingClientRect().top;
    const bottom = passage[side].last.closest('li').getBoundingClientRect().bottom;
    return { top, bottom };
  }

  const otherSide = (side) => (side === 'a' ? 'b' : 'a');
  const eyeOf = (pane) => pane.getBoundingClientRect().top + pane.clientHeight * EYE;

  // Scrolling: the side that the reader moves leads, the other follows.

  function place(pane, y, glide) {
    pane.toggleAttribute('data-glide', Boolean(glide));
    pane.scrollTop += y - eyeOf(pane);
  }

  function follow() {
    const side = state.leader;
    if (!state.synced || state.view === 'diff' || panes[side].clientHeight === 0) {
      return;
    }
    const eye = eyeOf(panes[side]);
    const there = counterpart(side, eye);
    if (there !== null) {
      place(panes[otherSide(side)], there, false);
    }
  }

  function counterpart(side, eye) {
    const other = otherSide(side);
    const points = passages.map((passage) => ({ from: extent(passage, side), to: extent(passage, other) }));
    points.sort((one, two) => one.from.top - two.from.top);
    const inside = points.find((point) => point.from.top <= eye && eye <= point.from.bottom);
    if (inside) {
      return between(eye, inside.from.top, inside.from.bottom, inside.to.top, inside.to.bottom);
    }
    const before = points.filter((point) => point.from.bottom < eye).pop();
    const after = points.find((point) => point.from.top > eye);
    const inOrder = before && after && before.to.bottom <= after.to.top;
    return inOrder ? between(eye, before.from.bottom, after.from.top, before.to.bottom, after.to.top) : null;
  }

  function between(value, from, to, start, end) {
    return start + ((value - from) / Math.max(1, to - from)) * (end - start);
  }

  function onScroll(side) {
    if (side === state.leader) {
      follow();
    }
    repaint();
  }

  // Painting: connectors and the windows of the maps, at most once per frame.

  function repaint() {
    if (!painting) {
      painting = true;
      requestAnimationFrame(() => {
        painting = false;
        paintConnectors();
        paintWindow('a');
        paintWindow('b');
      });
    }
  }

  function paintConnectors() {
    const box = connectors.getBoundingClientRect();
    if (!box.width) {
      return;
    }
    const [left, right] = state.swapped ? ['b', 'a'] : ['a', 'b'];
    const view = panes.a.getBoundingClientRect();
    const paths = passages.map((passage) => connector(passage, extent(passage, left), extent(passage, right), box, view));
    connectors.replaceChildren(...paths.filter(Boolean));
  }

  function connector(passage, left, right, box, view) {
    const hidden = (end) => end.bottom < view.top || end.top > view.bottom;
    if (hidden(left) && hidden(right)) {
      return null;
    }
    const y = (value) => Math.min(Math.max(value, view.top - 400), view.bottom + 400) - box.top;
    const [l0, l1, r0, r1] = [left.top, left.bottom, right.top, right.bottom].map(y);
    const half = box.width / 2;
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', `M0 ${l0}C${half} ${l0} ${half} ${r0} ${box.width} ${r0}V${r1}C${half} ${r1} ${half} ${l1} 0 ${l1}Z`);
    path.setAttribute('class', passage.hues.join(' ') + (passage.number === state.current ? ' current' : ''));
    path.dataset.m = passage.number;
    return path;
  }

  function paintWindow(side) {
    const view = panes[side].getBoundingClientRect();
    const total = [...panes[side].querySelectorAll('.file')].reduce((sum, file) => sum + Number(file.dataset.lines), 0);
    const scale = 1000 / Math.max(1, total);
    const [top, bottom] = [lineAt(side, view.top), lineAt(side, view.bottom)];
    const rect = byId(`window-${side}`);
    rect.setAttribute('y', top * scale);
    rect.setAttribute('height', Math.max(0, (bottom - top) * scale));
  }

  function lineAt(side, y) {
    let before = 0;
    for (const file of panes[side].querySelectorAll('.file')) {
      const box = file.getBoundingClientRect();
      const lines = Number(file.dataset.lines);
      if (y < box.bottom) {
        return before + lineInFile(file, y, box, lines);
      }
      before += lines;
    }
    return before;
  }

  function lineInFile(file, y, box, lines) {
    if (y <= box.top) {
      return 0;
    }
    const rows = file.querySelectorAll('.code > ol > li, .code > .fold');
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].getBoundingClientRect().bottom < y) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const row = rows[low];
    return row ? lineOf(row.matches('li') ? row : row.querySelector('li')) - 1 : lines;
  }

  function lineOf(row) {
    const list = row.parentElement;
    return list.start + Array.prototype.indexOf.call(list.children, row);
  }

  // Choosing a passage.

  function choose(number, { glide = true, focus = false, only = null } = {}) {
    const passage = passages[number - 1];
    if (!passage) {
      return;
    }
    if (state.view === 'diff') {
      setView('structure');
    }
    markCurrent(number);
    passage.card.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    for (const side of only ? [only] : ['b', 'a']) {
      bringUp(passage, side, glide);
    }
    (window.innerWidth > 700 ? workspace : texts).scrollIntoView({ block: window.innerWidth > 700 ? 'start' : 'end' });
    if (focus) {
      byId(`a-m${number}`).focus({ preventScroll: true });
    }
    remember();
  }

  function bringUp(passage, side, glide) {
    const pane = panes[side];
    state.leader = null; // neither follows: both go to their own place
    place(pane, extent(passage, side).top, glide);
  }

  function openAtTheLargest() {
    for (const side of passages.length ? ['a', 'b'] : []) {
      place(panes[side], extent(passages[0], side).top, false);
    }
  }

  function markCurrent(number) {
    for (const old of document.querySelectorAll('.current')) {
      old.classList.remove('current');
    }
    state.current = number;
    const told = byId('current');
    told.textContent = number ? workspace.dataset.one.replace('{number}', number) : workspace.dataset.all;
    for (const each of number ? document.querySelectorAll(`[data-m="${number}"]`) : []) {
      each.classList.add('current');
    }
    for (const card of cards) {
      card.setAttribute('aria-current', String(Number(card.dataset.m) === number));
    }
    repaint();
  }

  function step(by) {
    const count = passages.length;
    if (count) {
      const from = state.current || (by > 0 ? 0 : 1);
      choose(((from - 1 + by + count) % count) + 1, { focus: true });
    }
  }

  function letGo() {
    markCurrent(0);
    remember();
  }

  // Views and switches.

  function setView(view) {
    const kept = [panes.a.scrollTop, panes.b.scrollTop];
    state.view = VIEWS.includes(view) ? view : 'structure';
    workspace.dataset.view = toolbar.dataset.view = state.view;
    for (const button of toolbar.querySelectorAll('.views button')) {
      button.setAttribute('aria-pressed', String(button.dataset.view === state.view));
    }
    if (state.view === 'diff') {
      window.mossDiff.fill(byId('diff'));
    }
    if (state.view !== 'diff') {
      [panes.a.scrollTop, panes.b.scrollTop] = kept[0] || kept[1] ? kept : [state.topA || 0, state.topB || 0];
    } else {
      [state.topA, state.topB] = kept;
    }
    remember();
    repaint();
  }

  function press(id, on) {
    byId(id).setAttribute('aria-pressed', String(on));
  }

  function toggleSync() {
    state.synced = !state.synced;
    press('sync', state.synced);
    follow();
  }

  function toggleFolds() {
    const open = byId('fold').getAttribute('aria-pressed') !== 'true';
    const anchor = state.current ? passages[state.current - 1] : null;
    for (const fold of document.querySelectorAll('.fold')) {
      fold.open = open;
    }
    press('fold', open);
    byId('fold').textContent = open ? byId('fold').dataset.fold : byId('fold').dataset.unfold;
    if (anchor) {
      choose(anchor.number, { glide: false });
    }
    repaint();
  }

  function swap() {
    state.swapped = !state.swapped;
    texts.toggleAttribute('data-swapped', state.swapped);
    press('swap', state.swapped);
    remember();
    repaint();
  }

  function toggleRail() {
    showRail(workspace.dataset.rail === 'off');
  }

  function showRail(on) {
    workspace.dataset.rail = on ? 'on' : 'off';
    press('rail', on);
    repaint();
  }

  function toggleHelp() {
    if (help.open) {
      help.close();
    } else {
      help.showModal();
    }
  }

  function go(selector) {
    const link = document.querySelector(selector);
    if (link) {
      link.click();
    }
  }

  // The address: #m3, #m3/text, #m3/text/swapped.

  function remember() {
    const parts = [state.current ? `m${state.current}` : '', state.view === 'structure' && !state.swapped ? '' : state.view, state.swapped ? 'swapped' : ''];
    const hash = parts.join('/').replace(/\/+$/, '');
    history.replaceState(null, '', hash ? `#${hash}` : window.location.pathname + window.location.search);
  }

  function recall() {
    const [passage, view, swapped] = window.location.hash.slice(1).split('/');
    const found = /^(?:[ab]-)?m(\d+)$/.exec(passage || '');
    if ((swapped === 'swapped') !== state.swapped) {
      swap();
    }
    if (passage === 'diff' || VIEWS.includes(view)) {
      setView(passage === 'diff' ? 'diff' : view);
    }
    if (found && state.view !== 'diff') {
      choose(Number(found[1]), { glide: false });
    } else if (found) {
      markCurrent(Number(found[1]));
      remember();
    }
  }

  // Paper: why the score is what it is, and everything that a card can tell, whatever is open on the screen.

  function openAll(open) {
    const chosen = open ? ':is(.card details, .why):not([open])' : 'details[data-printed]';
    for (const details of document.querySelectorAll(chosen)) {
      details.open = open;
      details.toggleAttribute('data-printed', open);
    }
  }

  // Events.

  const KEYS = {
    n: () => step(1),
    p: () => step(-1),
    a: toggleSync,
    f: toggleFolds,
    s: swap,
    l: toggleRail,
    u: () => go('[data-key="u"]'),
    ']': () => go('.neighbours [rel="next"]:not([hidden])'),
    '[': () => go('.neighbours [rel="prev"]:not([hidden])'),
    '?': toggleHelp,
    Escape: letGo,
    1: () => setView('structure'),
    2: () => setView('text'),
    3: () => setView('exact'),
    4: () => setView('diff'),
  };

  function onKey(event) {
    const typing = event.target.closest('input, select, textarea');
    const action = KEYS[event.key];
    if (action && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && (!help.open || event.key === '?')) {
      event.preventDefault();
      action();
    }
  }

  function onClick(event) {
    const link = event.target.closest('a[href^="#a-m"], a[href^="#b-m"]');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      const [, side, number] = /#([ab])-m(\d+)/.exec(link.getAttribute('href'));
      const inCode = link.closest('.code');
      choose(Number(number), { only: inCode ? side : null });
      if (inCode) {
        byId(`${side}-m${number}`).focus({ preventScroll: true });
      }
      return;
    }
    const mark = event.target.closest('mark[data-m]');
    if (mark && window.getSelection().isCollapsed) {
      choose(Number(mark.dataset.m), { only: otherSide(mark.closest('.side').dataset.side) });
    }
  }

  function lead(side) {
    state.leader = side;
    panes[side].removeAttribute('data-glide');
  }

  function listen() {
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', onClick);
    document.addEventListener('toggle', repaint, true);
    window.addEventListener('resize', repaint);
    window.addEventListener('hashchange', recall);
    window.addEventListener('beforeprint', () => openAll(true));
    window.addEventListener('afterprint', () => openAll(false));
    for (const side of ['a', 'b']) {
      panes[side].addEventListener('scroll', () => onScroll(side), { passive: true });
      for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
        panes[side].addEventListener(kind, () => lead(side), { passive: true });
      }
    }
    const buttons = { previous: () => step(-1), next: () => step(1), sync: toggleSync, fold: toggleFolds, swap, rail: toggleRail, 'help-button': toggleHelp, 'help-close': toggleHelp };
    for (const [id, action] of Object.entries(buttons)) {
      byId(id).addEventListener('click', action);
    }
    for (const button of toolbar.querySelectorAll('.views button')) {
      button.addEventListener('click', () => setView(button.dataset.view));
    }
  }

  toolbar.hidden = false;
  byId('current').textContent = workspace.dataset.all;
  toolbar.dataset.view = state.view;
  showRail(roomy.matches);
  listen();
  openAtTheLargest();
  recall();
  repaint();
})();
