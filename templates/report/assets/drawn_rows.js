// A long table of which only the rows near the window are drawn. Rows come in blocks, each a <tbody>; a block far away is
// one empty row of the same height. The table says how many rows there are, and each row which it is.
'use strict';

class DrawnRows {
  static BLOCK = 20;
  static NEAR = '200px 0px'; // beyond the window

  // `draw(item)` makes the row of an item. `printed` is the sentence that says how much is printed, in numbers as
  // `grouped` writes them.
  constructor(table, draw, printed, grouped) {
    this.table = table;
    this.draw = draw;
    this.printed = printed;
    this.grouped = grouped;
    this.items = [];
    this.blocks = [];
    this.height = 0; // of a row; measured when the first ones can be seen
    this.watch = new IntersectionObserver((entries) => this.onMove(entries), { rootMargin: DrawnRows.NEAR });
    table.tHead.rows[0].setAttribute('aria-rowindex', '1');
    window.addEventListener('beforeprint', () => this.beforePrint());
    window.addEventListener('afterprint', () => this.afterPrint());
  }

  show(items) {
    this.items = items;
    this.table.setAttribute('aria-rowcount', String(items.length + 1));
    this.watch.disconnect();
    this.table.replaceChildren(this.table.tHead);
    this.blocks = [];
    this.wake();
  }

  // Draw what can be seen; nothing as long as the table is behind a tab.
  wake() {
    if (!this.blocks.length && this.items.length && this.table.offsetHeight) {
      this.addBlocks();
      this.drawBlock(this.blocks[0]);
      this.blocks.forEach((block) => this.watch.observe(block.body));
    }
  }

  addBlocks() {
    for (let first = 0; first < this.items.length; first += DrawnRows.BLOCK) {
      this.blocks.push(this.addBlock(first));
    }
  }

  addBlock(first) {
    const count = Math.min(DrawnRows.BLOCK, this.items.length - first);
    const block = { first, count, body: document.createElement('tbody'), isDrawn: false, height: 0 };
    this.table.append(block.body);
    this.leaveBlock(block);
    return block;
  }

  drawBlock(block) {
    if (block.isDrawn) {
      return;
    }
    const rows = this.items.slice(block.first, block.first + block.count).map((item, nth) => {
      const row = this.draw(item);
      row.dataset.index = block.first + nth;
      row.setAttribute('aria-rowindex', String(block.first + nth + 2));
      return row;
    });
    block.body.replaceChildren(...rows);
    block.isDrawn = true;
    if (!this.height && block.body.offsetHeight) {
      this.height = block.body.offsetHeight / block.count;
      this.blocks.filter((other) => !other.isDrawn).forEach((other) => this.leaveBlock(other));
    }
  }

  leaveBlock(block) {
    const row = document.createElement('tr');
    const cell = document.createElement('td');
    row.className = 'undrawn';
    row.setAttribute('aria-hidden', 'true');
    cell.style.height = `${block.height || block.count * (this.height || 36)}px`;
    row.append(cell);
    block.body.replaceChildren(row);
    block.isDrawn = false;
  }

  onMove(entries) {
    const blocks = new Map(this.blocks.map((block) => [block.body, block]));
    const known = entries.filter((entry) => blocks.has(entry.target));
    for (const entry of known.filter((each) => !each.isIntersecting && each.boundingClientRect.height)) {
      const block = blocks.get(entry.target);
      if (block.isDrawn && !block.body.contains(document.activeElement)) {
        block.height = entry.boundingClientRect.height;
        this.leaveBlock(block);
      }
    }
    known.filter((entry) => entry.isIntersecting).forEach((entry) => this.drawBlock(blocks.get(entry.target)));
  }

  // The row of the item at this index of the list, drawn if it was not.
  row(index) {
    const block = this.blocks[Math.floor(index / DrawnRows.BLOCK)];
    this.drawBlock(block);
    return block.body.rows[index - block.first];
  }

  // Paper gets the first rows, and a sentence that says so.

  beforePrint() {
    const most = Number(this.table.dataset.first);
    if (!this.blocks.length) {
      this.addBlocks();
    }
    for (const block of this.blocks) {
      block.body.hidden = block.first >= most;
      if (!block.body.hidden) {
        this.drawBlock(block);
      }
    }
    this.printed.hidden = this.items.length <= most;
    this.printed.textContent = this.printed.dataset.told
      .replace('{printed}', this.grouped(most)).replace('{all}', this.grouped(this.items.length));
  }

  afterPrint() {
    this.printed.hidden = true;
    for (const block of this.blocks) {
      block.body.hidden = false;
      this.watch.unobserve(block.body);
      this.watch.observe(block.body); // tells again whether it is near the window
    }
  }
}
