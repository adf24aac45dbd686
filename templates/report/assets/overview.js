// The overview: one section at a time, a threshold on the histogram, and a list of pairs to sort, filter and save. Without
// this script all sections follow each other, and the page has the first rows of its lists.
//
// The address has the place and the view of the pairs (#clusters&from=0.28, #pair-15&name=ada&sort=longest), so that it
// can be sent on, and so that the way back leads to where one was. The place is a section, something in one, or a pair.
'use strict';

(function () {
  const panels = Array.from(document.querySelectorAll('.tab-panel'));
  const tabs = Array.from(document.querySelectorAll('.tabs a'));
  const table = document.getElementById('pairs-table');
  const list = typeof mossPairs === 'undefined' ? null : new PairList(mossPairs);
  const bars = Array.from(document.querySelectorAll('#histogram a'));
  const handle = document.getElementById('threshold');
  const inputs = {};
  const texts = new Set(['a', 'b', 'standing', 'state']);
  const columns = [
    'rank', 'a', 'b', 'score', 'share_a', 'share_b', 'tokens', 'longest', 'rarity', 'cluster', 'above', 'standing',
  ];
  let place = '';
  let view = { ...PairList.START };
  let places = []; // of the pairs that are listed, in their order
  let rows = null;
  const long = []; // the tables whose rows are drawn
  let writing = 0; // the timer that writes the address
  let isTold = false; // a new threshold is being told, by this script or by that of the clusters

  // The address

  function readAddress() {
    const parts = window.location.hash.slice(1).split('&');
    place = parts[0].includes('=') ? '' : parts.shift();
    const before = view.from;
    if (list) {
      view = list.view(new URLSearchParams(parts.join('&')));
    }
    showPanel();
    showList();
    showPlace();
    tellThreshold(before);
  }

  function address() {
    const hash = [place, list ? list.query(view) : ''].filter(Boolean).join('&');
    return window.location.pathname + window.location.search + (hash ? '#' + hash : '');
  }

  function writeAddress() {
    window.clearTimeout(writing);
    window.history.replaceState(null, '', address());
  }

  // A link within the page changes the section in place: the view stays, and the way back leads to the section before.
  function follow(event) {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.getAttribute('href').slice(1));
    if (!target || !target.closest('.tab-panel') || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    if (place !== target.id) {
      place = target.id;
      window.history.pushState(null, '', address());
      window.dispatchEvent(new HashChangeEvent('hashchange'));
    }
  }

  // Sections

  function shownPanel() {
    const found = place && document.getElementById(place);
    return (found && found.closest('.tab-panel')) || panels[0];
  }

  function showPanel() {
    const shown = shownPanel();
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
    long.forEach((one) => one.wake());
  }

  // What an address names within a section is brought into sight; a pair also gets the focus.
  function showPlace() {
    for (const element of document.querySelectorAll('[data-here]')) {
      element.removeAttribute('data-here');
    }
    const pair = /^pair-(\d+)$/.exec(place);
    const index = pair ? places.indexOf(Number(pair[1]) - 1) : -1;
    const target = index < 0 ? place && document.getElementById(place) : rows.row(index);
    if (target && !panels.includes(target)) {
      target.setAttribute('data-here', '');
      target.scrollIntoView({ block: index < 0 ? 'nearest' : 'center' });
    }
    if (index >= 0) {
      target.querySelector('a.open').focus({ preventScroll: true });
    }
  }

  // The list of pairs

  function change(part, where = '') {
    const before = view.from;
    view = { ...view, ...part };
    place = where;
    showPanel();
    showList();
    tellThreshold(before);
  }

  function changeNow(part) {
    change(part);
    writeAddress();
  }

  function showList() {
    if (rows) {
      places = list.places(view);
      rows.show(places);
      showState();
    }
  }

  function showState() {
    for (const [key, input] of Object.entries(inputs)) {
      const value = asTyped(key);
      if (input.value !== value && document.activeElement !== input) {
        input.value = value;
      }
    }
    for (const heading of table.tHead.rows[0].cells) {
      heading.removeAttribute('aria-sort');
      if (heading.dataset.key === view.sort) {
        heading.setAttribute('aria-sort', view.order);
      }
    }
    const isFiltered = list.isFiltered(view);
    const told = document.getElementById('filter-count');
    told.textContent = isFiltered ? told.dataset.some.replace('{shown}', grouped(places.length)) : told.dataset.all;
    document.getElementById('filter-clear').hidden = !isFiltered;
    const onPaper = document.getElementById('pairs-filtered'); // where the fields of the filter are not
    onPaper.hidden = !isFiltered;
    onPaper.textContent = onPaper.dataset.told.replace('{shown}', grouped(places.length));
    document.getElementById('nothing-found').hidden = places.length > 0;
    if (handle) {
      showThreshold();
    }
  }

  function asTyped(key) {
    const isScore = key === 'from' || key === 'to';
    return isScore && view[key] !== '' ? String(Number((100 * view[key]).toFixed(1))) : view[key];
  }

  function clear() {
    for (const input of Object.values(inputs)) {
      input.value = '';
    }
    changeNow(Object.fromEntries(PairList.FILTERS.map((key) => [key, ''])));
  }

  function sortBy(key) {
    const numbersDown = !texts.has(key) && !['rank', 'cluster'].includes(key);
    const first = numbersDown ? 'descending' : 'ascending';
    const turned = view.order === 'ascending' ? 'descending' : 'ascending';
    changeNow({ sort: key, order: view.sort === key ? turned : first });
  }

  // Rows: copies of a blank one, filled in.

  function percent(millionths) {
    const whole = evenly(100 * (millionths / PairList.ALL));
    if (!whole && millionths) {
      return table.dataset.little;
    }
    return table.dataset.percent.replace('{n}', millionths < PairList.ALL ? Math.min(99, whole) : 100);
  }

  // Rounded as the rest of the page is: a half to the even number.
  function evenly(number) {
    const rounded = Math.round(number);
    return number % 1 === 0.5 && rounded % 2 ? rounded - 1 : rounded;
  }

  function grouped(number) {
    return PairList.grouped(number, table.dataset.thousands);
  }

  function fillText(element, texts, markup, number) {
    if (Object.hasOwn(markup, number)) {
      element.innerHTML = markup[number]; // made by moss: boxes in place of characters that cannot be seen
    } else {
      element.textContent = texts[number];
    }
  }

  function fillName(element, number) {
    const { id, markup } = list.data.submissions;
    fillText(element.querySelector('bdi'), id, markup, number);
  }

  function fillKind(element, number) {
    const { kind } = list.data.submissions;
    const badge = element.querySelector('.badge');
    if (kind[number] === '0') {
      badge.remove();
    } else {
      badge.textContent = list.data.kinds[kind[number] - 1][1];
    }
  }

  // A submission with a page is a link to it.
  function linkName(element, number, pattern) {
    if (paged.has(number)) {
      element.querySelector('a').href = PairList.page(pattern, number + 1);
    } else {
      element.querySelector('a').replaceWith(element.querySelector('bdi'));
    }
  }

  function fillScore(row, score, standing) {
    const bar = row.querySelector('.score-bar');
    bar.dataset.standing = ['ordinary', 'above', 'far above'][standing];
    bar.querySelector('rect').setAttribute('width', (score / 10000).toFixed(1) + '%');
    bar.querySelector('b').textContent = percent(score);
  }

  function fillCell(row, name, text) {
    row.querySelector('.' + name).textContent = text;
  }

  const blank = (id) => document.getElementById(id).content.querySelector('tr').cloneNode(true);

  function drawPair(at) {
    const row = blank('pair-row');
    const pairs = list.pairs;
    const rank = at + 1;
    row.id = 'pair-' + rank;
    row.dataset.rank = rank;
    fillCell(row, 'rank', rank);
    row.querySelector('.open').href = pageOf(rank);
    const [a, b] = row.querySelectorAll('.name');
    for (const [name, number] of [[a, pairs.a[at]], [b, pairs.b[at]]]) {
      fillName(name, number);
      fillKind(name, number);
    }
    fillRemark(row, list.data.remarks[pairs.remark[at]]);
    fillFurther(row, at);
    fillScore(row, pairs.score[at], pairs.standing[at]);
    fillStanding(row, pairs.standing[at]);
    const [ofA, ofB] = row.querySelectorAll('.share .value');
    ofA.textContent = pairs.share_a[at] ? percent(pairs.share_a[at]) : '–';
    ofB.textContent = pairs.share_b[at] ? percent(pairs.share_b[at]) : '–';
    fillCell(row, 'longest', grouped(pairs.longest[at]));
    fillCell(row, 'tokens', grouped(pairs.tokens[at]));
    fillCell(row, 'rarity', pairs.rarity[at] / 10);
    fillCluster(row, pairs.cluster[at]);
    fillState(row, list.states && list.states[at]);
    return row;
  }

  function pageOf(rank) {
    const query = list.query(view);
    return PairList.page(table.dataset.page, rank) + (query ? '?' + query : '');
  }

  function fillRemark(row, remark) {
    if (remark) {
      fillCell(row, 'remark', remark);
    } else {
      row.querySelector('.remark').remove();
    }
  }

  // How many pairs of the student with texts of this kind are not listed; the student's page has them.
  function fillFurther(row, at) {
    const link = row.querySelector('.further');
    const further = list.further(at);
    if (further) {
      link.textContent = table.dataset.further.replace('{n}', grouped(further));
      link.href = PairList.page(table.dataset.student, list.student(at) + 1);
    } else {
      link.remove();
    }
  }

  function fillStanding(row, standing) {
    const shown = row.querySelector('.standing');
    shown.dataset.standing = ['ordinary', 'above', 'far above'][standing];
    shown.textContent = table.dataset.standings.split('|')[standing];
  }

  function fillCluster(row, cluster) {
    if (cluster) {
      const link = row.querySelector('.cluster a');
      link.href = '#cluster-' + cluster;
      link.textContent = cluster;
    } else {
      fillCell(row, 'cluster', '–');
    }
  }

  function fillState(row, state) {
    if (state) {
      const badge = document.createElement('span');
      badge.className = 'badge';
      badge.dataset.state = state;
      badge.textContent = inputs.state.querySelector('[value="' + state + '"]').textContent;
      row.querySelector('.state-column').append(badge);
    }
  }

  function drawStudent(number) {
    const row = blank('student-row');
    const { best, standing, languages, language, files, tokens } = list.data.submissions;
    fillName(row.cells[0], number);
    fillKind(row.cells[0], number);
    linkName(row.cells[0], number, document.getElementById('students-table').dataset.page);
    if (tokens[number]) fillScore(row, best[number], standing[number]);
    else row.cells[1].textContent = '–';  // nothing of it could be compared
    fillCells(row, [languages[language[number]], files[number], grouped(tokens[number])]);
    return row;
  }

  function drawFile([place, number]) {
    const row = blank('file-row');
    const { paths, markup, path, languages, language, lines, tokens, status } = list.data.files;
    const told = document.getElementById('files-table').dataset;
    fillText(row.querySelector('th bdi'), paths, markup, path[place]);
    fillName(row.querySelector('.of'), number);
    linkName(row.querySelector('.of'), number, told.page);
    fillCells(row, [languages[language[place]], grouped(lines[place]), grouped(tokens[place]), told.read.split('|')[status[place]]]);
    return row;
  }

  function fillCells(row, texts) {
    texts.forEach((text, nth) => { row.cells[nth + 2].textContent = text; });
  }

  // The threshold

  function thresholdPlace() {
    return Math.round(200 * view.from);
  }

  function showThreshold() {
    const [clusters, sentence] = list.data.thresholds[thresholdPlace()];
    const told = document.getElementById('threshold-told');
    handle.style.setProperty('--at', Number(view.from));
    handle.setAttribute('aria-valuenow', String(100 * view.from));
    handle.setAttribute('aria-valuetext', sentence);
    told.textContent = view.from === '' ? told.dataset.hint : sentence;
    bars.forEach(markBar);
    showCount('#pairs', view.from === '' ? null : list.places({ ...PairList.START, from: view.from }).length);
    showCount('#clusters', Number(view.from) > leastOfClusters() ? clusters : null);
  }

  // Clusters are there from a score on; below it all are shown, and without a drawing always.
  function leastOfClusters() {
    const filters = document.querySelector('.cluster-filters');
    return filters ? Number(filters.dataset.least) : 1;
  }

  function showCount(hash, count) {
    const shown = document.querySelector('.tabs a[href="' + hash + '"] .count');
    if (shown) {
      shown.dataset.whole ??= shown.textContent;
      shown.textContent = count === null ? shown.dataset.whole : grouped(count);
    }
  }

  function tellThreshold(before) {
    if (view.from !== before && !isTold) {
      isTold = true;
      document.dispatchEvent(new CustomEvent('moss:threshold', { detail: { score: Number(view.from) } }));
      isTold = false;
    }
  }

  // The slider of the clusters was moved: the handle follows it, as it follows the handle.
  function followThreshold(event) {
    if (!isTold) {
      isTold = true;
      moveThreshold(event.detail.score);
      isTold = false;
    }
  }

  // The section stays as it is. The address is written a moment later: browsers refuse to do it for every step.
  function moveThreshold(score) {
    const from = PairList.asScore(Math.min(1, Math.max(0, score)));
    if (from !== view.from) {
      const isPair = /^pair-\d+$/.test(place);
      change({ from, to: Number(view.to) > Number(from) ? view.to : '' }, isPair ? '' : place);
      window.clearTimeout(writing);
      writing = window.setTimeout(writeAddress, 150);
    }
  }

  function drag(event) {
    const plot = document.getElementById('histogram').getBoundingClientRect();
    moveThreshold(Math.round((100 * (event.clientX - plot.left)) / plot.width) / 100);
  }

  function onHandleKey(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    const to = { Home: 0, End: 1 }[event.key];
    if (by !== undefined || to !== undefined) {
      event.preventDefault();
      moveThreshold(to ?? Number(view.from) + by / 100);
    }
  }

  function setUpThreshold() {
    document.addEventListener('moss:threshold', followThreshold);
    handle.addEventListener('keydown', onHandleKey);
    handle.addEventListener('pointerdown', (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.addEventListener('pointermove', drag);
    });
    for (const end of ['pointerup', 'pointercancel']) {
      handle.addEventListener(end, () => handle.removeEventListener('pointermove', drag));
    }
  }

  function markBar(bar) {
    bar.toggleAttribute('data-below', Number(bar.dataset.to) <= Number(view.from));
    if (isChosen(bar)) {
      bar.setAttribute('aria-current', 'true');
    } else {
      bar.removeAttribute('aria-current');
    }
  }

  function isChosen(bar) {
    return view.to !== '' && Number(bar.dataset.from) >= Number(view.from) && Number(bar.dataset.to) <= Number(view.to);
  }

  function chooseBar(event) {
    event.preventDefault();
    const { from, to } = event.currentTarget.dataset;
    const isAgain = event.currentTarget.hasAttribute('aria-current');
    changeNow(isAgain ? { from: '', to: '' } : { from: PairList.asScore(from), to: PairList.asScore(to) });
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

  // The file

  // A text that a spreadsheet could take for a formula, perhaps behind something unseen, gets an apostrophe.
  function harmless(text) {
    const formula = /^[\s\0\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
    return formula.test(text) ? "'" + text : text;
  }

  const angle = (score) => Math.asin(Math.sqrt(score));
  const cells = {
    rank: (at) => at + 1,
    a: (at) => list.ids[list.pairs.a[at]],
    b: (at) => list.ids[list.pairs.b[at]],
    score: (at) => (list.pairs.score[at] / PairList.ALL).toFixed(6),
    share_a: (at) => (list.pairs.share_a[at] / PairList.ALL).toFixed(4),
    share_b: (at) => (list.pairs.share_b[at] / PairList.ALL).toFixed(4),
    tokens: (at) => list.pairs.tokens[at],
    longest: (at) => list.pairs.longest[at],
    rarity: (at) => (list.pairs.rarity[at] / 10).toFixed(1),
    cluster: (at) => list.pairs.cluster[at] || '',
    above: (at) => ((angle(list.pairs.score[at] / PairList.ALL) - angle(list.data.typical)) / list.data.spread).toFixed(2),
    standing: (at) => ['ordinary', 'above', 'far above'][list.pairs.standing[at]],
    state: (at) => list.states[at],
    reference: (at) => list.data.kinds[list.kindOf(at) - 1]?.[0] ?? '',
  };

  function cell(at, key) {
    const value = String(cells[key](at));
    return '"' + (texts.has(key) ? harmless(value) : value).replaceAll('"', '""') + '"';
  }

  function csv() {
    const lines = places.map((at) => columns.map((key) => cell(at, key)));
    return [columns, ...lines].map((line) => line.join(',') + '\r\n').join('');
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

  function focusedIndex() {
    const row = document.activeElement.closest('#pairs-table tr[data-index]');
    return row ? Number(row.dataset.index) : -1;
  }

  function goTo(index) {
    if (places.length && table.offsetHeight) {
      const row = rows.row(Math.min(places.length - 1, Math.max(0, index)));
      row.querySelector('a.open').focus({ preventScroll: true });
      row.scrollIntoView({ block: 'nearest' });
    }
  }

  function step(by) {
    goTo(focusedIndex() < 0 ? 0 : focusedIndex() + by);
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
  const rowKeys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => goTo(0), End: () => goTo(Infinity) };

  function onKey(event) {
    const isTyping = event.target.closest('input, textarea, select, dialog');
    const known = focusedIndex() < 0 ? keys : { ...keys, ...rowKeys };
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(known, event.key)) {
      return;
    }
    event.preventDefault();
    known[event.key]();
  }

  // Opening a pair leaves its row in the address, so that the way back leads to it.
  function rememberRow(event) {
    const link = event.target.closest('a.open');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      place = link.closest('tr').id;
      writeAddress();
    }
  }

  // Setting up

  const paged = new Set(list ? [...list.pairs.a, ...list.pairs.b] : []);

  function setUpInputs() {
    for (const key of ['name', 'from', 'to', 'standing']) {
      inputs[key] = document.getElementById('filter-' + key);
    }
    const kind = document.getElementById('filter-kind');
    if (kind) {
      inputs.kind = kind;
    }
    if (list.states) {
      document.getElementById('states').hidden = false;
      table.setAttribute('data-states', '');
      inputs.state = document.getElementById('filter-state');
      columns.push('state');
    }
    if (list.data.kinds.length) {
      columns.push('reference');
    }
    const asScore = (text) => PairList.asScore(Number.parseFloat(text) / 100);
    for (const [key, input] of Object.entries(inputs)) {
      const read = key === 'from' || key === 'to' ? asScore : String;
      input.addEventListener('input', () => changeNow({ [key]: read(input.value) }));
    }
    inputs.name.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        clear();
      }
    });
  }

  function setUpList() {
    setUpInputs();
    if (handle) {
      setUpThreshold();
    }
    for (const element of document.querySelectorAll('.needs-script')) {
      element.hidden = false;
    }
    table.hidden = false;
    rows = new DrawnRows(table, drawPair, document.getElementById('pairs-printed'), grouped);
    long.push(rows);
    table.addEventListener('click', rememberRow);
    for (const button of table.querySelectorAll('[data-sort]')) {
      button.addEventListener('click', () => sortBy(button.dataset.sort));
    }
    bars.forEach((bar, nth) => {
      bar.setAttribute('tabindex', nth ? '-1' : '0');
      bar.addEventListener('keydown', onBarKey);
      bar.addEventListener('click', chooseBar);
    });
    document.getElementById('filter-clear').addEventListener('click', clear);
    document.getElementById('download').addEventListener('click', download);
    document.getElementById('help-open').addEventListener('click', keys['?']);
    document.getElementById('help-close').addEventListener('click', () => document.getElementById('help').close());
    document.addEventListener('keydown', onKey);
  }

  function setUpTable(name, draw, items) {
    const element = document.getElementById(name + '-table');
    if (element) { // a short one is in the page
      element.hidden = false;
      const drawn = new DrawnRows(element, draw, document.getElementById(name + '-printed'), grouped);
      long.push(drawn);
      drawn.show(items);
    }
  }

  // Each file with the number of its submission.
  function filesInOrder() {
    const owners = list.data.submissions.files.flatMap((count, number) => new Array(count).fill(number));
    return owners.map((number, place) => [place, number]);
  }

  // A page whose data are missing shows what readers without scripts see, and says so.
  function doWithout() {
    for (const page of document.querySelectorAll('.tab-panel noscript')) {
      page.insertAdjacentHTML('afterend', page.textContent);
    }
    const told = document.getElementById('list-missing');
    if (told) {
      told.hidden = false;
    }
  }

  document.documentElement.toggleAttribute('data-tabbed', true);
  showPanel();
  document.addEventListener('click', follow);
  window.addEventListener('hashchange', readAddress);
  if (list && table) {
    setUpList();
  }
  if (list) {
    setUpTable('students', drawStudent, list.ids.map((_, number) => number));
    setUpTable('files', drawFile, filesInOrder());
  } else {
    doWithout();
  }
  readAddress();
  // A browser goes to the place of the address by itself, once the page is loaded, and takes the focus from the row.
  window.addEventListener('load', showPlace);
})();
