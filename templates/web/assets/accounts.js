// Forms about accounts: show what is typed into a password field, and copy what is shown only once.

for (const button of document.querySelectorAll("[data-reveals]")) {
  const input = document.getElementById(button.dataset.reveals);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  });
  // What was shown must not end in the browser's list of things typed.
  input.form.addEventListener("submit", () => { input.type = "password"; });
}

for (const button of document.querySelectorAll("[data-copies]")) {
  const input = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    try {
      await navigator.clipboard.writeText(input.value);
    } catch {
      document.execCommand("copy"); // where the page did not come by HTTPS, the clipboard has no other door
    }
    button.textContent = button.dataset.copied;
  });
}
