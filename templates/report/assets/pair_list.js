// The list of pairs: which of them a view shows, and in which order. The overview draws it, and the page of a pair finds
// its neighbours in it. The data are columns (mossPairs, in pairs.js); a place is an index into them, from 0.
//
// A view is part of an address: name=rosa&from=0.28&to=0.6&standing=far&state=suspicious&kind=chatbot&sort=longest&order=descending.
'use strict';

class PairList {
  static START = { name: '', from: '', to: '', standing: '', state: '', kind: '', sort: 'rank', order: 'ascending' };
  static FILTERS = ['name', 'from', 'to', 'standing', 'state', 'kind'];
  static STANDINGS = ['ordinary', 'above', 'far']; // by the digits of the data
  static STATES = ['unreviewed', 'suspicious', 'confirmed', 'dismissed', 'partners'];
  static ALL = 1000000; // a score of 1

  constructor(data) {
    this.data = data;
    this.pairs = data.pairs;
    this.ids = data.submissions.id;
    this.length = this.pairs.a.length;
    this.states = PairList.statesOf(data, this.length);
    this.columns = new Map(); // what pairs are sorted by, computed when it is first needed
  }

  // The state of each pair; null if the data have none. A pair that nobody has to review has no state.
  static statesOf(data, length) {
    const given = Object.entries(data.states || {}).filter(([, ranks]) => ranks.length);
    if (!given.length) {
      return null;
    }
    const states = new Array(length).fill('');
    for (const [state, ranks] of given) {
      ranks.forEach((rank) => { states[rank - 1] = state; });
    }
    return states;
  }

  // The page of a pair or a submission; `pattern` is the address of number 0.
  static page(pattern, number) {
    return pattern.replace(/0+(?=\.html$|$)/, (zeros) => String(number).padStart(zeros.length, '0'));
  }

  // A number with a mark between its thousands.
  static grouped(number, mark) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, mark);
  }

  // Views

  view(params) {
    const read = { ...PairList.START };
    for (const key of Object.keys(read)) {
      read[key] = params.get(key) ?? read[key];
    }
    read.from = PairList.asScore(read.from);
    read.to = PairList.asScore(read.to);
    read.standing = PairList.STANDINGS.includes(read.standing) ? read.standing : '';
    read.state = this.states && PairList.STATES.includes(read.state) ? read.state : '';
    read.kind = read.kind === 'none' || this.kindNumber(read.kind) ? read.kind : '';
    read.sort = this.isSortable(read.sort) ? read.sort : PairList.START.sort;
    read.order = read.order === 'descending' ? 'descending' : 'ascending';
    return read;
  }

  // A score from 0 to 1 in steps of half a percent; nothing if it is none, or if it leaves nothing out.
  static asScore(text) {
    const score = Math.round(200 * Number.parseFloat(text)) / 200;
    return score > 0 && score <= 1 ? String(score) : '';
  }

  query(view) {
    const changed = Object.keys(PairList.START).filter((key) => view[key] !== PairList.START[key]);
    return new URLSearchParams(changed.map((key) => [key, view[key]])).toString();
  }

  isFiltered(view) {
    return PairList.FILTERS.some((key) => view[key] !== '');
  }

  // The places of the pairs that a view shows, in its order.
  places(view) {
    const isIn = this.filter(view);
    const { behind } = this.pairs;
    const shown = new Set(); // of a student's pairs with several of one kind, the best that is in the view
    const places = [];
    for (let place = 0; place < this.length; place += 1) {
      const best = behind[place] || place + 1;
      if (!shown.has(best) && isIn(place)) {
        shown.add(best);
        places.push(place);
      }
    }
    if (view.sort === 'rank') {
      return view.order === 'descending' ? places.reverse() : places;
    }
    const column = this.column(view.sort);
    const sign = view.order === 'descending' ? -1 : 1;
    return places.sort((one, other) => sign * (column[one] - column[other]) || one - other);
  }

  filter(view) {
    const { a, b, score, standing } = this.pairs;
    const kind = this.kindNumber(view.kind);
    const least = view.from === '' ? 0 : Math.round(PairList.ALL * view.from);
    const most = view.to === '' || Number(view.to) === 1 ? Infinity : Math.round(PairList.ALL * view.to);
    const digit = view.standing === '' ? '' : String(PairList.STANDINGS.indexOf(view.standing));
    const words = PairList.fold(view.name).split(/\s+/).filter(Boolean).map((word) => this.whoseNameHas(word));
    return (place) => score[place] >= least && score[place] < most &&
      (digit === '' || standing[place] === digit) &&
      (view.state === '' || this.states[place] === view.state) &&
      (view.kind === '' || this.kindOf(place) === kind) &&
      words.every((has) => has[a[place]] || has[b[place]]);
  }

  // Kinds of what is compared with: a digit for each submission, 0 for those of the class; of a pair, one side's.

  kindNumber(kind) {
    return 1 + this.data.kinds.findIndex(([value]) => value === kind);
  }

  kindOf(place) {
    const { kind } = this.data.submissions;
    return Math.max(kind[this.pairs.a[place]], kind[this.pairs.b[place]]);
  }

  // The side of a pair that is no reference.
  student(place) {
    const { a, b } = this.pairs;
    return this.data.submissions.kind[a[place]] === '0' ? a[place] : b[place];
  }

  // How many pairs are listed as this one.
  further(place) {
    this.behind ??= this.pairs.behind.reduce((count, rank) => count.set(rank, (count.get(rank) || 0) + 1), new Map());
    return this.behind.get(place + 1) || 0;
  }

  // In small letters; of the Turkish İ these are an i and a dot that an i already has.
  static fold(text) {
    return text.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i');
  }

  whoseNameHas(word) {
    this.folded ??= this.ids.map(PairList.fold);
    return this.folded.map((name) => name.includes(word));
  }

  // Sorting: for each key a number of each pair.

  isSortable(key) {
    return Object.hasOwn(PairList.SORTS, key);
  }

  column(key) {
    if (!this.columns.has(key)) {
      this.columns.set(key, PairList.SORTS[key](this));
    }
    return this.columns.get(key);
  }

  static SORTS = {
    rank: (list) => list.pairs.a.map((_, place) => place),
    a: (list) => list.pairs.a.map((number) => list.alphabet()[number]),
    score: (list) => list.pairs.score,
    above: (list) => list.pairs.score,
    share: (list) => list.pairs.share_a.map((share, place) => Math.max(share, list.pairs.share_b[place])),
    longest: (list) => list.pairs.longest,
    tokens: (list) => list.pairs.tokens,
    rarity: (list) => list.pairs.rarity,
    cluster: (list) => list.pairs.cluster.map((number) => number || Infinity),
  };

  // The place of each submission in the order of names.
  alphabet() {
    if (!this.inAlphabet) {
      const collator = new Intl.Collator(undefined, { numeric: true });
      const order = this.ids.map((_, number) => number).sort((one, other) => collator.compare(this.ids[one], this.ids[other]));
      this.inAlphabet = [];
      order.forEach((number, place) => { this.inAlphabet[number] = place; });
    }
    return this.inAlphabet;
  }
}
