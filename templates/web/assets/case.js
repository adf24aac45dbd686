// The case of a pair: keys choose a decision, the panel stays open and in place, and a note that was begun waits until one
// comes back.

const panel = document.getElementById("case");
const form = document.querySelector("form.decision");
const OPEN = "moss-case-open";
const PLACE = "moss-case-place";
const SENT = "moss-note-sent";

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

function onKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.contains(event.target)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[name=then]") ?? form.querySelector("[type=submit]"));
    return;
  }
  const typing = event.target.closest("select, textarea, dialog, input:not([type=radio], [type=checkbox])");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const choice = [...form.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
  if (!choice) return;
  event.preventDefault();
  if (panel) panel.open = true;
  choice.checked = true;
  choice.focus({ preventScroll: Boolean(panel) });
}

// A note is forgotten once a page says that it was saved, not when it is sent: the server may refuse it.
function keepDraft() {
  const note = form.querySelector("[name=note]");
  const draft = `moss-note ${location.pathname}`;
  if (document.querySelector('.toast, .note[data-tone="done"]')) kept(sessionStorage, kept(sessionStorage, SENT) ?? draft, "");
  kept(sessionStorage, SENT, "");
  note.value = kept(sessionStorage, draft) ?? "";
  note.addEventListener("input", () => kept(sessionStorage, draft, note.value));
  form.addEventListener("submit", () => kept(sessionStorage, SENT, draft));
}

// After saving, the page comes back as it was: as far down, and with the same passage chosen.
function keepPlace() {
  const place = JSON.parse(kept(sessionStorage, PLACE) ?? "null");
  kept(sessionStorage, PLACE, "");
  if (place?.path === location.pathname && location.hash === "#case") {
    if (place.hash) location.replace(place.hash);
    else history.replaceState(null, "", location.pathname);
    window.addEventListener("load", () => window.scrollTo({ top: place.top, behavior: "instant" }));
  }
  form.addEventListener("submit", () => {
    const now = { path: location.pathname, hash: location.hash, top: window.scrollY };
    kept(sessionStorage, PLACE, JSON.stringify(now));
  });
}

if (panel) {
  if (kept(localStorage, OPEN) || location.hash === "#case") panel.open = true;
  panel.addEventListener("toggle", () => kept(localStorage, OPEN, panel.open ? "yes" : ""));
}
if (form) {
  keepDraft();
  keepPlace();
  document.addEventListener("keydown", onKey);
}
