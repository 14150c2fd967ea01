// What the page of a server and that of a file do alike: map, timeline and tables show one model, and what is chosen in
// one of them is shown by the others.

const find = id => document.getElementById(id);
const selection = { time: null, event: null };
const page = { model: null, regions: [], isShown: false };
let watchMap = null;
const timeline = new Timeline(find("timeline"));

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function escapeText(text) {
  const node = document.createElement("span");
  node.textContent = text;
  return node.innerHTML;
}

/**
 * Makes the map; without Leaflet there is none.
 *
 * - data: of the tiles under it; null for a plain background.
 * - feed: what the page is fed by: chosen(hit) and chosenRegion(id), where it does something beside what all pages do.
 */
function begin(data, units, feed) {
  page.feed = feed;
  readColours();
  document.documentElement.classList.add("live");
  if (!window.L) {
    find("map").hidden = find("all").hidden = true;
    return;
  }
  watchMap = new WatchMap(find("map"), data, units, { chooseRegion, chosen: choose, hovered: look });
}

/** Shows a day or a track. */
function showModel(model, keepsView) {
  page.model = model;
  document.documentElement.classList.toggle("adaptive", model.isAdaptive);
  if (watchMap) watchMap.setModel(model);
  timeline.setModel(model, keepsView);
  let taken = 0;
  for (const use of model.use) if (use === BELIEVED) taken++;
  const count = taken === 1 ? "1 fix" : `${taken.toLocaleString("en")} fixes`;
  find("length").textContent = taken ? `${count}, ${distance(model.length(), model.units)}` : "no fixes";
}

/** Of a region that is chosen, so many stays are told. */
const REGION_SPANS = 5;
/** A longer table of regions makes a page slow and helps nobody. */
const REGION_ROWS = 500;

/** Lists the regions; `inside` are the ids of those in which the device is. */
function showRegions(regions, inside, actions = () => []) {
  page.regions = regions;
  find("places").hidden = !regions.length;
  const rows = find("regions");
  rows.replaceChildren();
  find("more-places").textContent = regions.length > REGION_ROWS ? `The first ${REGION_ROWS} of ${regions.length}.` : "";
  for (const region of regions.slice(0, REGION_ROWS)) {
    const row = element("tr"), cell = element("td"), isInside = inside.has(region.id);
    const form = region.center ? `circle of ${distance(region.radius_m, page.model ? page.model.units : "metric")}`
      : region.beacon ? `beacon ${region.beacon}` : region.line ? "corridor" : "polygon";
    row.append(element("th", region.name, { scope: "row" }), element("td", isInside ? "inside" : "outside",
      { class: isInside ? "in" : "" }), element("td", form), cell);
    const show = () => {
      watchMap.showRegion(region.id);
      chooseRegion(region.id);
      find("view").scrollIntoView({ block: "nearest" });
    };
    for (const [text, work] of [...(watchMap && !region.beacon ? [["Show", show]] : []), ...actions(region)]) {
      const button = element("button", text, { type: "button", "aria-label": `${text} ${region.name}` });
      button.addEventListener("click", work);
      cell.append(button);
    }
    rows.append(row);
  }
}

// What is chosen.

/** Shows a time, with an event where it is one. Quietly: nothing moves for it. */
function select(ms, event, isQuiet) {
  const { model } = page, at = ms === null || !model ? -1 : model.pointAt(ms);
  const hasPlace = event && event.shown !== null && event.shown !== undefined;
  const place = hasPlace ? [event.lat, event.shown, event.lon] : at >= 0 ? [model.lat[at], model.shown[at], model.lon[at]] : null;
  Object.assign(selection, { time: ms, event: event || null, place: place && place.slice(0, 2),
    lat: place && place[0], lon: place && place[2] });
  find("said").textContent = ms === null || !model ? "" : told(ms, event);
  for (const row of document.querySelectorAll("tr.selected")) row.classList.remove("selected");
  const button = event && document.querySelector(`[data-event="${event.id}"]`);
  if (button) button.closest("tr").classList.add("selected");
  if (watchMap) {
    watchMap.setMark(selection.place, isQuiet);
    if (model && !model.isLive) watchMap.setInside(model.insideAt(ms === null ? model.end : ms));
  }
  if (!isQuiet && ms !== null && model) timeline.show(ms);
  timeline.ask(false);
}

function told(ms, event) {
  const { model } = page;
  let text = model.clock(ms);
  if (selection.place) text += `  ${selection.lat.toFixed(5)}, ${selection.lon.toFixed(5)}`;
  if (event) text += `  ${[event.what, event.detail].filter(Boolean).join(" ")}.`;
  const held = holding(model.receiver, ms);
  if (held) text += `  Receiver ${held.on ? "on" : "off"} (${held.why}).`;
  if (event) return text;
  for (const { name, moves } of model.subscribers) {
    const state = holding(moves, ms);
    if (state) text += ` ${name}: ${state.state}.`;
  }
  return text;
}

/** What a pointer only passes over. */
function look(hit) { select(hit.time, hit.event, true); }

function choose(hit) {
  select(hit.time, hit.event);
  if (page.feed.chosen) page.feed.chosen(hit);
}

function chooseRegion(id) {
  const { model } = page, region = page.regions.find(region => region.id === id), spans = model ? model.spansIn(id) : [];
  if (region) {
    const times = spans.slice(0, REGION_SPANS).map(([from, to]) => `${model.clock(from)} to ${model.clock(to)}`);
    const more = spans.length > times.length ? `, and ${spans.length - times.length} times more` : "";
    find("said").textContent = `${region.name}:  ${times.length ? "inside " + times.join(", ") + more : "not inside"}.`;
  }
  if (page.feed.chosenRegion) page.feed.chosenRegion(id);
}

/** Chooses the event before or after. */
function step(by) {
  const { byTime } = page.model;
  if (!byTime.length) return;
  let at = selection.event ? byTime.indexOf(selection.event) + by : -1;
  if (!selection.event) {
    const ms = selection.time === null ? -Infinity : selection.time;
    const next = byTime.findIndex(event => event.time > ms);
    at = by > 0 ? (next < 0 ? byTime.length - 1 : next) : (next < 0 ? byTime.length : next) - 1;
  }
  goTo(byTime[Math.min(Math.max(at, 0), byTime.length - 1)]);
}
function goTo(event) { if (event) choose({ time: event.time, event }); }
function stepFix(by) {
  const ms = page.model.fixFrom(selection.time === null ? page.model.begin : selection.time, by);
  if (ms !== null) select(ms, null);
}

// Keys and pointers.

const commonKeys = {
  n: () => step(1), p: () => step(-1), Escape: () => select(null, null),
  Enter: () => { if (watchMap && selection.place) watchMap.center(selection.place); },
};
// Leaflet has the arrows and + and - of the map.
const mapKeys = { ...commonKeys, 0: () => watchMap.showAll() };
const timeKeys = {
  ...commonKeys, 0: () => timeline.fit(),
  "+": () => timeline.zoom(1.5), "=": () => timeline.zoom(1.5), "-": () => timeline.zoom(1 / 1.5), _: () => timeline.zoom(1 / 1.5),
  ArrowLeft: event => (event.shiftKey ? timeline.pan(-0.2) : step(-1)),
  ArrowRight: event => (event.shiftKey ? timeline.pan(0.2) : step(1)),
  ArrowUp: () => stepFix(-1), ArrowDown: () => stepFix(1),
  Home: () => goTo(page.model.byTime[0]), End: () => goTo(page.model.byTime[page.model.byTime.length - 1]),
};
function listenToKeys(node, table) {
  node.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== node || !page.model) return;
    const action = Object.hasOwn(table, event.key) ? table[event.key] : null;
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
listenToKeys(find("map"), mapKeys);
listenToKeys(timeline.canvas, timeKeys);

for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", event => page.model && timeKeys[button.dataset.do](event));
}
find("all").addEventListener("click", () => watchMap && watchMap.showAll());
find("events").addEventListener("click", event => {
  const row = event.target.closest("tr"), button = row && row.querySelector("[data-event]");
  if (button && page.feed) page.feed.chosenRow(Number(button.dataset.event));
});

/** On the timeline hovering looks, clicking chooses, dragging pans, the wheel and two fingers zoom. */
function listenToPointers(view) {
  const down = new Map(), { canvas } = view;
  let travelled = 0, isHovering = false;
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", event => {
    down.set(event.pointerId, place(event));
    if (down.size === 1) travelled = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    const [x, y] = place(event);
    if (!page.model) return;
    if (!down.has(event.pointerId)) {
      if (isHovering) return;
      isHovering = true;
      requestAnimationFrame(() => {
        isHovering = false;
        const hit = view.hit(x, y);
        if (hit) look(hit);
      });
      return;
    }
    const [oldX, oldY] = down.get(event.pointerId);
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(oldX - other[0], oldY - other[1]), now = Math.hypot(x - other[0], y - other[1]);
      if (before > 8 && now > 8) view.zoom(now / before, (x + other[0]) / 2);
    } else {
      view.pan(-(x - oldX) / (view.width - view.left() - 10));
    }
    travelled += Math.abs(x - oldX) + Math.abs(y - oldY);
    down.set(event.pointerId, [x, y]);
  });
  canvas.addEventListener("pointerup", event => {
    if (down.size === 1 && travelled < 6) {
      const hit = view.hit(...place(event));
      if (hit) choose(hit);
    }
    down.delete(event.pointerId);
  });
  canvas.addEventListener("pointercancel", event => down.delete(event.pointerId));
  canvas.addEventListener("wheel", event => {
    if (!page.model || !event.ctrlKey && !event.shiftKey && document.activeElement !== canvas) return;
    event.preventDefault();
    view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), place(event)[0]);
  }, { passive: false });
}
listenToPointers(timeline);

// Colours and paper.

function recolour() {
  readColours();
  if (watchMap) watchMap.paint();
  timeline.ask(true);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

/** Paper is light, and narrower than a screen. */
function turnToPaper(isPaper) {
  document.documentElement.classList.toggle("paper", isPaper);
  readColours();
  if (watchMap) {
    if (isPaper) page.view = [watchMap.map.getCenter(), watchMap.map.getZoom()];
    watchMap.map.invalidateSize({ animate: false, pan: false });
    if (isPaper) watchMap.showAll();
    else if (page.view) watchMap.map.setView(...page.view, { animate: false });
    watchMap.paint();
    watchMap.marks.draw();
  }
  timeline.isStale = true;
  timeline.draw();
}
addEventListener("beforeprint", () => turnToPaper(true));
addEventListener("afterprint", () => turnToPaper(false));
