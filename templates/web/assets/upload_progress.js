// Waiting: tell how far the worker is, and show the result as soon as it is there.

const place = document.querySelector("#waiting");
const bar = place.querySelector("progress");
const told = place.querySelector("[role=status]");
const steps = [...place.querySelectorAll("[data-stage]")];
let wait = 1000;

function show({ sentence, stage, done, total }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  } else {
    bar.removeAttribute("value");
  }
  if (told.textContent !== sentence) told.textContent = sentence;
  const current = steps.findIndex((step) => step.dataset.stage === stage);
  steps.forEach((step, number) => {
    step.dataset.step = number < current ? "done" : number === current ? "now" : "";
    if (number === current) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  });
}

async function look() {
  try {
    const response = await fetch(place.dataset.status, { headers: { Accept: "application/json" } });
    const answer = await response.json();
    if (answer.state !== "recognising") return location.reload();
    show(answer);
    wait = Math.min(wait * 1.15, 5000);
  } catch {
    told.textContent = place.dataset.silent;
    wait = Math.min(wait * 2, 30000);
  }
  setTimeout(look, wait);
}

setTimeout(look, 500);
