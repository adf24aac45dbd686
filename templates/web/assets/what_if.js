// What if: each change of the form is asked at once, and the answer takes the place of the last one.

const form = document.getElementById("wishes");
const asking = document.getElementById("asking");
const answer = () => document.getElementById("answer");

const PAUSE = 350; // milliseconds after the last change before it is asked
const AGAIN = 1500; // when the server is busy

let timer = 0;
let busy = false;
let changed = false;

function address() {
  const given = [...new FormData(form)].filter(([, value]) => value !== "");
  return `${form.action}?${new URLSearchParams(given)}`;
}

function later(pause) {
  clearTimeout(timer);
  timer = setTimeout(ask, pause);
}

async function ask() {
  if (busy) {
    changed = true;
    return;
  }
  busy = true;
  changed = false;
  asking.textContent = form.dataset.ranking;
  answer().setAttribute("aria-busy", "true");
  let again = false;
  try {
    again = await show(address());
  } catch {
    asking.textContent = form.dataset.silent;
  }
  busy = false;
  answer().removeAttribute("aria-busy");
  if (again) later(AGAIN);
  else if (changed) later(0);
}

// Shows what an address has to say; true if it is to be asked again.
async function show(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  if (response.redirected) location.reload(); // logged out
  if (response.status === 429) {
    asking.textContent = form.dataset.busy;
    return true;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.getElementById("answer");
  const wrong = page.querySelector(".wrong-field, #wishes .note[data-tone='wrong']");
  asking.textContent = wrong ? wrong.textContent : "";
  asking.classList.toggle("wrong-field", Boolean(wrong));
  if (!wrong && found) {
    const open = answer().querySelector(".all-changes")?.open;
    answer().replaceChildren(...found.childNodes);
    if (open) answer().querySelector(".all-changes")?.setAttribute("open", "");
    history.replaceState(null, "", url);
  }
  return false;
}

// A slider beside each number: one sees where the number lies, and changes it by a finger.
for (const field of form.querySelectorAll("[data-slide-to]")) {
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: field.min, max: field.dataset.slideTo, tabIndex: -1 });
  slider.setAttribute("aria-hidden", "true"); // the number itself is the better field for who cannot see it
  const follow = () => { slider.value = field.value || parseInt(field.placeholder, 10) || field.min; };
  slider.addEventListener("input", () => { field.value = slider.value; });
  field.addEventListener("input", follow);
  field.after(slider);
  follow();
}

const isAsked = (field) => !["comment", "show"].includes(field.name);

function isChanged(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (!field.options) return field.value !== field.defaultValue;
  const before = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(before, 0);
}

form.addEventListener("input", (event) => {
  if (isAsked(event.target)) later(PAUSE);
});
form.addEventListener("submit", (event) => {
  if (event.submitter?.classList.contains("starts")) return;
  event.preventDefault();
  later(0);
});

// What was changed before this script had come, or what the browser gave back to a page that is open again.
if ([...form.querySelectorAll("[name]:not(button)")].some((field) => isAsked(field) && isChanged(field))) later(0);
