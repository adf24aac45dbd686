// The page of a run that goes on: it asks how far the run is, and leaves when the run is over.

const section = document.querySelector("[data-state-url]");
const [now, bar, left] = ["run-now", "run-bar", "run-left"].map((id) => document.getElementById(id));
const pairs = document.getElementById("run-pairs");
const stages = [...document.querySelectorAll("[data-stage]")];

const EAGER = 1000; // milliseconds between two questions
const PATIENT = 10000; // after failures, or when nobody looks

function show(run) {
  if (now.textContent !== run.sentence) now.textContent = run.sentence;
  left.textContent = run.left;
  if (pairs.last !== run.pairs) pairs.innerHTML = pairs.last = run.pairs;
  if (run.share === null) bar.removeAttribute("value");
  else bar.value = run.share;
  const current = stages.findIndex((item) => item.dataset.stage === run.stage);
  stages.forEach((item, place) => {
    item.dataset.step = place < current ? "done" : place === current ? "now" : "";
    if (place === current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
}

async function ask() {
  const response = await fetch(section.dataset.stateUrl, { headers: { Accept: "application/json" } });
  if (response.redirected || response.status === 404) return location.reload(); // logged out, or deleted
  if (!response.ok) throw new Error(response.statusText);
  const run = await response.json();
  if (run.report) return location.replace(run.report);
  if (["failed", "cancelled"].includes(run.state)) return location.reload();
  show(run);
}

async function watch() {
  let pause = document.hidden ? PATIENT : EAGER;
  try {
    await ask();
  } catch {
    left.textContent = section.dataset.silent;
    pause = PATIENT;
  }
  setTimeout(watch, pause);
}

watch();
