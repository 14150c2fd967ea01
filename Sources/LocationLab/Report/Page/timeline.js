const timeView = surface($("timeline"), drawTimeline, drawCursor);
Object.assign(timeView, { from: begin, to: end });
const LANE = 26, AXIS = 28;
const lanes = [{ name: "receiver", draw: drawReceiver }]
  .concat(subscribers.map(s => ({ name: s.name, draw: (c, y) => drawLife(c, y, s) })))
  .concat([["regions", ["enter", "exit", "dwell", "state"]], ["visits", ["visit"]], ["moves", ["move"]], ["wakes", ["wake"]],
    ["source", ["gap"]]]
    .map(([name, kinds]) => ({ name, kinds, events: byTime.filter(e => kinds.includes(e.kind)) }))
    .filter(lane => lane.events.length)
    .map(lane => ({ ...lane, draw: (c, y) => drawLane(c, y, lane.events) })));
$("timeline").style.height = lanes.length * LANE + AXIS + "px";

timeView.left = () => Math.min(120, timeView.width * 0.26);
timeView.sx = ms =>
  timeView.left() + (ms - timeView.from) / (timeView.to - timeView.from) * (timeView.width - timeView.left() - 10);
timeView.at = px =>
  timeView.from + (px - timeView.left()) / (timeView.width - timeView.left() - 10) * (timeView.to - timeView.from);
timeView.fit = () => {
  timeView.from = begin;
  timeView.to = end;
  timeView.ask(true);
};
timeView.zoom = (factor, px) => {
  const around = px === undefined ? selection.time ?? (timeView.from + timeView.to) / 2 : timeView.at(px);
  const span = Math.min(Math.max((timeView.to - timeView.from) / factor, 1000), end - begin);
  const share = Math.min(Math.max((around - timeView.from) / (timeView.to - timeView.from), 0), 1);
  timeView.move(around - share * span, span);
};
timeView.pan = share => {
  const span = timeView.to - timeView.from;
  timeView.move(timeView.from + share * span, span);
};
timeView.move = (from, span) => {
  timeView.from = Math.min(Math.max(from, begin), end - span);
  timeView.to = timeView.from + span;
  timeView.ask(true);
};
timeView.show = ms => {
  const span = timeView.to - timeView.from;
  if (ms < timeView.from || ms > timeView.to) timeView.move(ms - span / 2, span);
};

function drawTimeline(c) {
  drawTicks(c);
  c.textBaseline = "middle";
  lanes.forEach((lane, index) => {
    const y = index * LANE + LANE / 2;
    c.fillStyle = colours.fg;
    c.fillText(clipped(c, lane.name, timeView.left() - 14), 8, y);
    c.save();
    c.beginPath();
    c.rect(timeView.left() - 8, 0, timeView.width - timeView.left() + 8, timeView.height);
    c.clip();
    lane.draw(c, y);
    c.restore();
  });
  c.textBaseline = "alphabetic";
}

function clipped(c, text, width) {
  if (c.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && c.measureText(short + "…").width > width) short = short.slice(0, -1);
  return short + "…";
}

// Blocks where a state holds; a pixel that it holds for a part of is the paler for it, but never unseen.
function blocks(c, y, moves, isOne, fill, height, palest) {
  const left = timeView.left(), covered = new Float32Array(Math.ceil(timeView.width) + 1);
  for (let i = 0; i < moves.length; i++) {
    if (!isOne(moves[i])) continue;
    const until = i + 1 < moves.length ? moves[i + 1].time : end;
    if (until < timeView.from || moves[i].time > timeView.to) continue;
    const x = Math.max(timeView.sx(moves[i].time), left);
    const right = Math.max(timeView.sx(Math.min(until, timeView.to)), x + 0.01);
    for (let p = Math.floor(x); p < right && p < covered.length; p++) {
      covered[p] += Math.min(right, p + 1) - Math.max(x, p);
    }
  }
  c.fillStyle = fill;
  for (let p = 0; p < covered.length; p++) {
    if (!covered[p]) continue;
    c.globalAlpha = Math.min(1, Math.max(palest, covered[p]));
    c.fillRect(p, y - height / 2, 1, height);
  }
  c.globalAlpha = 1;
}
// The receiver: bars as tall as the share of the time that it was on, over the time that a bar is wide.
function drawReceiver(c, y) {
  const wide = 3, tall = 18, left = timeView.left(), right = timeView.width;
  const bars = new Float32Array(Math.ceil((right - left) / wide) + 1);
  for (let i = 0; i < receiver.length; i++) {
    if (!receiver[i].on) continue;
    const until = i + 1 < receiver.length ? receiver[i + 1].time : end;
    if (until < timeView.from || receiver[i].time > timeView.to) continue;
    const from = (Math.max(timeView.sx(receiver[i].time), left) - left) / wide;
    const to = (Math.min(timeView.sx(until), right) - left) / wide;
    for (let p = Math.floor(from); p < to && p < bars.length; p++) bars[p] += Math.min(to, p + 1) - Math.max(from, p);
  }
  c.fillStyle = colours.faint;
  c.fillRect(left, y + tall / 2, timeView.sx(Math.min(end, timeView.to)) - left, 1);
  c.fillStyle = colours.receiver;
  for (let p = 0; p < bars.length; p++) {
    if (!bars[p]) continue;
    // A second in a day is still seen.
    const height = Math.max(2, Math.min(1, bars[p]) * tall);
    c.fillRect(left + p * wide, y + tall / 2 - height, wide, height);
  }
}
function drawLife(c, y, { moves }) {
  blocks(c, y, moves, m => m.state === "suspended", colours["state-suspended"], 5, 0.2);
  blocks(c, y, moves, m => m.state === "background", colours["state-background"], 16, 0.6);
  blocks(c, y, moves, m => m.state === "active" || m.state === "inactive", colours["state-active"], 16, 0.6);
}
// Marks of a lane; those that would lie upon each other share its height, and get smaller where they are many.
function drawLane(c, y, list) {
  const seen = list.filter(event => event.time >= timeView.from && event.time <= timeView.to);
  for (let i = 0; i < seen.length;) {
    let next = i + 1;
    while (next < seen.length && timeView.sx(seen[next].time) - timeView.sx(seen[next - 1].time) < 8) next++;
    const rows = Math.min(3, next - i), size = [0, 5, 4, 3][rows];
    for (let k = i; k < next; k++) {
      const step = rows > 1 ? (LANE - 8) / rows : 0;
      mark(c, seen[k].kind, timeView.sx(seen[k].time), y + ((k - i) % rows - (rows - 1) / 2) * step, size);
    }
    i = next;
  }
}

function drawTicks(c) {
  const minute = 60e3, hour = 3600e3, day = 86400e3;
  const steps = [1e3, 5e3, 15e3, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
    12 * hour, day, 2 * day, 7 * day, 30 * day, 365 * day];
  const span = timeView.to - timeView.from, room = (timeView.width - timeView.left()) / 84;
  const step = steps.find(s => span / s <= room) || steps[steps.length - 1];
  const y = lanes.length * LANE;
  const dayName = mostlyDay(timeView.from, timeView.to), dayEnd = 8 + c.measureText(dayName).width + 6;
  c.strokeStyle = colours.faint;
  c.fillStyle = colours.muted;
  c.lineWidth = 1;
  c.textAlign = "center";
  for (let t = Math.ceil(timeView.from / step) * step; t <= timeView.to; t += step) {
    const x = Math.round(timeView.sx(t)) + 0.5;
    c.globalAlpha = 0.5;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, y + 4);
    c.stroke();
    c.globalAlpha = 1;
    if (x > timeView.width - 30) continue;
    const text = clock(t);
    const name = step >= day || t % day === 0 ? text.slice(step >= day ? 0 : 5, 10) : step < minute ? text.slice(11)
      : text.slice(11, 16);
    if (x - c.measureText(name).width / 2 > dayEnd) c.fillText(name, x, y + 18);
  }
  c.textAlign = "start";
  c.fillText(dayName, 8, y + 18);
}

// The date of the day on which most of a time lies.
function mostlyDay(from, to) {
  const day = 86400e3;
  let best = from, most = -1;
  for (let t = Math.floor(from / day) * day; t < to; t += day) {
    const share = Math.min(t + day, to) - Math.max(t, from);
    if (share > most) { most = share; best = t; }
  }
  return clock(best).slice(0, 10);
}

function drawCursor(c) {
  if (selection.time === null || selection.time < timeView.from || selection.time > timeView.to) return;
  const x = timeView.sx(selection.time);
  c.strokeStyle = colours.fg;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x, 0);
  c.lineTo(x, lanes.length * LANE + 4);
  c.stroke();
}

timeView.hit = (px, py) => {
  if (px < timeView.left() - 8) return null;
  const lane = lanes[Math.floor(py / LANE)];
  let best = null, distance = 8;
  for (const event of lane && lane.events ? lane.events : byTime) {
    const d = Math.abs(timeView.sx(event.time) - px);
    if (d < distance && event.kind !== "other") { distance = d; best = event; }
  }
  if (best) return { time: best.time, event: best };
  return { time: Math.min(Math.max(timeView.at(px), begin), end), event: null };
};

