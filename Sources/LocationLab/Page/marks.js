// What lies upon the map: the track with its direction, fixes, marks of events and names, on a canvas of its own.

/** The colours of the scheme, by the names of the style sheet. */
const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["fg", "bg", "muted", "faint", "panel", "track", "receiver", "region", "enter", "exit", "move",
    "visit", "wake", "gap", "state-active", "state-background", "state-suspended"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

/** Draws a mark of its own shape for each kind, so that colour is not needed to tell them apart. */
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

/** Where a place is in Mercator's world, which is 1 wide and 1 tall. */
function mercator(lat, lon) {
  const phi = Math.max(-85.0511287798, Math.min(85.0511287798, lat)) * Math.PI / 180;
  return [lon / 360 + 0.5, 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI)];
}

class MarkCanvas {
  constructor(map) {
    this.map = map;
    this.names = [];
    this.placed = [];
    const pane = map.createPane("marks");
    // Above the regions, below the position.
    pane.style.zIndex = 450;
    pane.style.pointerEvents = "none";
    this.canvas = L.DomUtil.create("canvas", "leaflet-zoom-animated", pane);
    map.on("move zoomend viewreset resize", () => this.ask());
    map.on("zoomanim", event => {
      const corner = map._latLngToNewLayerPoint(map.containerPointToLatLng([0, 0]), event.zoom, event.center);
      L.DomUtil.setTransform(this.canvas, corner, map.getZoomScale(event.zoom));
    });
  }

  set model(model) {
    this.track = model;
    this.wx = new Float64Array(model.n);
    this.wy = new Float64Array(model.n);
    for (let i = 0; i < model.n; i++) [this.wx[i], this.wy[i]] = mercator(model.lat[i], model.shown[i]);
    this.spots = model.byTime.filter(event => event.shown !== null && event.kind !== "other")
      .map(event => ({ event, at: mercator(event.lat, event.shown) }));
  }
  get model() { return this.track; }

  ask() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.isAsked = false;
    const { x: width, y: height } = this.map.getSize(), ratio = window.devicePixelRatio || 1, canvas = this.canvas;
    if (!width || !height) return;
    if (this.width !== width || this.height !== height || this.ratio !== ratio) {
      Object.assign(this, { width, height, ratio });
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    L.DomUtil.setPosition(canvas, this.map.containerPointToLayerPoint([0, 0]));
    const corner = this.map.getPixelBounds().min;
    Object.assign(this, { scale: 256 * 2 ** this.map.getZoom(), left: corner.x, top: corner.y });
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = "12px system-ui, sans-serif";
    this.placed = [];
    if (this.track) {
      this.drawTrack(c);
      if (this.track.isAdaptive) this.drawFixes(c);
      this.drawRefused(c);
      this.drawWay(c);
      this.drawMarks(c);
    }
    this.drawNames(c);
  }

  sx(x) { return x * this.scale - this.left; }
  sy(y) { return y * this.scale - this.top; }

  /** Whether a place is on the map, or beside it by no more than so many pixels. */
  isSeen(x, y, by = 0) { return x >= -by && y >= -by && x <= this.width + by && y <= this.height + by; }

  /** One stroke, without the points that fall on the same pixel. */
  drawTrack(c) {
    const { n, isBreak, use } = this.track, w = this.width, h = this.height;
    let lastX = 0, lastY = 0, isDown = false, wasIn = false;
    c.beginPath();
    for (let i = 0; i < n; i++) {
      if (isBreak[i]) isDown = false;
      if (use[i] === REFUSED) continue;
      const x = this.sx(this.wx[i]), y = this.sy(this.wy[i]);
      if (isDown && Math.abs(x - lastX) < 1 && Math.abs(y - lastY) < 1) continue;
      const isIn = x > -w && y > -h && x < 2 * w && y < 2 * h;
      if (isDown && (isIn || wasIn)) c.lineTo(x, y);
      else c.moveTo(x, y);
      isDown = true;
      wasIn = isIn;
      lastX = x;
      lastY = y;
    }
    c.strokeStyle = this.track.isAdaptive ? colours.faint : colours.track;
    c.lineWidth = 2;
    c.lineJoin = "round";
    c.stroke();
  }

  drawFixes(c) {
    const { n, use } = this.track;
    let lastX = -99, lastY = -99;
    c.fillStyle = colours.track;
    c.beginPath();
    for (let i = 0; i < n; i++) {
      if (use[i] !== BELIEVED) continue;
      const x = this.sx(this.wx[i]), y = this.sy(this.wy[i]);
      if (Math.abs(x - lastX) < 2 && Math.abs(y - lastY) < 2 || !this.isSeen(x, y, 4)) continue;
      c.moveTo(x + 3, y);
      c.arc(x, y, 3, 0, 7);
      lastX = x;
      lastY = y;
    }
    c.fill();
  }

  drawRefused(c) {
    const { n, use } = this.track;
    c.strokeStyle = colours.gap;
    c.lineWidth = 1;
    c.beginPath();
    for (let i = 0; i < n; i++) {
      if (use[i] !== REFUSED) continue;
      const x = this.sx(this.wx[i]), y = this.sy(this.wy[i]);
      if (!this.isSeen(x, y)) continue;
      c.moveTo(x - 2, y); c.lineTo(x + 2, y);
      c.moveTo(x, y - 2); c.lineTo(x, y + 2);
    }
    c.stroke();
  }

  /** Where the track begins and ends, and arrowheads along it. */
  drawWay(c) {
    const { fitted, isBreak, isLive } = this.track;
    if (!fitted.length) return;
    c.fillStyle = colours.track;
    const apart = 110;
    let last = null, since = apart / 2, tail = null;
    for (const i of fitted) {
      const x = this.sx(this.wx[i]), y = this.sy(this.wy[i]);
      if (last && !isBreak[i]) {
        since += Math.hypot(x - last[0], y - last[1]);
        // A direction takes some pixels, or it would be that of the noise.
        if (Math.hypot(x - tail[0], y - tail[1]) > 12) {
          if (since > apart && this.isSeen(x, y)) {
            arrow(c, x, y, Math.atan2(y - tail[1], x - tail[0]));
            since = 0;
          }
          tail = [x, y];
        }
      } else tail = [x, y];
      last = [x, y];
    }
    // A day is not over where it ends; the position is there.
    if (!isLive) this.drawEnds(c, fitted[0], fitted[fitted.length - 1]);
  }

  drawEnds(c, first, final) {
    const points = [first, final].map(i => [this.sx(this.wx[i]), this.sy(this.wy[i])]);
    const isRound = Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]) < 24;
    c.lineWidth = 2.5;
    for (const [k, name] of ["start", "end"].entries()) {
      if (isRound && k) continue;
      const [x, y] = points[k];
      c.beginPath();
      if (k) c.rect(x - 6, y - 6, 12, 12); else c.arc(x, y, 7, 0, 7);
      c.fillStyle = colours.bg;
      c.strokeStyle = colours.track;
      c.fill();
      c.stroke();
      this.label(c, isRound ? "start, end" : name, x, y + 21);
    }
  }

  /**
   * A ring about the mark of an event says that a program was woken for it. Marks stand where nothing else does: what
   * would lie upon another is moved aside, with a line to its place. Where a crowd leaves no room near by, the first of
   * it stands for all; zooming in shows the others.
   */
  drawMarks(c) {
    const size = 5;
    this.placed = this.place();
    c.strokeStyle = colours.muted;
    c.lineWidth = 1;
    c.beginPath();
    for (const spot of this.placed) {
      if (spot.px === spot.x && spot.py === spot.y) continue;
      c.moveTo(spot.x, spot.y);
      c.lineTo(spot.px, spot.py);
    }
    c.stroke();
    for (const spot of this.placed) {
      if (spot.wakes) {
        c.beginPath();
        c.arc(spot.px, spot.py, size + 3, 0, 7);
        c.fillStyle = colours.panel;
        c.fill();
        c.strokeStyle = colours.wake;
        c.lineWidth = 2;
        c.stroke();
      }
      mark(c, spot.event.kind, spot.px, spot.py, spot.wakes ? size - 1 : size);
    }
  }

  /** The marks that are seen: the event, its place (x, y) and where the mark stands (px, py). */
  place() {
    const room = 15, taken = new Map(), placed = [], cell = v => Math.floor(v / room);
    const isFree = (x, y) => {
      for (let i = cell(x) - 1; i <= cell(x) + 1; i++) {
        for (let j = cell(y) - 1; j <= cell(y) + 1; j++) {
          const others = taken.get(i + " " + j);
          if (others && others.some(o => Math.hypot(o.px - x, o.py - y) < room)) return false;
        }
      }
      return true;
    };
    let cause = null;
    for (const { event, at } of this.spots) {
      if (event.kind === "wake" && cause && cause.event.time === event.time) {
        cause.wakes++;
        continue;
      }
      if (event.kind !== "wake") cause = null;
      const x = this.sx(at[0]), y = this.sy(at[1]);
      if (!this.isSeen(x, y, 9)) continue;
      let spot = null;
      for (let ring = 0; ring <= 3 && !spot; ring++) {
        const around = ring * 8;
        for (let k = 0; k <= Math.max(0, around - 1) && !spot; k++) {
          const angle = -Math.PI / 2 + 2 * Math.PI * k / Math.max(1, around);
          const px = x + ring * 16 * Math.cos(angle), py = y + ring * 16 * Math.sin(angle);
          if (isFree(px, py)) spot = { px, py, x, y, event, wakes: 0 };
        }
      }
      if (!spot) continue;
      const key = cell(spot.px) + " " + cell(spot.py);
      if (taken.has(key)) taken.get(key).push(spot); else taken.set(key, [spot]);
      placed.push(spot);
      if (event.kind !== "wake") cause = spot;
    }
    return placed;
  }

  /** The names of regions, above them; of names that would lie on each other the first. */
  drawNames(c) {
    const taken = [];
    for (const { name, bounds } of this.names) {
      const [left, top] = mercator(bounds.getNorth(), bounds.getWest());
      const [right, bottom] = mercator(bounds.getSouth(), bounds.getEast());
      if (this.sx(right) < 0 || this.sx(left) > this.width || this.sy(bottom) < 0 || this.sy(top) > this.height) continue;
      const x = this.sx((left + right) / 2), y = this.sy(top) - 5, half = c.measureText(name).width / 2 + 2;
      if (taken.some(other => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 13)) continue;
      this.label(c, name, x, y);
      if (taken.push({ x, y, half }) === 200) return;
    }
  }

  label(c, text, x, y) {
    // Within the map, if the place is.
    const half = c.measureText(text).width / 2 + 4;
    if (x > 0 && x < this.width && 2 * half < this.width) x = Math.min(Math.max(x, half), this.width - half);
    c.textAlign = "center";
    c.lineWidth = 3;
    c.lineJoin = "round";
    c.strokeStyle = colours.panel;
    c.fillStyle = colours.fg;
    c.strokeText(text, x, y);
    c.fillText(text, x, y);
    c.textAlign = "start";
  }

  /** What lies under a pointer, `time` and `event`: an event where its mark is seen, else a point of the track. */
  hit({ x: px, y: py }) {
    let best = null, far = 12;
    for (const spot of this.placed) {
      const d = Math.hypot(spot.px - px, spot.py - py);
      if (d < far) { far = d; best = spot.event; }
    }
    if (best) return { time: best.time, event: best };
    if (!this.track) return null;
    const { n, use, time } = this.track;
    let nearest = -1;
    far = 20;
    for (let i = 0; i < n; i++) {
      const d = Math.abs(this.sx(this.wx[i]) - px) + Math.abs(this.sy(this.wy[i]) - py);
      if (d < far && use[i] !== REFUSED) { far = d; nearest = i; }
    }
    return nearest < 0 ? null : { time: time[nearest], event: null };
  }
}

function arrow(c, x, y, angle) {
  c.save();
  c.translate(x, y);
  c.rotate(angle);
  c.beginPath();
  c.moveTo(6, 0); c.lineTo(-5, -5); c.lineTo(-2, 0); c.lineTo(-5, 5);
  c.closePath();
  c.fill();
  c.restore();
}
