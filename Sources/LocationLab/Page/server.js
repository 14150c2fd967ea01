// Feeds the page from a server: asks for what is there, then listens for what happens.

const state = { events: [], last: 0, regions: [], inside: [], status: null, points: [], day: midnight(new Date()), config: {} };
let editor = null;

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

// What is shown.

/** What happened, and what else there is to say of it. */
function describe(event) {
  const names = { "region.enter": "entered", "region.exit": "left", "region.dwell": "stayed in", "region.cross": "crossed" };
  if (names[event.type]) return [`${names[event.type]} ${event.region}`, ""];
  if (event.type === "region.state") return [`${event.state} ${event.region}`, ""];
  if (event.type === "visit.arrive") return ["arrived for a visit", ""];
  if (event.type === "visit.depart") return ["departed from a visit", ""];
  if (event.type === "significant") return ["moved significantly", ""];
  if (event.type === "decision") {
    return [`${event.subscriber}: ${event.action}`, [event.rule, event.reason].filter(Boolean).join(", ")];
  }
  if (event.type === "subscriber.state") return [`${event.subscriber}: ${event.state_after}`, event.reason || ""];
  const rest = ["reason", "state", "subscriber", "name"].filter(key => event[key]).map(key => event[key]);
  return [event.type, rest.join(" ")];
}

/** As many of the events are listed. */
const MOST_ROWS = 300;

const isShown = event => find("decisions").checked
  || !/^(decision|subscriber|receiver|power|fix\.|location|fetch|notification)/.test(event.type);

function ofDay(event) {
  return midnight(new Date(event.time)).getTime() === state.day.getTime();
}

function showEvents() {
  const rows = find("events");
  rows.replaceChildren();
  for (const event of state.events.filter(isShown).slice(-MOST_ROWS).reverse()) rows.append(rowOf(event));
}

function rowOf(event) {
  const time = new Date(event.time), isToday = midnight(time).getTime() === midnight(new Date()).getTime();
  const clock = (isToday ? "" : time.toLocaleDateString() + " ") + time.toLocaleTimeString();
  const button = element("button", clock, { type: "button", class: "at", "data-event": event.id });
  const [what, detail] = describe(event), head = element("th", undefined, { scope: "row" }), type = element("td");
  head.append(button);
  type.append(element("code", event.type));
  const row = element("tr");
  row.append(head, type, element("td", what), element("td", detail));
  return row;
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

function listRegions() {
  showRegions(state.regions, new Set(state.inside), region => (state.config.read_only ? [] : [
    ...(region.center ? [["Change", () => openEditor(region)]] : []), ["Remove", () => removeRegion(region)]]));
}

/** A gap of ten minutes is a gap of the line. */
const GAP = 600000;

/** What is known of the day that is chosen, by the clock of this machine. */
function dayModel() {
  const { day, points } = state, events = state.events.filter(ofDay).map(event => ({ ...event, time: Date.parse(event.time) }));
  const programs = new Map();
  for (const { subscriber, state_after: after, time } of events) {
    if (!subscriber || !after) continue;
    if (!programs.has(subscriber)) programs.set(subscriber, []);
    programs.get(subscriber).push({ time, state: after });
  }
  return new Model({
    time: Float64Array.from(points, point => point[0]), lat: Float64Array.from(points, point => point[1]),
    lon: Float64Array.from(points, point => point[2]), use: new Uint8Array(points.length).fill(BELIEVED),
    breaks: [...points.keys()].filter(i => i && points[i][0] - points[i - 1][0] > GAP), isLive: true, regions: state.regions,
    events: events.map(event => {
      const [what, detail] = describe(event);
      return { ...event, what, detail };
    }),
    receiver: events.filter(event => event.type === "receiver")
      .map(({ time, state, reason }) => ({ time, on: state === "on", why: reason })),
    subscribers: [...programs].map(([name, moves]) => ({ name, moves })),
    begin: day.getTime(), end: dayAfter(day).getTime(), now: Date.now(),
    offset: ms => -60000 * new Date(ms).getTimezoneOffset(),
  });
}

function dayAfter(day) { return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1); }

function showDay(isOther) {
  const day = state.day, two = number => String(number).padStart(2, "0");
  find("day").value = `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  const chosen = isOther ? null : selection.event;
  showModel(dayModel(), !isOther);
  // What was chosen is another object now.
  if (chosen) selection.event = page.model.byId.get(chosen.id) || null;
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

/** What a server does about a choice beside what the page does: it explains. */
const feed = {
  chosen: ({ time, event }) => explain(event ? { event: event.id } : { at: new Date(time).toISOString() }),
  chosenRegion: id => {
    if (editor) editor.edit(id);
    explain({ region: id });
  },
  chosenRow: id => {
    const event = page.model && page.model.byId.get(id);
    if (event) return goTo(event);
    // Of another day.
    const record = state.events.find(record => record.id === id);
    const [what, detail] = describe(record);
    select(null, null);
    if (watchMap && record.lat !== undefined) watchMap.setMark([record.lat, page.model.near(record.lon)]);
    find("said").textContent = `${new Date(record.time).toLocaleString()}  ${what} ${detail}`;
    return explain({ event: id });
  },
};

// Regions.

function openEditor(region, place) {
  state.edited = region && region.id;
  const circle = place || (region.center ? { lat: region.center[0], lon: region.center[1], radius_m: region.radius_m } : {});
  // What is stored stays as exact as it is where nobody edits it.
  const degrees = value => value === undefined ? "" : place ? value.toFixed(6) : value;
  find("editing").textContent = state.edited ? "Change a region" : "Add a region";
  find("f-id").value = state.edited || "";
  find("f-id").disabled = find("f-name").disabled = Boolean(state.edited);
  find("f-name").value = (region && region.name) || "";
  find("f-lat").value = degrees(circle.lat);
  find("f-lon").value = degrees(circle.lon);
  find("f-radius").value = place ? Math.round(circle.radius_m || 100) : circle.radius_m || 100;
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
  if (editor) editor.edit(null);
  await loadRegions();
});

const moveRegion = tried(async (id, circle) => {
  try { await ask("regions/" + encodeURIComponent(id), "PUT", circle); } finally { await loadRegions(); }
  if (editor) editor.edit(id);
});

function setDrawing(isOn) {
  editor.setDrawing(isOn);
  find("draw").setAttribute("aria-pressed", String(isOn));
  find("hint").textContent = isOn ? "Press at the middle, drag to the edge. Escape gives up." : "";
}

// What is asked for.

async function loadRegions() {
  const answer = await ask("regions");
  state.regions = answer.regions;
  find("hint").textContent = answer.all > answer.regions.length ? `${answer.regions.length} of ${answer.all} regions are shown` : "";
  if (watchMap) { watchMap.setRegions(state.regions); watchMap.setInside(state.inside); }
  listRegions();
}

async function loadStatus() {
  state.status = await ask("status");
  state.inside = state.status.inside || [];
  if (watchMap) {
    watchMap.setInside(state.inside);
    if (state.status.fix) watchMap.setPosition(state.status.fix);
  }
  showStatus();
  listRegions();
}

const loadDay = tried(async isOther => {
  const query = { from: state.day.toISOString(), to: dayAfter(state.day).toISOString() };
  const { points } = await ask("track?" + new URLSearchParams(query));
  state.points = points;
  showDay(isOther);
});

async function loadAll() {
  state.config = await ask("config");
  find("login").hidden = true;
  const isFirst = !page.feed;
  if (isFirst) {
    const { tiles, attribution } = state.config;
    begin(tiles ? { url: tiles, credit: attribution } : null, "metric", feed);
    if (watchMap && !state.config.read_only) {
      editor = new RegionEditor(watchMap, moveRegion, circle => { setDrawing(false); openEditor(null, circle); });
    }
  }
  complainOfNoMap();
  find("add").hidden = Boolean(state.config.read_only);
  find("draw").hidden = !editor;
  find("here").hidden = !watchMap;
  await loadStatus();
  await loadRegions();
  const { events, newest } = await ask("events");
  state.events = events;
  state.last = newest;
  showEvents();
  await loadDay(isFirst);
  // The turn of the track is known now.
  if (watchMap) watchMap.setRegions(state.regions);
  showPower((await ask("power")).rows);
  if (isFirst && watchMap) watchMap.showAll();
  state.isWhole = true;
}

function complainOfNoMap() {
  complain(window.L ? null : new Error("there is no map without Leaflet: apt-get install libjs-leaflet"));
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
      // The server thins the whole day.
      if (state.points.length > 20000 && state.points.length % 1000 === 1) loadDay(false);
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
    if (isShown(event)) {
      const rows = find("events");
      rows.prepend(rowOf(event));
      while (rows.childElementCount > MOST_ROWS) rows.lastElementChild.remove();
    }
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
      // Only "\n" ends a line here: JSON may hold what is an end of line to a regular expression.
      const lines = frame.split("\n");
      const field = name => lines.find(line => line.startsWith(name + ": "))?.slice(name.length + 2);
      if (field("event") && field("data")) take(field("event"), field("data"));
    }
  }
}

async function live() {
  for (let wait = 1000; ; wait = Math.min(30000, 2 * wait)) {
    try {
      await loadAll();
      wait = 1000;
      complainOfNoMap();
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
find("draw").addEventListener("click", () => setDrawing(!watchMap.isDrawing));
find("add").addEventListener("click", () => {
  const fix = (state.status || {}).fix;
  const center = watchMap ? watchMap.map.getCenter() : null;
  const place = fix || (center ? { lat: center.lat, lon: center.lng } : {});
  openEditor(null, { lat: place.lat, lon: place.lon, radius_m: 100 });
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape" || !editor) return;
  if (watchMap.isDrawing) setDrawing(false);
  editor.edit(null);
});
const showOther = day => {
  state.day = midnight(day);
  select(null, null);
  loadDay(true);
};
const turn = days => showOther(new Date(state.day.getFullYear(), state.day.getMonth(), state.day.getDate() + days));
find("before").addEventListener("click", () => turn(-1));
find("after").addEventListener("click", () => turn(1));
find("day").addEventListener("change", () => {
  const [year, month, day] = find("day").value.split("-").map(Number);
  if (year) showOther(new Date(year, month - 1, day));
});
live();
