// Sending files: dropped or chosen, in chunks, with progress, and on from where it was after the connection broke.

const SMALL = 256 * 1024; // bytes: smaller files travel together
const COMPARED = 1024 * 1024; // bytes of two files at once
const TOGETHER = { bytes: 768 * 1024, files: 100 };
const AT_ONCE = 3; // requests
const LONGEST_WAIT = 30; // seconds between two attempts to reach the server

const form = document.querySelector("#upload");
const most = Number(form.dataset.most);
const wrong = form.querySelector("#upload-wrong");
const sending = form.querySelector(".sending");
const bar = sending.querySelector("progress");
const told = sending.querySelector("[role=status]");
const token = document.body.dataset.formToken;
const words = form.dataset; // sentences, with {names} in place of what they say
const chosen = new Map(); // of { role, path, file }, by role and path
let stopping = null; // while files are sent: what stops them
let adding = Promise.resolve(); // until all that was chosen is there

form.classList.add("scripted");

const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// What was dropped: files, and folders with all that is in them.

const pathOf = (entry) => entry.fullPath.replace(/^\//, "");

const listed = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

async function* filesOf(entry) {
  if (entry.isFile) {
    yield { path: pathOf(entry), file: await new Promise((resolve, reject) => entry.file(resolve, reject)) };
    return;
  }
  const reader = entry.createReader();
  for (let some = await listed(reader); some.length; some = await listed(reader)) {
    for (const each of some) yield* filesOf(each);
  }
}

async function dropped(transfer) {
  // Entries and files must be asked for before anything is awaited: then the browser forgets them.
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const found = [];
  for (const { entry, file } of entries) {
    if (entry) for await (const each of filesOf(entry)) found.push(each);
    else if (file) found.push({ path: file.name, file });
  }
  return found;
}

const topOf = (path) => path.split("/")[0];

const keyOf = ({ role, path }) => `${role} ${path}`;

// What has the name of something else, as each section's submissions.zip has, gets a number; the same thing again does not.
async function placesFor(role, top, items) {
  const [, stem, ending] = top.match(/^(.+?)((?:\.tar)?\.\w+)?$/s);
  for (let number = 1; ; number += 1) {
    const name = number > 1 ? `${stem} (${number})${ending ?? ""}` : top;
    const placed = items.map(({ path, file }) => ({ role, path: name + path.slice(top.length), file }));
    if (!(await takesPlaceOfOthers(placed))) return placed;
  }
}

async function takesPlaceOfOthers(items) {
  for (const item of items) {
    const there = chosen.get(keyOf(item));
    if (there && !(await isSame(there.file, item.file))) return true;
  }
  return false;
}

async function isSame(one, other) {
  if (one.size !== other.size) return false;
  for (let start = 0; start < one.size; start += COMPARED) {
    const [a, b] = await Promise.all([one, other].map((file) => file.slice(start, start + COMPARED).arrayBuffer()));
    const [here, there] = [new Uint8Array(a), new Uint8Array(b)];
    if (here.some((byte, place) => byte !== there[place])) return false;
  }
  return true;
}

// One after the other: what comes later is compared with what is there.
function add(role, files) {
  adding = adding.then(async () => {
    for (const [top, items] of grouped(files, ({ path }) => topOf(path))) {
      for (const item of await placesFor(role, top, items)) chosen.set(keyOf(item), item);
    }
    show(role);
  }).catch(() => complain(words.unreadable));
}

function grouped(items, key) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(key(item))) groups.set(key(item), []);
    groups.get(key(item)).push(item);
  }
  return groups;
}

// What is shown before it is sent: one line for each thing that was dropped.

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

const sum = (items) => items.reduce((total, { file }) => total + file.size, 0);

function show(role) {
  const list = form.querySelector(`[data-role="${role}"] .chosen`);
  const groups = grouped(
    [...chosen.values()].filter((item) => item.role === role),
    ({ path }) => (path.includes("/") ? `${topOf(path)}/` : path),
  );
  list.replaceChildren(...[...groups].map(([name, items]) => line(role, name, items)));
  list.hidden = groups.size === 0;
  complain("");
}

function line(role, name, items) {
  const item = document.createElement("li");
  const shown = document.createElement("bdi");
  shown.textContent = name;
  const amount = document.createElement("span");
  amount.textContent = items.length > 1 ? filled(words.files, { n: items.length, size: size(sum(items)) }) : size(sum(items));
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "quiet";
  remove.textContent = "✕";
  remove.setAttribute("aria-label", filled(words.remove, { name }));
  remove.addEventListener("click", () => {
    for (const each of items) chosen.delete(keyOf(each));
    show(role);
  });
  item.append(shown, amount, remove);
  return item;
}

function complain(sentence) {
  wrong.textContent = sentence;
  wrong.hidden = !sentence;
}

// Talking with the server: what it refuses ends the upload with its sentence, what is lost is tried again.

class Refused extends Error {}

async function ask(method, url, body) {
  const headers = { Accept: "application/json", "X-Form-Token": token };
  const response = await fetch(url, { method, body, headers, signal: stopping?.signal });
  if (response.status >= 500) throw new Error(`status ${response.status}`);
  const answer = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : null;
  if (!response.ok || !answer) throw new Refused(answer?.error?.message ?? words.refused);
  return answer;
}

// The pieces that are still to be sent, given what has arrived.

function pieces(arrived, chunk) {
  const known = new Map(arrived.map((part) => [keyOf(part), part]));
  const found = [];
  let together = [];
  const flush = () => {
    if (together.length) found.push({ items: together, bytes: sum(together) });
    together = [];
  };
  for (const [key, item] of chosen) {
    const part = known.get(key);
    if (part?.complete && part.size === item.file.size) continue;
    if (item.file.size <= SMALL) {
      if (sum(together) + item.file.size > TOGETHER.bytes || together.length >= TOGETHER.files) flush();
      together.push(item);
      continue;
    }
    for (let start = 0; start < item.file.size; start += chunk) {
      const bytes = Math.min(chunk, item.file.size - start);
      if (!part?.starts.includes(start)) found.push({ item, start, bytes });
    }
  }
  flush();
  return found;
}

function send(url, piece) {
  if (piece.items) {
    const body = new FormData();
    for (const { role, path, file } of piece.items) body.append(role, file, path);
    return ask("POST", url, body);
  }
  const { item, start, bytes } = piece;
  const place = new URLSearchParams({ role: item.role, path: item.path, start, total: item.file.size });
  return ask("PUT", `${url}?${place}`, item.file.slice(start, start + bytes));
}

async function sendAll(upload, clock) {
  const waiting = pieces(upload.arrived ?? [], upload.chunk);
  clock.done = clock.total - waiting.reduce((bytes, piece) => bytes + piece.bytes, 0);
  tick(clock);
  const worker = async () => {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      await send(upload.parts, piece);
      clock.done += piece.bytes;
      tick(clock);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const broken = ended.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  if (broken.length) throw broken.find((reason) => reason instanceof Refused) ?? broken[0];
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function sendUntilAllIsThere(upload, clock) {
  for (let wait = 1; ; ) {
    try {
      await sendAll(upload, clock);
      return;
    } catch (error) {
      if (error instanceof Refused || stopping.signal.aborted) throw error;
    }
    for (let reached = false; !reached; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      told.textContent = filled(words.broken, { n: wait });
      await pause(wait);
      stopping.signal.throwIfAborted();
      try {
        upload = await ask("GET", upload.parts);
        reached = true;
      } catch (error) {
        if (error instanceof Refused || stopping.signal.aborted) throw error;
      }
    }
    wait = 1;
  }
}

function tick(clock) {
  bar.value = clock.total ? clock.done / clock.total : 1;
  clock.first ??= { time: Date.now(), done: clock.done };
  const seconds = (Date.now() - clock.first.time) / 1000;
  const rate = (clock.done - clock.first.done) / seconds;
  const left = seconds > 1 && rate > 0 ? (clock.total - clock.done) / rate : null;
  const sent = filled(words.sent, { done: size(clock.done), total: size(clock.total) });
  if (left === null) told.textContent = sent;
  else if (left < 1.5) told.textContent = filled(words.almost, { sent });
  else if (left < 90) told.textContent = filled(words.seconds, { sent, n: Math.ceil(left) });
  else told.textContent = filled(words.minutes, { sent, n: Math.ceil(left / 60) });
}

// What the form says besides the files, and what the class is called if all of it is in one file or folder.

function about() {
  const said = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") said.append(name, value);
  const tops = new Set([...chosen.values()].filter(({ role }) => role === "new").map(({ path }) => topOf(path)));
  said.append("file", tops.size === 1 ? [...tops][0] : "");
  return said;
}

async function start() {
  const total = sum([...chosen.values()]);
  if (!chosen.size) return complain(words.nothing);
  if (total > most) return complain(filled(words.large, { size: size(total), most: `${Math.round(most / 1048576)} MB` }));
  complain("");
  stopping = new AbortController();
  let upload = null;
  busy(true);
  try {
    upload = await (form.dataset.begun ? ask("GET", form.dataset.begun) : ask("POST", form.action, about()));
    await sendUntilAllIsThere(upload, { total, done: 0 });
    told.textContent = words.complete;
    const { page } = await ask("POST", upload.recognise, about());
    stopping = null;
    location.assign(page);
  } catch (error) {
    await giveUp(error, upload);
  }
}

async function giveUp(error, upload) {
  const cancelled = stopping.signal.aborted;
  stopping = null;
  if (cancelled && upload) {
    await ask("POST", upload.discard).catch(() => null);
  } else if (!cancelled) {
    complain(error instanceof Refused ? error.message : words.unreachable);
  }
  busy(false);
}

function busy(is) {
  sending.hidden = !is;
  bar.value = 0;
  told.textContent = is ? words.starting : "";
  for (const part of form.querySelectorAll(".zones, .more-work, .buttons")) part.hidden = is;
  if (is) sending.querySelector(".cancel").focus();
}

// Events.

const zoneAt = (target) => target.closest?.(".zone") ?? form.querySelector('[data-role="new"]');

const mark = (zone) => form.querySelectorAll(".zone").forEach((each) => each.toggleAttribute("data-over", each === zone));

addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files") || stopping) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  mark(zoneAt(event.target));
});
addEventListener("dragleave", (event) => event.relatedTarget || mark(null));
addEventListener("drop", async (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  mark(null);
  if (stopping) return;
  const role = zoneAt(event.target).dataset.role;
  try {
    add(role, await dropped(event.dataTransfer));
  } catch {
    complain(words.unreadable);
  }
});
function take(input) {
  const role = input.closest(".zone").dataset.role;
  add(role, [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  input.value = "";
}

form.addEventListener("change", ({ target }) => {
  if (target.type === "file") take(target);
});
for (const input of form.querySelectorAll("input[type=file]")) {
  if (input.files.length) take(input); // chosen before this script was there
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  adding.then(() => {
    if (!stopping) start();
  });
});
sending.querySelector(".cancel").addEventListener("click", () => stopping?.abort());
addEventListener("beforeunload", (event) => stopping && event.preventDefault());
