// The timeline: a lane for each of fixes, receiver, programs, regions and kinds of events, on a canvas.

const LANE = 26, AXIS = 28;
/** So many regions have a lane of their own; the others share one. */
const REGION_LANES = 12;

class Timeline {
  constructor(canvas) {
    this.canvas = canvas;
    this.kept = document.createElement("canvas");
    this.lanes = [];
    this.width = this.height = 0;
    new ResizeObserver(() => this.ask(false)).observe(canvas);
  }

  /** Shows a day or a track; with `keepsView` the part of the time that is seen stays. */
  setModel(model, keepsView) {
    this.model = model;
    this.lanes = lanesOf(model);
    this.canvas.style.height = this.lanes.length * LANE + AXIS + "px";
    if (!keepsView) this.fit();
    this.ask(true);
  }

  // The part of the time that is seen.

  left() { return Math.min(120, this.width * 0.26); }
  sx(ms) { return this.left() + (ms - this.from) / (this.to - this.from) * (this.width - this.left() - 10); }
  at(px) { return this.from + (px - this.left()) / (this.width - this.left() - 10) * (this.to - this.from); }
  fit() {
    this.from = this.model.begin;
    this.to = this.model.end;
    this.ask(true);
  }
  zoom(factor, px) {
    const { begin, end } = this.model, chosen = selection.time === null ? (this.from + this.to) / 2 : selection.time;
    const around = px === undefined ? chosen : this.at(px);
    const span = Math.min(Math.max((this.to - this.from) / factor, 1000), end - begin);
    const share = Math.min(Math.max((around - this.from) / (this.to - this.from), 0), 1);
    this.move(around - share * span, span);
  }
  pan(share) {
    const span = this.to - this.from;
    this.move(this.from + share * span, span);
  }
  move(from, span) {
    this.from = Math.min(Math.max(from, this.model.begin), this.model.end - span);
    this.to = this.from + span;
    this.ask(true);
  }
  show(ms) {
    const span = this.to - this.from;
    if (ms < this.from || ms > this.to) this.move(ms - span / 2, span);
  }

  /** What lies under a pointer: `time` and `event`. */
  hit(px, py) {
    if (!this.model || px < this.left() - 8) return null;
    const lane = this.lanes[Math.floor(py / LANE)];
    let best = null, far = 8;
    for (const event of lane && lane.events ? lane.events : this.model.byTime) {
      const d = Math.abs(this.sx(event.time) - px);
      if (d < far && event.kind !== "other") { far = d; best = event; }
    }
    if (best) return { time: best.time, event: best };
    return { time: Math.min(Math.max(this.at(px), this.model.begin), this.model.end), event: null };
  }

  // Drawing. The picture is kept while only what is chosen changes.

  ask(isStale) {
    this.isStale = this.isStale || isStale;
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.isAsked = false;
    const { canvas, kept, model } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height || !model) return;
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      Object.assign(this, { width, height, ratio, isStale: true });
      canvas.width = kept.width = Math.round(width * ratio);
      canvas.height = kept.height = Math.round(height * ratio);
    }
    if (this.isStale) {
      const base = kept.getContext("2d");
      base.setTransform(ratio, 0, 0, ratio, 0, 0);
      base.fillStyle = colours.panel;
      base.fillRect(0, 0, width, height);
      base.font = "12px system-ui, sans-serif";
      this.drawBase(base);
      this.isStale = false;
    }
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(kept, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (model.known < model.end) this.drawLine(context, model.known, colours.gap);
    if (selection.time !== null) this.drawLine(context, selection.time, colours.fg);
  }

  drawBase(c) {
    this.drawTicks(c);
    c.textBaseline = "middle";
    this.lanes.forEach((lane, index) => {
      const y = index * LANE + LANE / 2;
      c.fillStyle = colours.fg;
      c.fillText(clipped(c, lane.name, this.left() - 14), 8, y);
      c.save();
      c.beginPath();
      c.rect(this.left() - 8, 0, this.width - this.left() + 8, this.height);
      c.clip();
      lane.draw(this, c, y);
      c.restore();
    });
    c.textBaseline = "alphabetic";
  }

  drawLine(c, ms, colour) {
    if (ms < this.from || ms > this.to) return;
    const x = this.sx(ms);
    c.strokeStyle = colour;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, this.lanes.length * LANE + 4);
    c.stroke();
  }

  drawTicks(c) {
    const minute = 60e3, hour = 3600e3, day = 86400e3, { model, from, to } = this;
    const steps = [1e3, 5e3, 15e3, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
      12 * hour, day, 2 * day, 7 * day, 30 * day, 365 * day];
    const span = to - from, room = (this.width - this.left()) / 84;
    const step = steps.find(s => span / s <= room) || steps[steps.length - 1];
    const y = this.lanes.length * LANE;
    const dayName = model.mostlyDay(from, to), dayEnd = 8 + c.measureText(dayName).width + 6;
    c.strokeStyle = colours.faint;
    c.fillStyle = colours.muted;
    c.lineWidth = 1;
    c.textAlign = "center";
    // Of the clock that is shown.
    const shift = model.offset(from);
    for (let t = Math.ceil((from + shift) / step) * step; t - model.offset(t - shift) <= to; t += step) {
      const x = Math.round(this.sx(t - model.offset(t - shift))) + 0.5;
      if (x < this.left() - 1) continue;
      c.globalAlpha = 0.5;
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, y + 4);
      c.stroke();
      c.globalAlpha = 1;
      if (x > this.width - 30) continue;
      const text = new Date(t).toISOString();
      const name = step >= day ? text.slice(0, 10) : t % day === 0 ? text.slice(5, 10)
        : step < minute ? text.slice(11, 19) : text.slice(11, 16);
      if (x - c.measureText(name).width / 2 > dayEnd) c.fillText(name, x, y + 18);
    }
    c.textAlign = "start";
    c.fillText(dayName, 8, y + 18);
  }

  /** Blocks over some times; a pixel of which they cover a part is the paler for it, but never unseen. */
  blocks(c, y, spans, fill, height, palest, strongest = 1) {
    const left = this.left(), covered = new Float32Array(Math.ceil(this.width) + 1);
    for (const [begin, until] of spans) {
      if (until < this.from || begin > this.to) continue;
      const x = Math.max(this.sx(begin), left);
      const right = Math.max(this.sx(Math.min(until, this.to)), x + 0.01);
      for (let p = Math.floor(x); p < right && p < covered.length; p++) {
        covered[p] += Math.min(right, p + 1) - Math.max(x, p);
      }
    }
    c.fillStyle = fill;
    for (let p = 0; p < covered.length; p++) {
      if (!covered[p]) continue;
      c.globalAlpha = Math.min(strongest, Math.max(palest, covered[p]));
      c.fillRect(p, y - height / 2, 1, height);
    }
    c.globalAlpha = 1;
  }

  /** The times in which a state holds. */
  spans(moves, isOne) {
    return moves.flatMap((move, i) =>
      (isOne(move) ? [[move.time, i + 1 < moves.length ? moves[i + 1].time : this.model.known]] : []));
  }

  /** Bars as tall as the share of the time that the receiver was on, over the time that a bar is wide. */
  drawReceiver(c, y) {
    const wide = 3, tall = 18, left = this.left(), right = this.width;
    const bars = new Float32Array(Math.ceil((right - left) / wide) + 1);
    for (const [begin, until] of this.spans(this.model.receiver, move => move.on)) {
      if (until < this.from || begin > this.to) continue;
      const from = (Math.max(this.sx(begin), left) - left) / wide;
      const to = (Math.min(this.sx(until), right) - left) / wide;
      for (let p = Math.floor(from); p < to && p < bars.length; p++) bars[p] += Math.min(to, p + 1) - Math.max(from, p);
    }
    c.fillStyle = colours.faint;
    c.fillRect(left, y + tall / 2, this.sx(Math.min(this.model.known, this.to)) - left, 1);
    c.fillStyle = colours.receiver;
    for (let p = 0; p < bars.length; p++) {
      if (!bars[p]) continue;
      // A second in a day is still seen.
      const height = Math.max(2, Math.min(1, bars[p]) * tall);
      c.fillRect(left + p * wide, y + tall / 2 - height, wide, height);
    }
  }

  drawFixes(c, y) {
    const { n, use, time } = this.model, left = this.left(), covered = new Uint8Array(Math.ceil(this.width) + 1);
    for (let i = 0; i < n; i++) {
      if (use[i] !== BELIEVED) continue;
      const x = Math.floor(this.sx(time[i]));
      if (x >= left - 1 && x < covered.length) covered[x] = 1;
    }
    c.fillStyle = colours.track;
    for (let p = 0; p < covered.length; p++) if (covered[p]) c.fillRect(p, y - 5, 1, 10);
  }

  drawLife(c, y, { moves }) {
    const of = (...states) => this.spans(moves, move => states.includes(move.state));
    this.blocks(c, y, of("suspended"), colours["state-suspended"], 5, 0.2);
    this.blocks(c, y, of("background"), colours["state-background"], 16, 0.6);
    this.blocks(c, y, of("active", "inactive"), colours["state-active"], 16, 0.6);
  }

  /** Marks; those that would lie upon each other share the height of the lane, and get smaller where they are many. */
  drawMarks(c, y, list) {
    const seen = list.filter(event => event.time >= this.from && event.time <= this.to);
    for (let i = 0; i < seen.length;) {
      let next = i + 1;
      while (next < seen.length && this.sx(seen[next].time) - this.sx(seen[next - 1].time) < 8) next++;
      const rows = Math.min(3, next - i), size = [0, 5, 4, 3][rows];
      for (let k = i; k < next; k++) {
        const step = rows > 1 ? (LANE - 8) / rows : 0;
        mark(c, seen[k].kind, this.sx(seen[k].time), y + ((k - i) % rows - (rows - 1) / 2) * step, size);
      }
      i = next;
    }
  }
}

/** The lanes of a day or a track: those in which something is. */
function lanesOf(model) {
  const lanes = [], add = (name, draw, events) => lanes.push({ name, draw, events });
  if (model.n) add("fixes", (view, c, y) => view.drawFixes(c, y));
  if (model.receiver.length) add("receiver", (view, c, y) => view.drawReceiver(c, y));
  for (const program of model.subscribers) add(program.name, (view, c, y) => view.drawLife(c, y, program));
  const nameOf = id => (model.regions.find(region => region.id === id) || { name: id }).name;
  const marks = (name, events, spans = [], colour = "enter") => {
    if (!events.length) return;
    add(name, (view, c, y) => {
      view.blocks(c, y, spans, colours[colour], 8, 0.3, 0.45);
      view.drawMarks(c, y, events);
    }, events);
  };
  const of = (...kinds) => model.byTime.filter(event => kinds.includes(event.kind));
  const told = of("enter", "exit", "dwell", "state"), ids = [...new Set(told.map(event => event.region))];
  const alone = ids.slice(0, REGION_LANES);
  for (const id of alone) marks(nameOf(id), told.filter(event => event.region === id), model.spansIn(id));
  marks("other regions", told.filter(event => !alone.includes(event.region)));
  marks("visits", of("visit"), model.visits(), "visit");
  marks("moves", of("move"));
  marks("wakes", of("wake"));
  marks("source", of("gap"));
  return lanes;
}

function clipped(c, text, width) {
  if (c.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && c.measureText(short + "…").width > width) short = short.slice(0, -1);
  return short + "…";
}
