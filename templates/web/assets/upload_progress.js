// Waiting: tell how far the worker is, and show the result as soon as it is there.

const place = document.querySelector("#waiting");
const bar = place.querySelector("progress");
const told = place.querySelector("[role=status]");
let wait = 1000;

function show({ stage, done, total }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  } else {
    bar.removeAttribute("value");
  }
  const amount = total ? `: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : done ? `: ${done.toLocaleString("en")} files` : "";
  told.textContent = (stage || "starting") + amount;
}

async function look() {
  try {
    const response = await fetch(place.dataset.status, { headers: { Accept: "application/json" } });
    const answer = await response.json();
    if (answer.state !== "recognising") return location.reload();
    show(answer);
    wait = Math.min(wait * 1.15, 5000);
  } catch {
    told.textContent = "The server does not answer. Trying again.";
    wait = Math.min(wait * 2, 30000);
  }
  setTimeout(look, wait);
}

setTimeout(look, 500);
