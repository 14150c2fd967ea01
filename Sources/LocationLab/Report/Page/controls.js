const place = (view, e) => {
  const box = view.canvas.getBoundingClientRect();
  return [e.clientX - box.left, e.clientY - box.top];
};

// Hovering looks, clicking selects, dragging pans, the wheel and two fingers zoom.
function listen(view, drag) {
  const down = new Map();
  let travelled = 0;
  view.canvas.addEventListener("pointerdown", e => {
    down.set(e.pointerId, place(view, e));
    if (down.size === 1) travelled = 0;
    view.canvas.setPointerCapture(e.pointerId);
  });
  view.canvas.addEventListener("pointermove", e => {
    const [x, y] = place(view, e);
    if (!down.has(e.pointerId)) {
      if (!view.hovering) {
        view.hovering = true;
        requestAnimationFrame(() => {
          view.hovering = false;
          const hit = view.hit(x, y);
          if (hit) select(hit.time, hit.event, true);
        });
      }
      return;
    }
    const [oldX, oldY] = down.get(e.pointerId);
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== e.pointerId)[1];
      const before = Math.hypot(oldX - other[0], oldY - other[1]);
      const now = Math.hypot(x - other[0], y - other[1]);
      if (before > 8 && now > 8) view.zoom(now / before, (x + other[0]) / 2, (y + other[1]) / 2);
    } else {
      drag(x - oldX, y - oldY);
    }
    travelled += Math.abs(x - oldX) + Math.abs(y - oldY);
    down.set(e.pointerId, [x, y]);
  });
  view.canvas.addEventListener("pointerup", e => {
    if (down.size === 1 && travelled < 6) {
      const hit = view.hit(...place(view, e));
      if (hit) select(hit.time, hit.event);
    }
    down.delete(e.pointerId);
  });
  view.canvas.addEventListener("pointercancel", e => down.delete(e.pointerId));
  view.canvas.addEventListener("wheel", e => {
    if (view === timeView && !e.ctrlKey && !e.shiftKey && document.activeElement !== view.canvas) return;
    e.preventDefault();
    view.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...place(view, e));
  }, { passive: false });
}
listen(mapView, (dx, dy) => mapView.pan(dx, dy));
listen(timeView, dx => timeView.pan(-dx / (timeView.width - timeView.left() - 10)));

const common = {
  "+": v => v.zoom(1.5), "=": v => v.zoom(1.5), "-": v => v.zoom(1 / 1.5), _: v => v.zoom(1 / 1.5),
  0: v => { v.isMoved = false; v.fit(); }, n: () => step(1), p: () => step(-1), Escape: () => select(null, null),
  Enter: () => {
    if (selection.x === null || selection.x === undefined) return;
    Object.assign(mapView, { cx: selection.x, cy: selection.y, isMoved: true });
    mapView.ask(true);
  },
};
const mapKeys = { ...common, ArrowLeft: () => mapView.pan(48, 0), ArrowRight: () => mapView.pan(-48, 0),
  ArrowUp: () => mapView.pan(0, 48), ArrowDown: () => mapView.pan(0, -48) };
const timeKeys = { ...common, ArrowLeft: (v, e) => (e.shiftKey ? v.pan(-0.2) : step(-1)),
  ArrowRight: (v, e) => (e.shiftKey ? v.pan(0.2) : step(1)),
  ArrowUp: () => fix(-1), ArrowDown: () => fix(1),
  Home: () => byTime.length && select(byTime[0].time, byTime[0]),
  End: () => byTime.length && select(byTime[byTime.length - 1].time, byTime[byTime.length - 1]) };
// The fix taken before or after what is selected.
function fix(by) {
  const now = selection.time ?? begin;
  let best = null;
  for (let i = 0; i < n; i++) {
    if (use[i] !== BELIEVED || (time[i] - now) * by <= 0) continue;
    if (best === null || (best - time[i]) * by > 0) best = time[i];
  }
  if (best !== null) select(best, null);
}
function keys(view, table) {
  view.canvas.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const action = Object.hasOwn(table, e.key) ? table[e.key] : null;
    if (!action) return;
    e.preventDefault();
    action(view, e);
  });
}
keys(mapView, mapKeys);
keys(timeView, timeKeys);

for (const button of document.querySelectorAll("[data-do]")) {
  const [of, key] = button.dataset.do.split(" ");
  const view = of === "map" ? mapView : timeView;
  button.addEventListener("click", e => (of === "map" ? mapKeys : timeKeys)[key](view, e));
}
document.addEventListener("click", e => {
  const button = e.target.closest("[data-event]");
  if (!button) return;
  const event = events[Number(button.dataset.event)];
  select(event.time, event);
});

function recolour() {
  readColours();
  mapView.stale = timeView.stale = true;
  mapView.draw();
  timeView.draw();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
// Paper is light.
addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); recolour(); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); recolour(); });

document.documentElement.classList.add("live");
readColours();
window.locwatch = {
  points: { count: n, time, lat, lon, use }, events, receiver, subscribers, regions, selection, select, step,
  map: mapView, timeline: timeView, mostlyDay, tiles,
};
mapView.draw();
timeView.draw();
document.documentElement.dataset.readyMilliseconds = Math.round(performance.now());

