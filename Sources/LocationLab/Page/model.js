"use strict";
// What the page shows, in order of time: the points of a track or of a day, its events, the receiver and the programs.
// Nothing here knows whether a server or a file gave it.

// What became of a point.
const NOT_ASKED = 0, BELIEVED = 1, REFUSED = 2;

/** The mark of each type of event. */
const KIND = {
  "region.enter": "enter", "region.exit": "exit", "region.dwell": "dwell", "region.cross": "dwell",
  "region.state": "state", significant: "move", "visit.arrive": "visit", "visit.depart": "visit", gap: "gap", stale: "gap",
  source: "gap", refused: "gap",
};

/** The move that holds at a time; null before the first. */
function holding(moves, ms) {
  let low = 0, high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moves[middle].time <= ms) low = middle + 1; else high = middle;
  }
  return low ? moves[low - 1] : null;
}

class Model {
  /**
   * - time (ms since 1970), lat, lon (degrees) and use: of the points; breaks: those that do not continue the one before.
   * - events: id, time, type, what, detail, and of what has them region, state, subscriber, action, lat, lon.
   * - receiver: moves of it, time, on and why; subscribers: name and moves, time and state.
   * - begin, end: what the timeline shows; by default all of it. now: where it is not over.
   * - offset: milliseconds of the clock that is shown ahead of UTC, at a time.
   */
  constructor(parts) {
    const { time, lat, lon, use, breaks = [], regions = [], isAdaptive = false, isLive = false, units = "metric" } = parts;
    Object.assign(this, { n: time.length, time, lat, lon, use, regions, isAdaptive, isLive, units });
    this.offset = parts.offset || (() => 0);
    this.isBreak = new Uint8Array(this.n + 1);
    for (const i of breaks) this.isBreak[i] = 1;
    this.sortPoints();
    this.turnPoints();
    this.events = parts.events.map((event, index) => this.placed(event, index));
    this.byId = new Map(this.events.map(event => [event.id, event]));
    this.byTime = this.events.slice().sort((a, b) => a.time - b.time || a.index - b.index);
    // That the device was outside at first is said of every region.
    this.told = new Set(this.events.filter(event => event.region && event.kind !== "other").map(event => event.region));
    this.bound(parts.begin, parts.end, parts.now);
    this.receiver = parts.receiver || [];
    this.subscribers = parts.subscribers || [];
  }

  /** The points in order of time; a receiver's clock may jump. */
  sortPoints() {
    this.order = null;
    for (let i = 1; i < this.n; i++) {
      if (this.time[i] < this.time[i - 1]) {
        this.order = Uint32Array.from(this.time.keys()).sort((a, b) => this.time[a] - this.time[b] || a - b);
        return;
      }
    }
  }

  /** Longitudes go on along the track, so that it may cross the antimeridian: `shown` may lie beyond 180 degrees.
   * `fitted` are the points that were not refused; `box` is around them: south, west, north, east. */
  turnPoints() {
    this.shown = new Float64Array(this.n);
    this.fitted = [];
    let last = null, south = Infinity, north = -Infinity, west = Infinity, east = -Infinity;
    for (let i = 0; i < this.n; i++) {
      this.shown[i] = last === null ? this.lon[i] : this.lon[i] + 360 * Math.round((last - this.lon[i]) / 360);
      if (this.use[i] === REFUSED) continue;
      last = this.shown[i];
      this.fitted.push(i);
      south = Math.min(south, this.lat[i]);
      north = Math.max(north, this.lat[i]);
      west = Math.min(west, last);
      east = Math.max(east, last);
    }
    this.box = [south, west, north, east];
  }

  placed(event, index) {
    const isWake = event.action === "wake" || event.action === "relaunch";
    // That the device is outside at first says nothing of where it is.
    const isOutside = event.type === "region.state" && event.state !== "inside";
    const kind = isWake ? "wake" : isOutside ? "other" : KIND[event.type] || "other";
    const at = this.pointAt(event.time), isGiven = event.lat !== undefined;
    const place = isGiven ? [event.lat, event.lon] : at >= 0 ? [this.lat[at], this.lon[at]] : [null, null];
    const shown = place[1] === null ? null : isGiven ? this.near(place[1], at) : this.shown[at];
    return { ...event, index, kind, lat: place[0], lon: place[1], shown };
  }

  /** A longitude on the turn of a point; by default, of the first. */
  near(longitude, at = this.fitted.length ? this.fitted[0] : -1) {
    return at < 0 ? longitude : longitude + 360 * Math.round((this.shown[at] - longitude) / 360);
  }

  bound(begin, end, now) {
    let first = Infinity, last = -Infinity;
    for (const i of this.fitted) { first = Math.min(first, this.time[i]); last = Math.max(last, this.time[i]); }
    for (const event of this.events) { first = Math.min(first, event.time); last = Math.max(last, event.time); }
    this.begin = begin === undefined ? (Number.isFinite(first) ? first : 0) : begin;
    this.end = end === undefined ? last : end;
    if (!(this.begin < this.end)) this.end = this.begin + 1000;
    // What goes on is not known beyond.
    this.known = now === undefined ? this.end : Math.min(this.end, Math.max(this.begin, now));
  }

  nth(i) { return this.order ? this.order[i] : i; }

  /** The last believed or unasked point not after a time; the first where there is none. */
  pointAt(ms) {
    let low = 0, high = this.n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[this.nth(middle)] <= ms) low = middle + 1; else high = middle;
    }
    let i = Math.max(0, low - 1);
    while (i > 0 && this.use[this.nth(i)] === REFUSED) i--;
    return this.n ? this.nth(i) : -1;
  }

  /** The fix taken before or after a time. */
  fixFrom(ms, by) {
    let best = null;
    for (let i = 0; i < this.n; i++) {
      if (this.use[i] !== BELIEVED || (this.time[i] - ms) * by <= 0) continue;
      if (best === null || (best - this.time[i]) * by > 0) best = this.time[i];
    }
    return best;
  }

  /** The ids of the regions in which the device was at a time, as far as events tell. */
  insideAt(ms) {
    const inside = new Set();
    for (const { time, kind, region } of this.byTime) {
      if (time > ms) break;
      if (kind === "enter" || kind === "state") inside.add(region);
      if (kind === "exit" || kind === "other") inside.delete(region);
    }
    return inside;
  }

  /** From when to when the device was in a region. */
  spansIn(region) {
    return this.spans(e => e.region === region,
      e => e.kind === "enter" || e.kind === "state", e => e.kind === "exit",
      // The region was moved away.
      e => e.kind === "other" && e.type === "region.state");
  }

  /** From when to when visits lasted. */
  visits() { return this.spans(() => true, e => e.type === "visit.arrive", e => e.type === "visit.depart"); }

  spans(isOurs, begins, ends, cuts = () => false) {
    const spans = [];
    let since = null, isFirst = true;
    for (const event of this.byTime) {
      if (!isOurs(event)) continue;
      if (begins(event)) since = since === null ? event.time : since;
      if (ends(event) && (since !== null || isFirst) || cuts(event) && since !== null) {
        spans.push([since === null ? this.begin : since, event.time]);
        since = null;
      }
      if (begins(event) || ends(event)) isFirst = false;
    }
    if (since !== null) spans.push([since, this.known]);
    return spans;
  }

  /** Metres along the fixes taken, on a sphere. */
  length() {
    const rad = Math.PI / 180;
    let sum = 0, last = -1;
    for (const i of this.fitted) {
      if (this.use[i] !== BELIEVED) continue;
      if (last >= 0 && !this.isBreak[i]) {
        const a = Math.sin((this.lat[i] - this.lat[last]) * rad / 2) ** 2
          + Math.cos(this.lat[i] * rad) * Math.cos(this.lat[last] * rad)
          * Math.sin((this.shown[i] - this.shown[last]) * rad / 2) ** 2;
        sum += 2 * 6371008.8 * Math.asin(Math.min(1, Math.sqrt(a)));
      }
      last = i;
    }
    return sum;
  }

  /** `2026-05-04 06:30:00`, by the clock that is shown. */
  clock(ms) {
    const text = new Date(Math.round(ms) + this.offset(ms)).toISOString();
    return text.replace("T", " ").replace(/\.000Z$/, "").replace("Z", "");
  }

  /** The date of the day on which most of a time lies. */
  mostlyDay(from, to) {
    const day = 86400e3, shift = this.offset(from);
    let best = from, most = -1;
    for (let t = Math.floor((from + shift) / day) * day - shift; t < to; t += day) {
      const share = Math.min(t + day, to) - Math.max(t, from);
      if (share > most) { most = share; best = Math.max(t, from); }
    }
    return this.clock(best).slice(0, 10);
  }
}

/** The smaller and the larger unit of length of each system, each with its metres. */
const UNITS = {
  metric: [["m", 1], ["km", 1000]], imperial: [["ft", 0.3048], ["mi", 1609.344]], nautical: [["m", 1], ["nmi", 1852]],
};

function distance(metres, units = "metric") {
  const [small, large] = UNITS[units];
  if (metres < large[1]) return `${Math.round(metres / small[1])} ${small[0]}`;
  return `${(metres / large[1]).toFixed(1)} ${large[0]}`;
}
