// The case of a pair: its panel stays open from pair to pair, and a note that was begun waits until one comes back.

const panel = document.getElementById("case");
const OPEN = "moss-case-open";

function kept(storage, key, value) {
  try {
    if (value === undefined) return storage.getItem(key);
    if (value) storage.setItem(key, value);
    else storage.removeItem(key);
  } catch {
    // storage may be forbidden; then each page begins anew
  }
  return null;
}

function setUp() {
  const note = panel.querySelector("[name=note]");
  const draft = `moss-note ${location.pathname}`;
  if (kept(localStorage, OPEN) || location.hash === "#case") panel.open = true;
  panel.addEventListener("toggle", () => kept(localStorage, OPEN, panel.open ? "yes" : ""));
  if (!note) return;
  note.value = kept(sessionStorage, draft) ?? "";
  note.addEventListener("input", () => kept(sessionStorage, draft, note.value));
  note.form.addEventListener("submit", () => kept(sessionStorage, draft, ""));
}

if (panel) setUp();
