// Correcting: each change is saved at once, and files can be looked at in place. On the page of a check, a correction also
// starts a new run, and the list is there only when the files have been read.

const list = () => document.querySelector("#corrections");
const headers = { Accept: "application/json", "X-Form-Token": document.body.dataset.formToken };

document.body.classList.add("scripted");

function said(field) {
  const { then } = list().dataset;
  return new URLSearchParams({ [field.dataset.field]: field.value, ...(then && { then }) });
}

async function save(row, field) {
  const told = row.querySelector(".saved");
  told.classList.remove("wrong");
  told.textContent = "…";
  field.removeAttribute("aria-invalid");
  try {
    const response = await fetch(row.dataset.save, { method: "POST", headers, body: said(field) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    row.classList.toggle("out", answer.role === "out");
    if (field.dataset.field === "owner") field.value = answer.owner;
    told.textContent = list().dataset.saved;
    row.dispatchEvent(new CustomEvent("corrected", { bubbles: true }));
  } catch (error) {
    told.classList.add("wrong");
    told.textContent = error instanceof TypeError || error instanceof SyntaxError ? list().dataset.silent : error.message;
    field.setAttribute("aria-invalid", "true");
  }
}

const saving = new Map(); // for each row that has something to save, when that is done

function saveInTurn(row, field) {
  // Of two answers under way at once, the older could come last, to the server as well as here.
  const turn = (saving.get(row) ?? Promise.resolve()).then(() => save(row, field));
  saving.set(row, turn);
  turn.then(() => saving.get(row) === turn && saving.delete(row));
}

async function look(link) {
  const item = link.closest("li");
  const open = item.querySelector("pre");
  if (open) return open.remove();
  const response = await fetch(link.href, { headers });
  if (!response.ok) return location.assign(link.href);
  const { html, more } = await response.json();
  const text = document.createElement("pre");
  text.className = "excerpt";
  text.tabIndex = 0;
  text.innerHTML = html; // escaped by the server, with unseen characters made visible
  if (more) text.append(`\n${list().dataset.more.replace("{n}", more.toLocaleString(document.documentElement.lang))}`);
  item.append(text);
}

document.addEventListener("change", ({ target }) => {
  const row = target.closest("[data-save]");
  if (row && target.dataset.field) saveInTurn(row, target);
  if (target.id === "choose-all") for (const box of list().querySelectorAll("[name=chosen]")) box.checked = target.checked;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.dataset?.field === "owner") {
    event.preventDefault(); // which would send the whole page
    event.target.blur();
  }
});
document.addEventListener("submit", async (event) => {
  if (!saving.size) return;
  event.preventDefault(); // nothing is confirmed before it is saved
  await Promise.all(saving.values());
  event.target.requestSubmit(event.submitter);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.look");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  look(link);
});
