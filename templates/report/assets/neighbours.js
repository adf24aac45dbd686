// The neighbours of a pair in the list that it was opened from: the address has the view of that list (?name=rosa&sort=longest),
// and the list's data are read only then. Without a view, the links of the page itself are right.
'use strict';

(function () {
  const nav = document.querySelector('.neighbours');
  const view = new URLSearchParams(window.location.search);
  if (!nav || !Object.keys(PairList.START).some((key) => view.has(key))) {
    return;
  }

  function point(link, list, at, places) {
    link.hidden = !(at in places);
    if (!link.hidden) {
      link.href = PairList.page(nav.dataset.page, places[at] + 1) + '?' + list.query(list.view(view));
    }
  }

  function setUp() {
    const list = new PairList(mossPairs);
    const shown = list.view(view);
    const places = list.places(shown);
    const at = places.indexOf(Number(nav.dataset.number) - 1);
    const all = document.querySelector('[data-key="u"]');
    all.href = all.href.replace(/#.*/, '') + '#pair-' + nav.dataset.number + '&' + list.query(shown);
    if (at >= 0 && list.query(shown)) {
      point(nav.querySelector('[rel="prev"]'), list, at - 1, places);
      point(nav.querySelector('[rel="next"]'), list, at + 1, places);
      const told = document.getElementById('in-list');
      const [place, count] = [at + 1, places.length].map((number) => PairList.grouped(number, told.dataset.thousands));
      told.textContent = told.dataset.told.replace('{place}', place).replace('{shown}', count);
    }
    keepInForms(list, places, at);
  }

  // A decision comes back to this view, or goes on to the next pair of the list that needs review.
  function keepInForms(list, places, at) {
    const isOpen = (place) => list.states && list.states[place] === 'unreviewed';
    const next = places.slice(at + 1).find(isOpen) ?? places.slice(at + 1)[0];
    for (const form of document.querySelectorAll('form[method="post"]')) {
      if (new URL(form.action).pathname.startsWith(window.location.pathname + '/')) {
        form.action += window.location.search;
      }
    }
    for (const button of document.querySelectorAll('[name="then"]')) {
      button.value = at >= 0 && next !== undefined ? String(next + 1) : button.value;
    }
  }

  // Whoever is quicker than the data goes on when they are there.
  let wanted = null;

  function hold(event) {
    event.preventDefault();
    wanted = event.target.closest('a') || wanted;
  }

  function letGo() {
    nav.removeEventListener('click', hold);
    if (wanted && !wanted.hidden) {
      wanted.click();
    }
  }

  nav.addEventListener('click', hold);
  const data = document.createElement('script');
  data.src = nav.dataset.list;
  data.addEventListener('load', setUp);
  data.addEventListener('load', letGo);
  data.addEventListener('error', letGo);
  document.head.append(data);
})();
