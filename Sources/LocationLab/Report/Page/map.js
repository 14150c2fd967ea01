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
  for (const region of regions) drawRegion(c, region);
  drawTrack(c);
  if (data.adaptive) drawFixes(c);
  drawRefused(c);
  // What was woken lies under that for which it was.
  drawMarks(c, event => event.kind === "wake", 9);
  drawMarks(c, event => event.kind !== "wake" && event.kind !== "other", 5);
  drawNames(c);
  drawScale(c);
}

function drawMarks(c, isOne, full) {
  const shown = byTime.filter(event => event.x !== null && isOne(event));
  const size = shown.length > 100 ? full * 0.6 : full;
  for (const event of shown) {
    const x = mapView.sx(event.x), y = mapView.sy(event.y);
    if (x > -9 && y > -9 && x < mapView.width + 9 && y < mapView.height + 9) mark(c, event.kind, x, y, size);
  }
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
  c.textAlign = "center";
  c.lineWidth = 3;
  c.strokeStyle = colours.panel;
  c.fillStyle = colours.fg;
  for (const region of seen) {
    const x = mapView.sx((region.box[0] + region.box[2]) / 2), y = mapView.sy(region.box[3]) - 5;
    c.strokeText(region.name, x, y);
    c.fillText(region.name, x, y);
  }
  c.textAlign = "start";
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
  c.strokeStyle = data.adaptive ? colours.faint : colours.accent;
  c.lineWidth = 2;
  c.lineJoin = "round";
  c.stroke();
}

function drawFixes(c) {
  let lastX = -99, lastY = -99;
  c.fillStyle = colours.accent;
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

function drawScale(c) {
  const metres = 120 / mapView.scale;
  const unit = 10 ** Math.floor(Math.log10(metres));
  const length = unit * (metres / unit >= 5 ? 5 : metres / unit >= 2 ? 2 : 1);
  const text = length >= 1000 ? length / 1000 + " km" : length >= 1 ? length + " m" : length * 100 + " cm";
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
  for (const event of byTime) {
    if (event.kind === "other" || event.x === null) continue;
    const d = Math.hypot(mapView.sx(event.x) - px, mapView.sy(event.y) - py);
    if (d < distance) { distance = d; best = event; }
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

