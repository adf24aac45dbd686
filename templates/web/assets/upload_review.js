// Correcting: each change is saved at once, and files can be looked at in place.

const form = document.querySelector("#corrections");
const headers = { Accept: "application/json", "X-Form-Token": document.body.dataset.formToken };

document.body.classList.add("scripted");

async function save(row, field) {
  const told = row.querySelector(".saved");
  told.classList.remove("wrong");
  told.textContent = "…";
  field.removeAttribute("aria-invalid");
  try {
    const response = await fetch(row.dataset.save, { method: "POST", headers, body: new URLSearchParams({ [field.dataset.field]: field.value }) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    row.classList.toggle("out", answer.role === "out");
    if (field.dataset.field === "owner") field.value = answer.owner;
    told.textContent = form.dataset.saved;
  } catch (error) {
    told.classList.add("wrong");
    told.textContent = error instanceof TypeError || error instanceof SyntaxError ? form.dataset.silent : error.message;
    field.setAttribute("aria-invalid", "true");
  }
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
  if (more) text.append(`\n${form.dataset.more.replace("{n}", more.toLocaleString(document.documentElement.lang))}`);
  item.append(text);
}

form.addEventListener("change", ({ target }) => {
  const row = target.closest("[data-save]");
  if (row && target.dataset.field) save(row, target);
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.dataset.field === "owner") {
    event.preventDefault(); // which would send the whole page
    event.target.blur();
  }
});
form.addEventListener("click", (event) => {
  const link = event.target.closest("a.look");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  look(link);
});
form.querySelector("#choose-all")?.addEventListener("change", ({ target }) => {
  for (const box of form.querySelectorAll("[name=chosen]")) box.checked = target.checked;
});
