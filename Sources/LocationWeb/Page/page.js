"use strict";
// The page of locwatch serve: asks for what is there, then listens for what happens.

const find = id => document.getElementById(id);
const state = { events: [], last: 0, regions: [], inside: [], status: null, points: [], day: midnight(new Date()), config: {} };
let watchMap = null;

// The token comes after the # of the address, which no server sees, and stays in this tab.
if (location.hash.length > 1) {
  sessionStorage.setItem("token", decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, "", location.pathname);
}

function headers(more) {
  const token = sessionStorage.getItem("token");
  return Object.assign(token ? { Authorization: "Bearer " + token } : {}, more);
}

/** Asks the server; throws what it says is wrong. */
async function ask(path, method = "GET", body) {
  const options = { method, headers: headers(body ? { "Content-Type": "application/json" } : {}) };
  if (body) options.body = JSON.stringify(body);
  const answer = await fetch("/api/" + path, options);
  const value = await answer.json();
  if (answer.status === 401) find("login").hidden = false;
  if (!answer.ok) {
    const { what, remedy } = value.error || {};
    throw new Error([what || answer.statusText, remedy].filter(Boolean).join("; "));
  }
  return value;
}

function complain(error) {
  find("problem").textContent = error ? error.message : "";
  find("problem").hidden = !error;
}

/** Runs something and says what went wrong. */
const tried = work => async (...values) => {
  try { await work(...values); complain(null); } catch (error) { complain(error); }
};

function midnight(date) { return new Date(date.getFullYear(), date.getMonth(), date.getDate()); }

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// What is shown.

function distance(metres) { return metres < 1000 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(1)} km`; }

function describe(event) {
  const names = { "region.enter": "entered", "region.exit": "left", "region.dwell": "stayed in", "region.cross": "crossed" };
  if (names[event.type]) return `${names[event.type]} ${event.region}`;
  if (event.type === "region.state") return `${event.state} ${event.region}`;
  if (event.type === "visit.arrive") return "arrived for a visit";
  if (event.type === "visit.depart") return "departed from a visit";
  if (event.type === "significant") return "moved significantly";
  if (event.type === "decision") return `${event.subscriber}: ${event.action} (${event.rule}${event.reason ? ", " + event.reason : ""})`;
  if (event.type === "subscriber.state") return `${event.subscriber}: ${event.state || ""}`;
  const rest = ["reason", "state", "subscriber", "name"].filter(key => event[key]).map(key => event[key]);
  return [event.type, ...rest].join(" ");
}

const isShown = event => find("decisions").checked
  || !/^(decision|subscriber|receiver|power|fix\.|location|fetch|notification)/.test(event.type);

function ofDay(event) {
  return midnight(new Date(event.time)).getTime() === state.day.getTime();
}

function showEvents() {
  const list = find("events");
  list.replaceChildren();
  for (const event of state.events.filter(isShown).slice(-300).reverse()) list.append(item(event));
}

function item(event) {
  const button = element("button", undefined, { type: "button", "data-id": event.id });
  const time = new Date(event.time);
  const isToday = midnight(time).getTime() === midnight(new Date()).getTime();
  const clock = (isToday ? "" : time.toLocaleDateString() + " ") + time.toLocaleTimeString();
  button.append(element("time", clock, { datetime: event.time }));
  button.append(element("span", describe(event)));
  button.addEventListener("click", () => chooseEvent(event));
  const line = element("li");
  line.append(button);
  return line;
}

function showStatus() {
  const now = find("now"), { fix, source, receiver, stale, daemon, energy_j: energy } = state.status || {};
  now.replaceChildren();
  const add = (name, value) => now.append(element("dt", name), element("dd", value));
  if (fix) add("Position", `${fix.lat.toFixed(5)}, ${fix.lon.toFixed(5)} ± ${distance(fix.acc_m)}`);
  if (fix) add("Fix of", new Date(fix.time).toLocaleString());
  add("Inside", state.inside.map(nameOf).join(", ") || "no region");
  if (source) add("Source", [source.name, source.state].filter(Boolean).join(": "));
  if (receiver) add("Receiver", [receiver.sampling, receiver.state, receiver.reason].filter(Boolean).join(", "));
  if (energy !== undefined) add("Energy", `${Math.round(energy)} J`);
  say(daemon ? (stale ? "the daemon has no fresh fix" : "live") : "no daemon runs", !daemon);
  const rows = find("programs");
  rows.replaceChildren();
  for (const program of (state.status || {}).subscribers || []) {
    const row = element("tr");
    row.append(element("th", program.name, { scope: "row" }), element("td", program.state),
      element("td", program.waiting, { class: "number" }),
      element("td", program.last_status === undefined ? "" : `status ${program.last_status} ${program.last_error || ""}`));
    rows.append(row);
  }
}

const nameOf = id => (state.regions.find(region => region.id === id) || { name: id }).name;

function say(text, isGone) {
  find("link").textContent = text;
  find("link").classList.toggle("gone", Boolean(isGone));
}

function showRegions() {
  const rows = find("regions");
  rows.replaceChildren();
  for (const region of state.regions) {
    const isInside = state.inside.includes(region.id);
    const row = element("tr");
    row.append(element("th", region.name, { scope: "row" }));
    row.append(element("td", isInside ? "inside" : "outside", { class: isInside ? "in" : "" }));
    const form = region.center ? `circle of ${distance(region.radius_m)}` : region.line ? "corridor" : "polygon";
    row.append(element("td", form));
    const cell = element("td");
    const button = (text, work) => {
      const node = element("button", text, { type: "button", "aria-label": `${text} ${region.name}` });
      node.addEventListener("click", work);
      cell.append(node);
    };
    button("Show", () => { if (watchMap) watchMap.showRegion(region.id); chooseRegion(region.id); });
    if (!state.config.read_only) {
      if (region.center) button("Change", () => openEditor(region));
      button("Remove", () => removeRegion(region));
    }
    row.append(cell);
    rows.append(row);
  }
}

function showDay() {
  const day = state.day;
  const two = number => String(number).padStart(2, "0");
  find("day").value = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const events = state.events.filter(ofDay);
  drawTimeline(find("timeline"), day, state.points, events, chooseEvent);
  let metres = 0;
  if (watchMap) {
    state.points.forEach((point, index) => {
      const before = state.points[index - 1];
      if (before) metres += watchMap.map.distance([before[1], before[2]], [point[1], point[2]]);
    });
    watchMap.setTrack(state.points);
  }
  find("length").textContent = state.points.length ? `${state.points.length} fixes, ${distance(metres)}` : "no fixes";
}

function showPower(rows) {
  const days = new Map();
  for (const row of rows) days.set(row.day, (days.get(row.day) || 0) + row.joules);
  const most = Math.max(1, ...days.values());
  const body = find("power");
  body.replaceChildren();
  for (const [day, joules] of [...days].reverse().slice(0, 31)) {
    const row = element("tr"), cell = element("td");
    cell.append(element("meter", undefined, { min: 0, max: most, value: joules, "aria-label": `${Math.round(joules)} J` }));
    row.append(element("th", day, { scope: "row" }), element("td", `${Math.round(joules)} J`, { class: "number" }), cell);
    body.append(row);
  }
}

// What is chosen.

const explain = tried(async query => {
  find("why").textContent = "…";
  const answer = await ask("explain?" + new URLSearchParams(query)).catch(error => ({ text: error.message }));
  find("why").textContent = answer.text;
});

function chooseEvent(event) {
  document.querySelectorAll("#events [aria-current]").forEach(node => node.removeAttribute("aria-current"));
  const button = document.querySelector(`#events [data-id="${event.id}"]`);
  if (button) button.setAttribute("aria-current", "true");
  if (watchMap) watchMap.setMark(event.lat === undefined ? null : [event.lat, event.lon]);
  return explain({ event: event.id });
}

function chooseRegion(id) {
  if (watchMap && !state.config.read_only) watchMap.edit(id);
  return explain({ region: id });
}

function choosePoint(point) {
  watchMap.setMark([point[1], point[2]]);
  return explain({ at: new Date(point[0]).toISOString() });
}

// Regions.

function openEditor(region, place) {
  state.edited = region && region.id;
  const circle = place || (region.center ? { lat: region.center[0], lon: region.center[1], radius_m: region.radius_m } : {});
  find("editing").textContent = state.edited ? "Change a region" : "Add a region";
  find("f-id").value = state.edited || "";
  find("f-id").disabled = find("f-name").disabled = Boolean(state.edited);
  find("f-name").value = (region && region.name) || "";
  find("f-lat").value = circle.lat === undefined ? "" : circle.lat.toFixed(6);
  find("f-lon").value = circle.lon === undefined ? "" : circle.lon.toFixed(6);
  find("f-radius").value = Math.round(circle.radius_m || 100);
  find("wrong").textContent = "";
  find("editor").showModal();
}

find("fields").addEventListener("submit", async event => {
  event.preventDefault();
  const number = id => Number(find(id).value);
  const circle = { lat: number("f-lat"), lon: number("f-lon"), radius_m: number("f-radius") };
  try {
    if (state.edited) await ask("regions/" + encodeURIComponent(state.edited), "PUT", circle);
    else {
      const name = find("f-name").value.trim();
      await ask("regions", "POST", Object.assign({ id: find("f-id").value.trim() }, circle, name ? { name } : {}));
    }
    find("editor").close();
    await loadRegions();
  } catch (error) {
    find("wrong").textContent = error.message;
  }
});
find("cancel").addEventListener("click", () => find("editor").close());

const removeRegion = tried(async region => {
  if (!confirm(`Remove ${region.name}?`)) return;
  await ask("regions/" + encodeURIComponent(region.id), "DELETE");
  if (watchMap) watchMap.edit(null);
  await loadRegions();
});

const moved = tried(async (id, circle) => {
  try { await ask("regions/" + encodeURIComponent(id), "PUT", circle); } finally { await loadRegions(); }
  if (watchMap) watchMap.edit(id);
});

function setDrawing(isOn) {
  watchMap.setDrawing(isOn);
  find("draw").setAttribute("aria-pressed", String(isOn));
  find("hint").textContent = isOn ? "Press at the middle, drag to the edge. Escape gives up." : "";
}

// What is asked for.

async function loadRegions() {
  const answer = await ask("regions");
  state.regions = answer.regions;
  find("hint").textContent = answer.all > answer.regions.length ? `${answer.regions.length} of ${answer.all} regions are shown` : "";
  if (watchMap) { watchMap.setRegions(state.regions); watchMap.setInside(state.inside); }
  showRegions();
}

async function loadStatus() {
  state.status = await ask("status");
  state.inside = state.status.inside || [];
  if (watchMap) {
    watchMap.setInside(state.inside);
    if (state.status.fix) watchMap.setPosition(state.status.fix);
  }
  showStatus();
  showRegions();
}

const loadDay = tried(async () => {
  const day = state.day, next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
  const { points } = await ask("track?" + new URLSearchParams({ from: day.toISOString(), to: next.toISOString() }));
  state.points = points;
  showDay();
});

async function loadAll() {
  state.config = await ask("config");
  find("login").hidden = true;
  if (!watchMap && window.L) {
    watchMap = new WatchMap(find("map"), state.config, { chooseRegion, choosePoint, moved,
      drew: circle => { setDrawing(false); openEditor(null, circle); } });
  }
  if (!window.L) complain(new Error("there is no map without Leaflet: apt-get install libjs-leaflet"));
  for (const id of ["draw", "add"]) find(id).hidden = Boolean(state.config.read_only) || id === "draw" && !watchMap;
  await loadStatus();
  await loadRegions();
  const { events, newest } = await ask("events");
  state.events = events;
  state.last = newest;
  showEvents();
  await loadDay();
  showPower((await ask("power")).rows);
  if (watchMap) watchMap.showAll();
}

// What happens.

let statusDue = null;
/** Asks for the status a moment later: many records come at once. */
function statusSoon() {
  statusDue = statusDue || setTimeout(() => { statusDue = null; tried(loadStatus)(); }, 300);
}

function take(kind, data) {
  if (kind === "daemon") statusSoon();
  if (kind === "fix") {
    const fix = JSON.parse(data), time = Date.parse(fix.time);
    if (state.status) { state.status.fix = fix; state.status.stale = false; }
    if (midnight(new Date(time)).getTime() === state.day.getTime()) {
      state.points.push([time, fix.lat, fix.lon, fix.acc_m]);
      if (state.points.length > 20000) state.points.shift();
      if (watchMap) watchMap.track.addLatLng([fix.lat, fix.lon]);
      dayDue = dayDue || setTimeout(() => { dayDue = null; showDay(); }, 5000);
    }
    if (watchMap) watchMap.setPosition(fix);
    showStatus();
  }
  if (kind === "record") {
    const event = JSON.parse(data);
    if (event.id <= state.last) return;
    state.last = event.id;
    state.events.push(event);
    if (state.events.length > 3000) state.events.shift();
    if (isShown(event)) find("events").prepend(item(event));
    if (event.type.startsWith("region.") || event.type === "decision") {
      dayDue = dayDue || setTimeout(() => { dayDue = null; showDay(); }, 1000);
    }
    statusSoon();
  }
}
let dayDue = null;

/** Reads server-sent events; fetch, because EventSource sends no token. */
async function listen() {
  const answer = await fetch("/api/stream?since=" + state.last, { headers: headers() });
  if (!answer.ok) throw new Error("the stream was refused");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const frames = text.split("\n\n");
    text = frames.pop();
    for (const frame of frames) {
      const kind = /^event: (.*)$/m.exec(frame), data = /^data: (.*)$/m.exec(frame);
      if (kind && data) take(kind[1], data[1]);
    }
  }
}

async function live() {
  for (let wait = 1000; ; wait = Math.min(30000, 2 * wait)) {
    try {
      await loadAll();
      wait = 1000;
      complain(window.L ? null : new Error("there is no map without Leaflet: apt-get install libjs-leaflet"));
      await listen();
    } catch (error) {
      complain(error);
    }
    say("not connected", true);
    if (!find("login").hidden) return;
    await new Promise(done => setTimeout(done, wait));
  }
}

find("login").addEventListener("submit", event => {
  event.preventDefault();
  sessionStorage.setItem("token", find("token").value);
  live();
});
find("decisions").addEventListener("change", showEvents);
find("here").addEventListener("click", () => watchMap && watchMap.showPosition());
find("all").addEventListener("click", () => watchMap && watchMap.showAll());
find("draw").addEventListener("click", () => setDrawing(!watchMap.isDrawing));
find("add").addEventListener("click", () => {
  const fix = (state.status || {}).fix;
  const center = watchMap ? watchMap.map.getCenter() : null;
  const place = fix || (center ? { lat: center.lat, lon: center.lng } : {});
  openEditor(null, { lat: place.lat, lon: place.lon, radius_m: 100 });
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape" || !watchMap) return;
  if (watchMap.isDrawing) setDrawing(false);
  watchMap.edit(null);
});
const goTo = day => { state.day = midnight(day); loadDay(); };
const step = days => goTo(new Date(state.day.getFullYear(), state.day.getMonth(), state.day.getDate() + days));
find("before").addEventListener("click", () => step(-1));
find("after").addEventListener("click", () => step(1));
find("day").addEventListener("change", () => {
  const [year, month, day] = find("day").value.split("-").map(Number);
  if (year) goTo(new Date(year, month - 1, day));
});
addEventListener("resize", showDay);
live();
