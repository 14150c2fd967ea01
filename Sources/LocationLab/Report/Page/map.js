const mapView = surface($("map"), drawMap, drawPlace);
Object.assign(mapView, { cx: 0, cy: 0, scale: 1, isFitted: false });

mapView.fit = () => {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const add = b => {
    box[0] = Math.min(box[0], b[0]); box[1] = Math.min(box[1], b[1]);
    box[2] = Math.max(box[2], b[2]); box[3] = Math.max(box[3], b[3]);
  };
  for (const i of fitted) add([X[i], Y[i], X[i], Y[i]]);
  const told = new Set(events.map(e => e.region));
  for (const region of regions) if (!fitted.length || told.has(region.id)) add(region.box);
  if (!(box[0] <= box[2])) add([-100, -100, 100, 100]);
  const wide = Math.max(box[2] - box[0], 50), tall = Math.max(box[3] - box[1], 50);
  mapView.scale = Math.min((mapView.width - 48) / wide, (mapView.height - 64) / tall);
  mapView.cx = (box[0] + box[2]) / 2;
  mapView.cy = (box[1] + box[3]) / 2;
  mapView.isFitted = true;
  mapView.ask(true);
};
mapView.resized = () => {
  if (!mapView.isMoved) mapView.fit();
};
mapView.sx = x => (x - mapView.cx) * mapView.scale + mapView.width / 2;
mapView.sy = y => (mapView.cy - y) * mapView.scale + mapView.height / 2;
mapView.zoom = (factor, px = mapView.width / 2, py = mapView.height / 2) => {
  const scale = Math.min(Math.max(mapView.scale * factor, 1e-6), 1e3);
  mapView.cx += (px - mapView.width / 2) * (1 / mapView.scale - 1 / scale);
  mapView.cy -= (py - mapView.height / 2) * (1 / mapView.scale - 1 / scale);
  mapView.scale = scale;
  mapView.isMoved = true;
  mapView.ask(true);
};
mapView.pan = (dx, dy) => {
  mapView.cx -= dx / mapView.scale;
  mapView.cy += dy / mapView.scale;
  mapView.isMoved = true;
  mapView.ask(true);
};
// Moves the map only where a place would not be on it.
mapView.show = (x, y) => {
  const px = mapView.sx(x), py = mapView.sy(y);
  if (px > 24 && py > 24 && px < mapView.width - 24 && py < mapView.height - 24) return;
  mapView.cx = x;
  mapView.cy = y;
  mapView.isMoved = true;
  mapView.ask(true);
};

function drawMap(c) {
  drawTiles(c, mapView);
  for (const region of regions) drawRegion(c, region);
  drawTrack(c);
  if (data.adaptive) drawFixes(c);
  drawRefused(c);
  drawWay(c);
  drawMarks(c);
  drawNames(c);
  drawScale(c);
  drawCredit(c, mapView);
}

// A ring about the mark of an event says that a program was woken for it. Marks stand where nothing else does: what would lie upon another is moved aside, with a line to its place. Where a crowd
// leaves no room near by, the first of it stands for all; zooming in shows the others.
function drawMarks(c) {
  const size = 5, room = 15, taken = new Map(), placed = [];
  let cause = null;
  const cell = v => Math.floor(v / room);
  const isFree = (x, y) => {
    for (let i = cell(x) - 1; i <= cell(x) + 1; i++) {
      for (let j = cell(y) - 1; j <= cell(y) + 1; j++) {
        const other = taken.get(i + " " + j);
        if (other && other.some(o => Math.hypot(o.px - x, o.py - y) < room)) return false;
      }
    }
    return true;
  };
  for (const event of byTime) {
    if (event.x === null || event.kind === "other") continue;
    if (event.kind === "wake" && cause && cause.event.time === event.time) {
      cause.wakes++;
      continue;
    }
    const x = mapView.sx(event.x), y = mapView.sy(event.y);
    if (event.kind !== "wake") cause = null;
    if (x < -9 || y < -9 || x > mapView.width + 9 || y > mapView.height + 9) continue;
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
  c.strokeStyle = colours.muted;
  c.lineWidth = 1;
  c.beginPath();
  for (const spot of placed) {
    if (spot.px === spot.x && spot.py === spot.y) continue;
    c.moveTo(spot.x, spot.y);
    c.lineTo(spot.px, spot.py);
  }
  c.stroke();
  for (const spot of placed) {
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
  mapView.placed = placed;
}

// Where the track begins and ends, and arrowheads along it.
function drawWay(c) {
  if (!fitted.length) return;
  c.fillStyle = colours.track;
  const apart = 110;
  let last = null, since = apart / 2, tail = null;
  for (const i of fitted) {
    const x = mapView.sx(X[i]), y = mapView.sy(Y[i]);
    if (last && !isBreak[i]) {
      since += Math.hypot(x - last[0], y - last[1]);
      // A direction takes some pixels, or it would be that of the noise.
      if (Math.hypot(x - tail[0], y - tail[1]) > 12) {
        if (since > apart && x > 0 && y > 0 && x < mapView.width && y < mapView.height) {
          arrow(c, x, y, Math.atan2(y - tail[1], x - tail[0]));
          since = 0;
        }
        tail = [x, y];
      }
    } else tail = [x, y];
    last = [x, y];
  }
  const ends = [[fitted[0], "start"], [fitted[fitted.length - 1], "end"]];
  const points = ends.map(([i]) => [mapView.sx(X[i]), mapView.sy(Y[i])]);
  const isRound = Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]) < 24;
  c.lineWidth = 2.5;
  for (const [k, [, name]] of ends.entries()) {
    if (isRound && k) continue;
    const [x, y] = points[k];
    c.beginPath();
    if (k) c.rect(x - 6, y - 6, 12, 12); else c.arc(x, y, 7, 0, 7);
    c.fillStyle = colours.bg;
    c.strokeStyle = colours.track;
    c.fill();
    c.stroke();
    label(c, isRound ? "start, end" : name, x, y + 21);
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

function label(c, text, x, y) {
  // Within the map, if the place is.
  const half = c.measureText(text).width / 2 + 4;
  if (x > 0 && x < mapView.width && 2 * half < mapView.width) x = Math.min(Math.max(x, half), mapView.width - half);
  c.textAlign = "center";
  c.lineWidth = 3;
  c.strokeStyle = colours.panel;
  c.fillStyle = colours.fg;
  c.strokeText(text, x, y);
  c.fillText(text, x, y);
  c.textAlign = "start";
}

function isSeen(box) {
  return mapView.sx(box[2]) >= 0 && mapView.sx(box[0]) <= mapView.width
    && mapView.sy(box[1]) >= 0 && mapView.sy(box[3]) <= mapView.height;
}

function drawRegion(c, region) {
  if (!isSeen(region.box)) return;
  c.beginPath();
  if (region.r) c.arc(mapView.sx(region.x), mapView.sy(region.y), Math.max(region.r * mapView.scale, 2), 0, 7);
  for (const line of region.lines || []) {
    for (let i = 0; i < line.xs.length; i++) {
      const x = mapView.sx(line.xs[i]), y = mapView.sy(line.ys[i]);
      if (i) c.lineTo(x, y); else c.moveTo(x, y);
    }
    if (region.isArea) c.closePath();
  }
  c.strokeStyle = c.fillStyle = colours.region;
  c.lineJoin = c.lineCap = "round";
  c.lineWidth = 1.5;
  c.globalAlpha = 0.18;
  if (region.half) { c.lineWidth = Math.max(2 * region.half * mapView.scale, 2); c.stroke(); }
  else c.fill("evenodd");
  c.globalAlpha = 1;
  c.lineWidth = 1.5;
  c.stroke();
  c.lineCap = "butt";
}

function drawNames(c) {
  const seen = regions.filter(region => isSeen(region.box)).slice(0, 200);
  for (const region of seen) {
    label(c, region.name, mapView.sx((region.box[0] + region.box[2]) / 2), mapView.sy(region.box[3]) - 5);
  }
}

// One stroke, without the points that fall on the same pixel.
function drawTrack(c) {
  c.beginPath();
  let lastX = 0, lastY = 0, isDown = false, wasIn = false;
  const w = mapView.width, h = mapView.height, s = mapView.scale;
  const ox = w / 2 - mapView.cx * s, oy = h / 2 + mapView.cy * s;
  for (let i = 0; i < n; i++) {
    if (isBreak[i]) isDown = false;
    if (use[i] === REFUSED) continue;
    const x = X[i] * s + ox, y = oy - Y[i] * s;
    if (isDown && Math.abs(x - lastX) < 1 && Math.abs(y - lastY) < 1) continue;
    const isIn = x > -w && y > -h && x < 2 * w && y < 2 * h;
    if (isDown && (isIn || wasIn)) c.lineTo(x, y);
    else c.moveTo(x, y);
    isDown = true;
    wasIn = isIn;
    lastX = x;
    lastY = y;
  }
  c.strokeStyle = data.adaptive ? colours.faint : colours.track;
  c.lineWidth = 2;
  c.lineJoin = "round";
  c.stroke();
}

function drawFixes(c) {
  let lastX = -99, lastY = -99;
  c.fillStyle = colours.track;
  c.beginPath();
  for (let i = 0; i < n; i++) {
    if (use[i] !== BELIEVED) continue;
    const x = mapView.sx(X[i]), y = mapView.sy(Y[i]);
    if (Math.abs(x - lastX) < 2 && Math.abs(y - lastY) < 2) continue;
    if (x < -4 || y < -4 || x > mapView.width + 4 || y > mapView.height + 4) continue;
    c.moveTo(x + 3, y);
    c.arc(x, y, 3, 0, 7);
    lastX = x;
    lastY = y;
  }
  c.fill();
}

function drawRefused(c) {
  c.strokeStyle = colours.gap;
  c.lineWidth = 1;
  c.beginPath();
  for (let i = 0; i < n; i++) {
    if (use[i] !== REFUSED) continue;
    const x = mapView.sx(X[i]), y = mapView.sy(Y[i]);
    if (x < 0 || y < 0 || x > mapView.width || y > mapView.height) continue;
    c.moveTo(x - 2, y); c.lineTo(x + 2, y);
    c.moveTo(x, y - 2); c.lineTo(x, y + 2);
  }
  c.stroke();
}

// The smaller and the larger unit of length, each with its metres.
const UNITS = {
  metric: [["m", 1], ["km", 1000]], imperial: [["ft", 0.3048], ["mi", 1609.344]], nautical: [["m", 1], ["nmi", 1852]],
};
function drawScale(c) {
  // A length of 1, 2 or 5 times a power of ten, in the larger unit where that is one or more.
  const [small, large] = UNITS[data.units];
  const longest = 120 / mapView.scale;
  const [name, size] = longest >= large[1] ? large : small;
  const unit = 10 ** Math.floor(Math.log10(longest / size));
  const count = unit * (longest / size / unit >= 5 ? 5 : longest / size / unit >= 2 ? 2 : 1);
  const length = count * size, text = (count >= 1 ? count : count.toPrecision(1)) + " " + name;
  const x = 14, y = mapView.height - 14, right = x + length * mapView.scale;
  c.strokeStyle = colours.fg;
  c.lineWidth = 2;
  c.beginPath();
  c.moveTo(x, y - 6); c.lineTo(x, y); c.lineTo(right, y); c.lineTo(right, y - 6);
  c.stroke();
  c.fillStyle = colours.fg;
  c.fillText(text, x + 4, y - 6);
  mapView.scaleBar = { metres: length, pixels: right - x };
}

function drawPlace(c) {
  if (selection.time === null || selection.x === null) return;
  const x = mapView.sx(selection.x), y = mapView.sy(selection.y);
  c.strokeStyle = colours.fg;
  c.lineWidth = 2;
  c.beginPath();
  c.arc(x, y, 11, 0, 7);
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    c.moveTo(x + 8 * dx, y + 8 * dy);
    c.lineTo(x + 17 * dx, y + 17 * dy);
  }
  c.stroke();
}

// What lies under a pointer: an event, else a point of the track.
mapView.hit = (px, py) => {
  let best = null, distance = 12;
  // What lies under the pointer is the mark that is seen there, which may stand beside its place.
  for (const spot of mapView.placed || []) {
    const d = Math.hypot(spot.px - px, spot.py - py);
    if (d < distance) { distance = d; best = spot.event; }
  }
  if (best) return { time: best.time, event: best };
  let nearest = -1;
  distance = 20;
  for (let i = 0; i < n; i++) {
    const d = Math.abs(mapView.sx(X[i]) - px) + Math.abs(mapView.sy(Y[i]) - py);
    if (d < distance && use[i] !== REFUSED) { distance = d; nearest = i; }
  }
  return nearest < 0 ? null : { time: time[nearest], event: null };
};

