// Drawings of clusters to work with: zoom, move, put in order, and filter by score, section and state. Without this script
// they are pictures with links. Members stand on a ring, lines inside it, names outside it, so no name crosses a line,
// however members are filtered or moved: a name can be dragged along the ring only.
//
// The threshold is in the address (from=0.28). The overview tells of a change by the event moss:threshold, with the score;
// so does this script when its own control is used.
'use strict';

(function () {
  const frames = Array.from(document.querySelectorAll('.ring-frame'));
  const filters = document.querySelector('.cluster-filters');
  if (!frames.length || !filters) {
    return;
  }
  const onOverview = Boolean(document.querySelector('.tab-panel'));
  const MOST_ZOOM = 8;
  const FAR = 4; // pixels: a pointer that moves less has clicked
  const controls = {
    from: document.getElementById('cluster-from'),
    section: document.getElementById('cluster-section'),
    state: document.getElementById('cluster-state'),
    order: document.getElementById('cluster-order'),
  };
  const least = Number(filters.dataset.least);
  const states = new Map(filters.dataset.states.split(' ').filter(Boolean).map((each) => each.split(':')));
  const chosen = { from: least, section: '', state: '', order: 'alike' };

  // The ring: the formulas of moss/report/pages/graph_layout.py

  function ring(size) {
    const right = Math.floor((size + 1) / 2);
    const left = size - right;
    const pitch = Math.min(80, Math.max(26, 180 / Math.max(right, 1)));
    const half = (pitch * (right - 1)) / 2;
    const reach = (y) => 80 + 0.15 * half + (half ? (half / 2) * (1 - (y / half) ** 2) : 0);
    const place = (side, y) => ({ x: side * reach(y), y });
    const arc = (count, side) => Array.from({ length: count }, (_, i) => place(side, side * (i - (count - 1) / 2) * pitch));
    return [...arc(right, 1), ...arc(left, -1)];
  }

  function path(a, b) {
    const start = 'M' + a.x.toFixed(1) + ' ' + a.y.toFixed(1);
    const end = b.x.toFixed(1) + ' ' + b.y.toFixed(1);
    if (a.x * b.x <= 0) {
      return start + 'L' + end;
    }
    const depth = 24 + 0.9 * Math.abs(a.y - b.y);
    const x = Math.sign(a.x) * Math.max(0, Math.abs(a.x + b.x) / 2 - depth);
    return start + 'Q' + x.toFixed(1) + ' ' + ((a.y + b.y) / 2).toFixed(1) + ' ' + end;
  }

  function furthest(places, axis) {
    return Math.max(0, ...places.map((place) => Math.abs(place[axis])));
  }

  // One drawing

  function drawingOf(frame) {
    const svg = frame.querySelector('.ring');
    const box = svg.viewBox.baseVal;
    const nodes = Array.from(svg.querySelectorAll('.node'), (element, number) => ({
      element, number, text: element.querySelector('text'), name: element.getAttribute('aria-label'),
      section: element.dataset.section || '', time: element.dataset.time || '', place: null, shown: true,
    }));
    const links = Array.from(svg.querySelectorAll('.link'), (element) => ({
      element, line: element.querySelector('path'), ends: element.dataset.ends.split(' ').map((end) => nodes[Number(end)]),
      score: Number(element.dataset.score), pair: element.dataset.pair || '', shown: true,
    }));
    const full = ring(nodes.length);
    return {
      frame, svg, nodes, links, order: nodes.slice(), readout: frame.querySelector('.readout'),
      around: { x: box.width / 2 - furthest(full, 'x'), y: box.height / 2 - furthest(full, 'y') }, // room for names
      room: { width: box.width, height: box.height }, zoom: 1, x: 0, y: 0, ready: false,
    };
  }

  const drawings = frames.map(drawingOf);

  function isIn(link) {
    const inState = chosen.state === '' || states.get(link.pair) === chosen.state; // an ordinary pair has none
    const inSection = chosen.section === '' || link.ends.some((node) => node.section === chosen.section);
    return link.score >= chosen.from && inState && inSection;
  }

  const filtered = () => chosen.from > least || chosen.section !== '' || chosen.state !== '';

  // A member is shown if one of its lines is.
  function filter(drawing) {
    const all = !filtered();
    for (const node of drawing.nodes) {
      node.shown = all;
    }
    for (const link of drawing.links) {
      link.shown = all || isIn(link);
      if (link.shown) {
        link.ends.forEach((node) => { node.shown = true; });
      }
    }
  }

  function draw(drawing) {
    const shown = drawing.order.filter((node) => node.shown);
    const places = ring(shown.length);
    shown.forEach((node, number) => put(node, places[number]));
    for (const node of drawing.nodes) {
      node.element.toggleAttribute('hidden', !node.shown);
    }
    for (const link of drawing.links) {
      link.element.toggleAttribute('hidden', !link.shown);
      if (link.shown) {
        const d = path(...link.ends.map((node) => node.place));
        link.element.querySelectorAll('path').forEach((line) => line.setAttribute('d', d));
      }
    }
    drawing.room = {
      width: 2 * (furthest(places, 'x') + drawing.around.x), height: 2 * (furthest(places, 'y') + drawing.around.y),
    };
    look(drawing);
  }

  function put(node, place) {
    node.place = place;
    const right = place.x > 0;
    node.element.setAttribute('transform', 'translate(' + place.x.toFixed(1) + ' ' + place.y.toFixed(1) + ')');
    node.text.setAttribute('x', right ? '14' : '-14');
    node.text.setAttribute('text-anchor', right ? 'start' : 'end');
  }

  function sort(drawing) {
    const by = {
      alike: (a, b) => a.number - b.number,
      name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
      time: (a, b) => (a.time === '') - (b.time === '') || a.time.localeCompare(b.time) || a.number - b.number,
    }[chosen.order];
    drawing.order = drawing.nodes.slice().sort(by);
  }

  // What part of a drawing is seen

  function look(drawing) {
    const { width, height } = drawing.room;
    const limit = (value, most) => Math.min(most, Math.max(-most, value));
    drawing.x = limit(drawing.x, width / 2);
    drawing.y = limit(drawing.y, height / 2);
    const [w, h] = [width / drawing.zoom, height / drawing.zoom];
    drawing.svg.setAttribute('viewBox', [drawing.x - w / 2, drawing.y - h / 2, w, h].map((n) => n.toFixed(1)).join(' '));
    drawing.svg.toggleAttribute('data-zoomed', drawing.zoom > 1);
  }

  // The point of the drawing that lies under a pointer.
  function pointAt(drawing, event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.svg.getScreenCTM().inverse());
  }

  function zoomBy(drawing, factor, about) {
    const zoom = Math.min(MOST_ZOOM, Math.max(1, drawing.zoom * factor));
    const point = about || { x: drawing.x, y: drawing.y };
    const kept = drawing.zoom / zoom;
    drawing.x = point.x + (drawing.x - point.x) * kept;
    drawing.y = point.y + (drawing.y - point.y) * kept;
    drawing.zoom = zoom;
    look(drawing);
  }

  function moveBy(drawing, x, y) {
    drawing.x += x;
    drawing.y += y;
    look(drawing);
  }

  function showAll(drawing) {
    Object.assign(drawing, { zoom: 1, x: 0, y: 0 });
    look(drawing);
  }

  // The wheel scrolls the page unless the reader is at work in the drawing.
  function onWheel(drawing, event) {
    if (event.ctrlKey || event.metaKey || drawing.svg.contains(document.activeElement)) {
      event.preventDefault();
      zoomBy(drawing, Math.exp(-event.deltaY / 400), pointAt(drawing, event));
    }
  }

  // Names

  function moveNode(drawing, node, by) {
    const shown = drawing.order.filter((each) => each.shown);
    const place = (shown.indexOf(node) + by + shown.length) % shown.length;
    shown.splice(shown.indexOf(node), 1);
    shown.splice(place, 0, node);
    drawing.order = [...shown, ...drawing.order.filter((each) => !each.shown)];
    draw(drawing);
  }

  function dragNode(drawing, node, point) {
    const shown = drawing.order.filter((each) => each.shown);
    const far = shown.map((each) => Math.hypot(each.place.x - point.x, each.place.y - point.y));
    const nearest = far.indexOf(Math.min(...far));
    if (shown[nearest] !== node) {
      moveNode(drawing, node, nearest - shown.indexOf(node));
    }
  }

  function light(drawing, node) {
    drawing.svg.toggleAttribute('data-lit', Boolean(node));
    for (const link of drawing.links) {
      link.element.classList.toggle('lit', Boolean(node) && link.ends.includes(node));
    }
  }

  // Pointers: the picture is moved, or a name along the ring; what was dragged is not opened.

  function onPointer(drawing, event) {
    const element = event.target.closest('.node');
    const node = drawing.nodes.find((each) => each.element === element);
    const isPage = event.pointerType === 'touch' && !node && drawing.zoom === 1; // which scrolls
    if (event.button !== 0 || isPage) {
      return;
    }
    const start = pointAt(drawing, event);
    follow(event, drawing.frame, (moved) => {
      const point = pointAt(drawing, moved);
      if (node) {
        dragNode(drawing, node, point);
      } else {
        moveBy(drawing, start.x - point.x, start.y - point.y);
      }
    });
    if (!node && !event.target.closest('.link')) {
      drawing.svg.focus({ preventScroll: true });
    }
  }

  // Follow a pointer that is down, once it has moved far enough, until it is up.
  function follow(event, frame, drag) {
    let dragged = false;
    const move = (moved) => {
      dragged = dragged || Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) > FAR;
      frame.toggleAttribute('data-dragging', dragged);
      if (dragged) {
        drag(moved);
      }
    };
    const end = () => {
      window.removeEventListener('pointermove', move);
      ['pointerup', 'pointercancel'].forEach((name) => window.removeEventListener(name, end));
      frame.removeAttribute('data-dragging');
      if (dragged) {
        skipClick();
      }
    };
    window.addEventListener('pointermove', move);
    ['pointerup', 'pointercancel'].forEach((name) => window.addEventListener(name, end));
  }

  // The click that ends a drag opens nothing.
  function skipClick() {
    const stop = (click) => {
      click.preventDefault();
      click.stopPropagation();
    };
    window.addEventListener('click', stop, { capture: true, once: true });
    window.setTimeout(() => window.removeEventListener('click', stop, { capture: true }), 0);
  }

  // Keys

  function onKey(drawing, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const node = drawing.nodes.find((each) => each.element === event.target);
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const zoom = { '+': 1.4, '=': 1.4, '-': 1 / 1.4 }[event.key];
    if (zoom) {
      zoomBy(drawing, zoom);
    } else if (event.key === '0') {
      showAll(drawing);
    } else if (way && node) {
      onNodeKey(drawing, node, way[0] + way[1], event.shiftKey);
    } else if (way && event.target === drawing.svg) {
      moveBy(drawing, (way[0] * drawing.room.width) / 10 / drawing.zoom, (way[1] * drawing.room.height) / 10 / drawing.zoom);
    } else {
      return;
    }
    event.preventDefault();
  }

  function onNodeKey(drawing, node, by, moves) {
    if (moves) {
      moveNode(drawing, node, by);
      return;
    }
    const shown = drawing.order.filter((each) => each.shown && each.element.matches('a'));
    const next = shown[(shown.indexOf(node) + by + shown.length) % shown.length];
    node.element.setAttribute('tabindex', '-1');
    next.element.setAttribute('tabindex', '0');
    next.element.focus();
  }

  // All drawings

  function showChoice() {
    for (const drawing of drawings) {
      filter(drawing);
      if (drawing.ready || filtered() || chosen.order !== 'alike') {
        prepare(drawing);
        draw(drawing);
      }
      drawing.frame.closest('figure').hidden = filtered() && !drawing.nodes.some((node) => node.shown);
      const stops = drawing.order.filter((node) => node.shown && node.element.matches('a'));
      stops.forEach((node, place) => node.element.setAttribute('tabindex', place ? '-1' : '0'));
    }
    const count = (key) => drawings.reduce((sum, drawing) => sum + drawing[key].filter((each) => each.shown).length, 0);
    const told = document.getElementById('cluster-count');
    const all = drawings.reduce((sum, drawing) => sum + drawing.nodes.length, 0);
    told.textContent = told.dataset.words
      .replace('{nodes}', count('nodes')).replace('{all}', all).replace('{links}', count('links'));
    const isLeast = chosen.from === least;
    const output = filters.querySelector('output');
    output.dataset.least ??= output.textContent;
    controls.from.value = isLeast ? controls.from.min : String(Math.round(100 * chosen.from));
    output.textContent = isLeast ? output.dataset.least : Number((100 * chosen.from).toFixed(1)) + '%';
  }

  // From the threshold on which the clusters are made, a lower one shows nothing more.
  function setThreshold(score) {
    chosen.from = Number.isFinite(score) ? Math.min(1, Math.max(least, score)) : least;
    showChoice();
    const written = chosen.from > least ? '#from=' + chosen.from : '';
    for (const link of document.querySelectorAll('a.to-cluster')) {
      link.hash = written;
    }
  }

  function thresholdOfAddress() {
    const given = /[#?&]from=([\d.]+)/.exec(window.location.search + window.location.hash);
    return given ? Number(given[1]) : least;
  }

  function chooseThreshold() {
    const percent = Number(controls.from.value);
    const score = percent <= 100 * least ? 0 : percent / 100; // where the slider begins, nothing is left out
    if (!onOverview) { // there the address is that of its list
      const hash = score ? '#from=' + score : '';
      window.history.replaceState(null, '', window.location.pathname + window.location.search + hash);
    }
    document.dispatchEvent(new CustomEvent('moss:threshold', { detail: { score } }));
  }

  function tell(drawing, event) {
    const about = event.target.closest('.link, .node');
    if (about) {
      drawing.readout.textContent = about.getAttribute('aria-label');
    }
  }

  // What a drawing needs once somebody works with it: most of an overview are only looked at, or not even that.
  function prepare(drawing) {
    if (drawing.ready) {
      return;
    }
    drawing.ready = true;
    for (const link of drawing.links) { // a line of two pixels is hard to hit
      const wide = link.line.cloneNode();
      wide.setAttribute('class', 'catch');
      wide.removeAttribute('stroke-width');
      link.element.append(wide);
    }
    draw(drawing);
  }

  function setUp(drawing) {
    const { frame, svg, nodes } = drawing;
    frame.toggleAttribute('data-live', true);
    frame.querySelector('.below').hidden = false;
    svg.setAttribute('tabindex', '0');
    svg.setAttribute('aria-describedby', 'ring-keys');
    const begin = () => prepare(drawing);
    svg.addEventListener('pointerenter', begin);
    svg.addEventListener('focusin', begin);
    svg.addEventListener('wheel', (event) => onWheel(drawing, event), { passive: false });
    svg.addEventListener('pointerdown', (event) => onPointer(drawing, event));
    svg.addEventListener('dragstart', (event) => event.preventDefault());
    svg.addEventListener('keydown', (event) => onKey(drawing, event));
    svg.addEventListener('pointerover', (event) => tell(drawing, event));
    svg.addEventListener('focusin', (event) => tell(drawing, event));
    for (const node of nodes) {
      for (const [begins, ends] of [['pointerenter', 'pointerleave'], ['focus', 'blur']]) {
        node.element.addEventListener(begins, () => light(drawing, node));
        node.element.addEventListener(ends, () => light(drawing, null));
      }
    }
    const does = { in: () => zoomBy(drawing, 1.4), out: () => zoomBy(drawing, 1 / 1.4), all: () => showAll(drawing) };
    for (const button of frame.querySelectorAll('[data-zoom]')) {
      button.addEventListener('click', does[button.dataset.zoom]);
    }
  }

  drawings.forEach(setUp);
  filters.hidden = false;
  document.querySelectorAll('.ring-hint').forEach((hint) => { hint.hidden = false; });
  if (controls.state) {
    controls.state.hidden = !states.size;
  }
  for (const key of ['section', 'state', 'order']) {
    if (controls[key]) {
      controls[key].addEventListener('change', () => {
        chosen[key] = controls[key].value;
        drawings.forEach(sort);
        showChoice();
      });
    }
  }
  controls.from.addEventListener('input', chooseThreshold);
  document.addEventListener('moss:threshold', (event) => setThreshold(event.detail.score));
  window.addEventListener('hashchange', () => {
    if (!onOverview || window.location.hash.includes('from=')) {
      setThreshold(thresholdOfAddress());
    }
  });
  setThreshold(thresholdOfAddress());
})();
