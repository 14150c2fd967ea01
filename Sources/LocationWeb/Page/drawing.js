"use strict";
// What the page draws: the map's layers, and the timeline of a day. It asks nobody for anything.

const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/** The map with the regions, the track of a day and the position. Without Leaflet it draws nothing. */
class WatchMap {
  constructor(element, config, actions) {
    this.actions = actions;
    this.layers = new Map();
    this.map = L.map(element, { zoomSnap: 0.5, worldCopyJump: true }).setView([20, 0], 2);
    L.control.scale({ imperial: false }).addTo(this.map);
    if (config.tiles) {
      L.tileLayer(config.tiles, { attribution: escapeText(config.attribution || ""), maxZoom: 19,
        referrerPolicy: "strict-origin-when-cross-origin" }).addTo(this.map);
    }
    this.map.attributionControl.setPrefix("Leaflet");
    this.track = L.polyline([], { weight: 3 }).addTo(this.map);
    this.error = L.circle([0, 0], { radius: 1, weight: 1, interactive: false });
    this.dot = L.circleMarker([0, 0], { radius: 7, weight: 3, fillOpacity: 1, interactive: false });
    this.mark = L.circleMarker([0, 0], { radius: 10, weight: 3, fill: false, interactive: false });
    this.handles = [];
    this.paint();
    this.map.on("zoomend", () => this.fitLines());
    this.map.on("click", event => this.clicked(event));
    this.map.on("mousedown", event => this.pressed(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  /** Puts on the colours of the scheme. */
  paint() {
    this.track.setStyle({ color: colour("accent") });
    this.error.setStyle({ color: colour("accent"), fillOpacity: 0.12 });
    this.dot.setStyle({ color: colour("bg"), fillColor: colour("accent") });
    this.mark.setStyle({ color: colour("wake") });
    for (const id of this.layers.keys()) this.paintRegion(id);
  }

  setRegions(regions) {
    for (const { layer } of this.layers.values()) layer.remove();
    this.layers.clear();
    for (const region of regions) {
      const layer = this.outline(region);
      layer.bindTooltip(escapeText(region.name));
      layer.on("click", event => {
        L.DomEvent.stop(event);
        this.actions.chooseRegion(region.id);
      });
      layer.addTo(this.map);
      this.layers.set(region.id, { region, layer });
      this.paintRegion(region.id);
    }
    this.fitLines();
  }

  outline(region) {
    if (region.center) return L.circle(region.center, { radius: region.radius_m, weight: 2 });
    if (region.polygons) return L.polygon(region.polygons, { weight: 2 });
    return L.polyline(region.line, { weight: 4, opacity: 0.4, lineCap: "round" });
  }

  setInside(ids) {
    this.inside = new Set(ids);
    for (const id of this.layers.keys()) this.paintRegion(id);
  }

  paintRegion(id) {
    const { layer } = this.layers.get(id);
    const isInside = this.inside && this.inside.has(id);
    layer.setStyle({ color: colour(isInside ? "inside" : "outside"), fillOpacity: isInside ? 0.25 : 0.1,
      dashArray: isInside ? null : "4 4" });
  }

  /** A corridor's line is as wide as the corridor. */
  fitLines() {
    for (const { region, layer } of this.layers.values()) {
      if (!region.line) continue;
      const [lat, lon] = region.line[0];
      const a = this.map.latLngToLayerPoint([lat, lon]);
      const metres = this.map.distance([lat, lon], this.map.layerPointToLatLng(a.add([100, 0]))) / 100;
      layer.setStyle({ weight: Math.min(400, Math.max(3, 2 * region.buffer_m / metres)), dashArray: null });
    }
  }

  setTrack(points) {
    this.points = points;
    // A gap of ten minutes is a gap of the line.
    const pieces = [];
    points.forEach((point, index) => {
      if (index === 0 || point[0] - points[index - 1][0] > 600000) pieces.push([]);
      pieces[pieces.length - 1].push([point[1], point[2]]);
    });
    this.track.setLatLngs(pieces);
  }

  setPosition(fix) {
    const place = [fix.lat, fix.lon];
    this.error.setLatLng(place).setRadius(fix.acc_m).addTo(this.map);
    this.dot.setLatLng(place).addTo(this.map);
    if (!this.wasShown) this.showAll();
  }

  setMark(place) {
    if (!place) return this.mark.remove();
    this.mark.setLatLng(place).addTo(this.map);
    if (!this.map.getBounds().contains(place)) this.map.panTo(place);
  }

  showAll() {
    const bounds = L.latLngBounds([]);
    for (const { layer } of this.layers.values()) bounds.extend(layer.getBounds());
    if (this.points && this.points.length) bounds.extend(this.track.getBounds());
    if (this.map.hasLayer(this.dot)) bounds.extend(this.dot.getLatLng());
    if (!bounds.isValid()) return;
    this.wasShown = true;
    this.map.fitBounds(bounds, { padding: [24, 24], maxZoom: 17 });
  }

  showPosition() {
    if (this.map.hasLayer(this.dot)) this.map.setView(this.dot.getLatLng(), Math.max(15, this.map.getZoom()));
  }

  showRegion(id) {
    const entry = this.layers.get(id);
    if (entry) this.map.fitBounds(entry.layer.getBounds(), { padding: [40, 40], maxZoom: 17 });
  }

  /** Explains the fix of the track that was clicked. */
  clicked(event) {
    if (this.isDrawing || !this.points) return;
    let best = null;
    for (const point of this.points) {
      const far = this.map.latLngToContainerPoint([point[1], point[2]]).distanceTo(event.containerPoint);
      if (far < 14 && (!best || far < best.far)) best = { far, point };
    }
    if (best) this.actions.choosePoint(best.point);
  }

  // Drawing and moving circles.

  setDrawing(isOn) {
    this.isDrawing = isOn;
    this.map.getContainer().classList.toggle("drawing", isOn);
    this.map.dragging[isOn ? "disable" : "enable"]();
  }

  /** From the middle to the edge with the button held down; a mere click makes a usual circle. */
  pressed(event) {
    if (!this.isDrawing) return;
    const center = event.latlng;
    const circle = L.circle(center, { radius: 1, color: colour("accent") }).addTo(this.map);
    const move = event => circle.setRadius(Math.max(1, this.map.distance(center, event.latlng)));
    const end = event => {
      this.map.off("mousemove", move).off("mouseup", end);
      circle.remove();
      const metres = this.map.distance(center, event.latlng);
      this.setDrawing(false);
      this.actions.drew({ lat: center.lat, lon: center.lng, radius_m: metres < 5 ? 100 : metres });
    };
    this.map.on("mousemove", move).on("mouseup", end);
  }

  /** Puts handles on a circle: one for its middle, one for its edge. */
  edit(id) {
    this.handles.forEach(handle => handle.remove());
    this.handles = [];
    const entry = id && this.layers.get(id);
    if (!entry || !entry.region.center) return;
    const circle = entry.layer;
    const icon = L.divIcon({ className: "handle", iconSize: [18, 18] });
    const rim = () => {
      const east = circle.getBounds().getEast();
      return [circle.getLatLng().lat, east];
    };
    const middle = L.marker(circle.getLatLng(), { icon, draggable: true, title: "Move", keyboard: false });
    const edge = L.marker(rim(), { icon, draggable: true, title: "Change the radius", keyboard: false });
    middle.on("drag", () => { circle.setLatLng(middle.getLatLng()); edge.setLatLng(rim()); });
    edge.on("drag", () => circle.setRadius(Math.max(1, this.map.distance(circle.getLatLng(), edge.getLatLng()))));
    const end = () => {
      edge.setLatLng(rim());
      const { lat, lng } = circle.getLatLng();
      this.actions.moved(id, { lat, lon: lng, radius_m: circle.getRadius() });
    };
    middle.on("dragend", end);
    edge.on("dragend", end);
    this.handles = [middle.addTo(this.map), edge.addTo(this.map)];
  }
}

function escapeText(text) {
  const node = document.createElement("span");
  node.textContent = text;
  return node.innerHTML;
}

/** Draws a day: when there were fixes, where the device was inside, visits, and what was woken. */
function drawTimeline(svg, day, points, events, choose) {
  const space = "http://www.w3.org/2000/svg";
  const width = Math.max(300, svg.clientWidth || 600), label = Math.min(140, width * 0.25), row = 22;
  const from = day.getTime(), to = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
  const x = time => label + (width - label - 8) * (Math.min(to, Math.max(from, time)) - from) / (to - from);
  const rows = timelineRows(points, events, from, Math.min(to, Date.now()));
  svg.replaceChildren();
  const height = (rows.length + 1) * row + 8;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const add = (name, attributes, text) => {
    const node = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    svg.append(node);
    return node;
  };
  for (let hour = 0; hour <= 24; hour += width < 500 ? 6 : 3) {
    const at = x(from + hour * 3600000);
    add("line", { class: "axis", x1: at, x2: at, y1: 0, y2: height - row });
    add("text", { x: Math.min(at, width - 18), y: height - 6, "text-anchor": hour ? "middle" : "start" }, `${hour}`);
  }
  rows.forEach((line, index) => {
    const y = index * row + 4;
    add("text", { x: 0, y: y + 12 }, line.name.length > 18 ? line.name.slice(0, 17) + "…" : line.name);
    for (const span of line.spans) {
      const node = add("rect", { class: line.kind, x: x(span.from), y, height: row - 8,
        width: Math.max(2, x(span.to) - x(span.from)) });
      const title = document.createElementNS(space, "title");
      title.textContent = span.title;
      node.append(title);
      if (span.event) node.addEventListener("click", () => choose(span.event));
    }
  });
  const now = Date.now();
  if (now < to) add("line", { class: "present", x1: x(now), x2: x(now), y1: 0, y2: height - row });
}

function timelineRows(points, events, from, to) {
  const clock = time => new Date(time).toLocaleTimeString();
  const span = (a, b, event) => ({ from: a, to: b, event, title: a === b ? clock(a) : `${clock(a)} to ${clock(b)}` });
  const fixes = { name: "fixes", kind: "fixes", spans: [] };
  for (const [time] of points) {
    const last = fixes.spans[fixes.spans.length - 1];
    if (last && time - last.to < 600000) { last.to = time; last.title = `${clock(last.from)} to ${clock(time)}`; }
    else fixes.spans.push(span(time, time));
  }
  const rows = new Map(), since = new Map();
  const line = (key, name, kind) => {
    if (!rows.has(key)) rows.set(key, { name, kind, spans: [] });
    return rows.get(key);
  };
  for (const event of events) {
    const time = Date.parse(event.time);
    if (event.region && /^region\.(enter|state)$/.test(event.type) && event.state !== "outside") {
      line("r" + event.region, event.region, "inside");
      if (!since.has("r" + event.region)) since.set("r" + event.region, time);
    }
    if (event.type === "region.exit") {
      const begin = since.get("r" + event.region);
      line("r" + event.region, event.region, "inside").spans.push(span(begin === undefined ? from : begin, time));
      since.delete("r" + event.region);
    }
    if (event.type === "visit.arrive") since.set("v", time);
    if (event.type === "visit.depart") {
      const begin = since.get("v");
      line("v", "visits", "visit").spans.push(span(begin === undefined ? from : begin, time));
      since.delete("v");
    }
    if (event.type === "decision" && ["wake", "relaunch"].includes(event.action)) {
      line("w" + event.subscriber, event.subscriber, "wake").spans.push(span(time, time, event));
    }
  }
  for (const [key, begin] of since) {
    const entry = key === "v" ? line("v", "visits", "visit") : rows.get(key);
    if (entry) entry.spans.push(span(begin, to));
  }
  return [fixes, ...[...rows.values()].slice(0, 12)];
}
