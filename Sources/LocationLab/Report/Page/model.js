const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const SCALE = 1e-7;

function sums(differences, Type, start) {
  const all = new Type(differences.length);
  let sum = start;
  for (let i = 0; i < all.length; i++) all[i] = sum += differences[i];
  return all;
}

// Points: time in ms since 1970, degrees, and what became of them.
const NOT_ASKED = 0, BELIEVED = 1, REFUSED = 2;
const n = data.n;
const time = sums(data.t, Float64Array, data.t0);
const lat = sums(data.lat, Float64Array, 0).map(v => v * SCALE);
const lon = sums(data.lon, Float64Array, 0).map(v => v * SCALE);
const use = new Uint8Array(n);
for (let i = 0, at = 0; i < data.use.length; i += 2) use.fill(data.use[i], at, at += data.use[i + 1]);
const isBreak = new Uint8Array(n + 1);
for (const i of data.breaks) isBreak[i] = 1;

// The points in order of time; a receiver's clock may jump.
let order = null;
for (let i = 1; i < n; i++) {
  if (time[i] < time[i - 1]) {
    order = Uint32Array.from(time.keys()).sort((a, b) => time[a] - time[b] || a - b);
    break;
  }
}
const nth = i => (order ? order[i] : i);

// The last believed or unasked point not after a time; the first where there is none.
function pointAt(ms) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[nth(middle)] <= ms) low = middle + 1; else high = middle;
  }
  let i = Math.max(0, low - 1);
  while (i > 0 && use[nth(i)] === REFUSED) i--;
  return n ? nth(i) : -1;
}

// A local plane: metres east and north of the middle of what is believed, on WGS 84. Longitudes are taken
// the short way round, so that a track may cross the antimeridian.
const fitted = [];
for (let i = 0; i < n; i++) if (use[i] !== REFUSED) fitted.push(i);
const first = fitted.length ? fitted[0] : 0;
const middleLon = n ? lon[first] : data.regions.length ? anyPlace(data.regions[0])[1] : 0;
let low = Infinity, high = -Infinity;
for (const i of fitted) { low = Math.min(low, lat[i]); high = Math.max(high, lat[i]); }
const middleLat = fitted.length ? (low + high) / 2 : data.regions.length ? anyPlace(data.regions[0])[0] : 0;
const phi = middleLat * Math.PI / 180, E2 = 0.0066943799901413165;
const bend = 1 - E2 * Math.sin(phi) ** 2;
const KX = 6378137 / Math.sqrt(bend) * Math.cos(phi) * Math.PI / 180;
const KY = 6378137 * (1 - E2) / bend ** 1.5 * Math.PI / 180;
const short = d => d - 360 * Math.round(d / 360);
const east = longitude => short(longitude - middleLon) * KX;
const north = latitude => (latitude - middleLat) * KY;
function anyPlace(region) {
  if (region.radius) return [region.lat * SCALE, region.lon * SCALE];
  const line = (region.rings || region.line)[0];
  return [line[0][0] * SCALE, line[1][0] * SCALE];
}

const X = new Float64Array(n), Y = new Float64Array(n);
for (let i = 0, turn = 0; i < n; i++) {
  // Along the track too: it may go round the world.
  const x = east(lon[i]) / KX;
  if (i && use[i] !== REFUSED) turn = Math.round((X[i - 1] / KX - x) / 360) * 360;
  X[i] = (x + turn) * KX;
  Y[i] = north(lat[i]);
}

function bounds(xs, ys) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xs.length; i++) {
    box[0] = Math.min(box[0], xs[i]); box[1] = Math.min(box[1], ys[i]);
    box[2] = Math.max(box[2], xs[i]); box[3] = Math.max(box[3], ys[i]);
  }
  return box;
}

const regions = data.regions.map(region => {
  const name = region.name || region.id;
  if (region.radius) {
    const x = east(region.lon * SCALE), y = north(region.lat * SCALE), r = region.radius;
    return { id: region.id, name, x, y, r, box: [x - r, y - r, x + r, y + r] };
  }
  const lines = (region.rings || region.line).map(line => {
    const la = sums(line[0], Float64Array, 0), lo = sums(line[1], Float64Array, 0);
    let last = east(lo[0] * SCALE) / KX;
    const xs = Array.from(lo, (v, i) => {
      if (i) last += short((v - lo[i - 1]) * SCALE);
      return last * KX;
    });
    return { xs, ys: Array.from(la, v => north(v * SCALE)) };
  });
  const box = bounds(lines.flatMap(l => l.xs), lines.flatMap(l => l.ys));
  const half = region.buffer || 0;
  return { id: region.id, name, lines, half, isArea: !region.line,
    box: [box[0] - half, box[1] - half, box[2] + half, box[3] + half] };
});

const KIND = {
  "region.enter": "enter", "region.exit": "exit", "region.dwell": "dwell", "region.cross": "dwell",
  "region.state": "state", significant: "move", "visit.arrive": "visit", "visit.depart": "visit", gap: "gap", stale: "gap", source: "gap", refused: "gap",
};
const events = data.events.map((e, index) => {
  const ms = data.t0 + e.t;
  const woken = e.action === "wake" || e.action === "relaunch";
  // That the device is outside at first says nothing of where it is.
  const isOutside = e.type === "region.state" && e.what !== "inside";
  const kind = woken ? "wake" : isOutside ? "other" : KIND[e.type] || "other";
  const at = e.lat === undefined ? pointAt(ms) : -1;
  const place = e.lat !== undefined ? [e.lat * SCALE, e.lon * SCALE] : at >= 0 ? [lat[at], lon[at]] : null;
  return { index, id: e.id, time: ms, type: e.type, what: e.what, detail: e.detail, kind, region: e.region,
    subscriber: e.subscriber, lat: place && place[0], lon: place && place[1],
    x: place && (at >= 0 ? X[at] : nearTurn(ms, east(place[1]))), y: place && north(place[0]) };
});
function nearTurn(ms, x) {
  const at = pointAt(ms);
  return at < 0 ? x : x + Math.round((X[at] - x) / (360 * KX)) * 360 * KX;
}
const byTime = events.slice().sort((a, b) => a.time - b.time || a.index - b.index);

let begin = Infinity, end = -Infinity;
for (const i of fitted) { begin = Math.min(begin, time[i]); end = Math.max(end, time[i]); }
for (const e of events) { begin = Math.min(begin, e.time); end = Math.max(end, e.time); }
if (!(begin < end)) { begin = Number.isFinite(begin) ? begin : data.t0; end = begin + 1000; }

const receiver = data.receiver.map(([t, on, why]) => ({ time: data.t0 + t, on: on === 1, why }));
if (!receiver.length || receiver[0].time > begin) {
  receiver.unshift({ time: begin, on: true, why: data.adaptive ? "begin" : "continuous" });
}
const subscribers = data.subscribers.map(s => ({
  name: s.name, moves: s.moves.map(([t, state]) => ({ time: data.t0 + t, state })),
}));
// The move that holds at a time.
function holding(moves, ms) {
  let low = 0, high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moves[middle].time <= ms) low = middle + 1; else high = middle;
  }
  return low ? moves[low - 1] : null;
}

const clock = ms => new Date(ms).toISOString().replace("T", " ").replace(/\.000Z$/, "").replace("Z", "");

