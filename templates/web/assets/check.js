// The page of a check: it asks how far the check is, shows what is new, and stays where it is when the report is there.

const page = document.querySelector(".check");
const [now, bar] = ["check-now", "check-bar"].map((id) => document.getElementById(id));

const EAGER = 1000; // milliseconds between two questions
const PATIENT = 10000; // after failures, or when nobody looks
let known = page.dataset.known;
let counted = ""; // a mark of the counts, which each correction may change
let waiting = null; // the next question
const shown = {}; // what each part was last given

// A part is replaced only where it has changed, and never under the hands of somebody who works in it.
function put(name, html) {
  const part = page.querySelector(`[data-part="${name}"]`);
  if (html === undefined || shown[name] === html || !part || part.contains(document.activeElement)) return false;
  part.innerHTML = shown[name] = html;
  return true;
}

function show(check) {
  if (now.textContent !== check.now) now.textContent = check.now;
  document.title = page.dataset.title.replace("{now}", check.now);
  if (check.share === null) bar.removeAttribute("value");
  else bar.value = check.share;
  for (const each of document.querySelectorAll("[data-while-busy]")) each.hidden = check.over;
  for (const name of ["steps", "end", "pairs"]) put(name, check[name]);
  if (put("found", check.found)) known = check.known;
  if (put("counts", check.counts)) counted = check.counted;
}

async function ask() {
  const response = await fetch(`${page.dataset.stateUrl}?${new URLSearchParams({ known, counted })}`, { headers: { Accept: "application/json" } });
  if (response.redirected || response.status === 404) return location.reload(); // logged out, or deleted
  if (!response.ok) throw new Error(response.statusText);
  const check = await response.json();
  show(check);
  return check.settled && check.known === known;
}

async function watch() {
  clearTimeout(waiting);
  let pause = document.hidden ? PATIENT : EAGER;
  try {
    if (await ask()) return;
  } catch {
    now.textContent = page.dataset.silent;
    pause = PATIENT;
  }
  waiting = setTimeout(watch, pause);
}

// A link to what is folded away unfolds it.
document.addEventListener("click", ({ target }) => {
  const address = target.closest?.('a[href^="#"]')?.getAttribute("href");
  const folded = address && document.querySelector(address)?.closest("details");
  if (folded) folded.open = true;
});

document.addEventListener("corrected", watch);
if (page.dataset.settled === "0") waiting = setTimeout(watch, EAGER / 2);
