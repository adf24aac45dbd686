// Pointing at a pair shows its way through the picture.

function point(event) {
  const target = event.target instanceof Element && event.target.closest(".slopes [data-pair]");
  for (const old of document.querySelectorAll(".slopes .pointed")) old.classList.remove("pointed");
  if (!target) return;
  const same = target.closest(".slopes").querySelectorAll(`[data-pair="${target.dataset.pair}"]`);
  for (const each of same) each.classList.add("pointed");
}

for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, point);
