// New notices: the number in the masthead and, if the user allowed it, a notification of the browser's own.

const bell = document.getElementById("notices");
const count = document.getElementById("notices-count");
const said = document.getElementById("notices-said");
const SHORTEST = 5000; // milliseconds between two questions; longer and longer while there is nothing new
const LONGEST = 120000;
const TOLD = "moss-told"; // the last notice of which a notification was shown, in whichever tab

const canNotify = "Notification" in window && window.isSecureContext;
let known = null; // the last notice when the page was opened
let pause = SHORTEST;

function told(id) {
  try {
    const last = Number(localStorage.getItem(TOLD) ?? 0);
    if (id > last) localStorage.setItem(TOLD, String(id));
    return id <= last;
  } catch {
    return false;
  }
}

function tell(notice) {
  said.textContent = notice.text;
  if (!canNotify || Notification.permission !== "granted" || told(notice.id)) return;
  const shown = new Notification("moss", { body: notice.text, tag: `moss-${notice.id}` });
  shown.onclick = () => {
    window.focus();
    location.href = notice.url;
  };
}

function show(notices) {
  count.textContent = String(notices.length);
  count.hidden = notices.length === 0;
  const last = notices.reduce((most, notice) => Math.max(most, notice.id), 0);
  const fresh = known === null ? [] : notices.filter((notice) => notice.id > known);
  fresh.forEach(tell);
  known = Math.max(known ?? 0, last);
  return fresh.length > 0;
}

async function look() {
  try {
    const response = await fetch(bell.dataset.url, { headers: { Accept: "application/json" } });
    if (response.redirected || response.status === 401) return; // logged out
    pause = response.ok && show(await response.json()) ? SHORTEST : Math.min(pause * 1.5, LONGEST);
  } catch {
    pause = Math.min(pause * 2, LONGEST);
  }
  setTimeout(look, pause);
}

function offer(button) {
  button.hidden = !canNotify || Notification.permission !== "default";
  button.addEventListener("click", async () => {
    await Notification.requestPermission();
    button.hidden = Notification.permission !== "default";
  });
}

document.querySelectorAll("[data-allow-notifications]").forEach(offer);
if (bell) look();
