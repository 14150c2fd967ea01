const selection = { time: null, event: null };
let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["fg", "bg", "muted", "faint", "panel", "track", "receiver", "region", "enter", "exit", "move",
    "visit", "wake", "gap", "state-active", "state-background", "state-suspended"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

// A canvas whose picture is kept while only the selection changes.
function surface(canvas, drawBase, drawTop) {
  const kept = document.createElement("canvas");
  const it = { canvas, width: 0, height: 0, stale: true, asked: false };
  it.draw = () => {
    it.asked = false;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (it.width !== width || it.height !== height || it.ratio !== ratio) {
      Object.assign(it, { width, height, ratio, stale: true });
      canvas.width = kept.width = Math.round(width * ratio);
      canvas.height = kept.height = Math.round(height * ratio);
      if (it.resized) it.resized();
    }
    if (it.stale) {
      const base = kept.getContext("2d");
      base.setTransform(ratio, 0, 0, ratio, 0, 0);
      base.fillStyle = colours.panel;
      base.fillRect(0, 0, width, height);
      base.font = "12px system-ui, sans-serif";
      drawBase(base, it);
      it.stale = false;
    }
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(kept, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    drawTop(context, it);
  };
  it.ask = (isStale) => {
    it.stale = it.stale || isStale;
    if (!it.asked) { it.asked = true; requestAnimationFrame(it.draw); }
  };
  new ResizeObserver(() => it.ask(false)).observe(canvas);
  return it;
}

// A mark of its own shape for each kind, so that colour is not needed to tell them apart.
function mark(c, kind, x, y, size) {
  c.beginPath();
  if (kind === "enter") { c.moveTo(x - size, y - size); c.lineTo(x + size, y); c.lineTo(x - size, y + size); }
  else if (kind === "exit") { c.moveTo(x + size, y - size); c.lineTo(x - size, y); c.lineTo(x + size, y + size); }
  else if (kind === "wake") {
    c.moveTo(x, y - size * 1.3); c.lineTo(x + size, y); c.lineTo(x, y + size * 1.3); c.lineTo(x - size, y);
  } else if (kind === "visit") {
    c.moveTo(x, y - size * 1.2); c.lineTo(x + size, y - size * .2); c.lineTo(x + size * .8, y + size);
    c.lineTo(x - size * .8, y + size); c.lineTo(x - size, y - size * .2);
  } else if (kind === "move") c.rect(x - size * .8, y - size * .8, size * 1.6, size * 1.6);
  else if (kind === "gap") {
    c.moveTo(x - size, y - size); c.lineTo(x + size, y + size);
    c.moveTo(x + size, y - size); c.lineTo(x - size, y + size);
    c.strokeStyle = colours.gap; c.lineWidth = 2; c.stroke();
    return;
  } else c.arc(x, y, size * .8, 0, 7);
  c.closePath();
  c.fillStyle = colours[kind === "dwell" || kind === "state" ? "region" : kind] || colours.muted;
  c.strokeStyle = colours.panel;
  c.lineWidth = 1;
  c.fill();
  c.stroke();
}

function select(ms, event, isQuiet) {
  selection.time = ms;
  selection.event = event || null;
  const at = ms === null ? -1 : pointAt(ms);
  selection.x = event && event.x !== null ? event.x : at >= 0 ? X[at] : null;
  selection.y = event && event.x !== null ? event.y : at >= 0 ? Y[at] : null;
  selection.lat = event && event.x !== null ? event.lat : at >= 0 ? lat[at] : null;
  selection.lon = event && event.x !== null ? event.lon : at >= 0 ? lon[at] : null;
  let text = "";
  if (ms !== null) {
    text = clock(Math.round(ms));
    if (selection.lat !== null) text += "  " + selection.lat.toFixed(5) + ", " + selection.lon.toFixed(5);
    if (event) text += "  " + event.what + " " + event.detail + ".";
    const held = holding(receiver, ms);
    if (held) text += "  Receiver " + (held.on ? "on" : "off") + " (" + held.why + ").";
    if (!event) {
      for (const s of subscribers) {
        const state = holding(s.moves, ms);
        if (state) text += " " + s.name + ": " + state.state + ".";
      }
    }
  }
  $("said").textContent = text;
  for (const row of document.querySelectorAll("tr.selected")) row.classList.remove("selected");
  const button = event && document.querySelector('[data-event="' + event.index + '"]');
  if (button) button.closest("tr").classList.add("selected");
  if (!isQuiet && selection.x !== null) mapView.show(selection.x, selection.y);
  if (!isQuiet && ms !== null) timeView.show(ms);
  mapView.ask(false);
  timeView.ask(false);
}

// The event before or after what is selected.
function step(by) {
  if (!byTime.length) return;
  let at = selection.event ? byTime.indexOf(selection.event) + by : -1;
  if (!selection.event) {
    const ms = selection.time === null ? -Infinity : selection.time;
    const next = byTime.findIndex(e => e.time > ms);
    at = by > 0 ? (next < 0 ? byTime.length - 1 : next) : (next < 0 ? byTime.length : next) - 1;
  }
  const event = byTime[Math.min(Math.max(at, 0), byTime.length - 1)];
  select(event.time, event);
}

