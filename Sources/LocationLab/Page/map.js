// The map: Leaflet with the regions, and over it the canvas of what else there is to see.

/** More regions than this are drawn on one canvas, which is faster than an element for each. */
const CROWD = 500;

/** Without Leaflet there is no map. */
class WatchMap {
  /** - actions: chooseRegion(id), chosen(hit), hovered(hit). */
  constructor(element, data, units, actions) {
    this.actions = actions;
    this.regions = [];
    this.inside = new Set();
    this.map = L.map(element, { zoomSnap: 0.25, maxZoom: MOST_ZOOM }).setView([20, 0], 2);
    this.map.attributionControl.setPrefix("Leaflet");
    scaleControl(units).addTo(this.map);
    if (data) this.base = baseLayer(data).addTo(this.map);
    this.marks = new MarkCanvas(this.map);
    this.error = L.circle([0, 0], { radius: 1, weight: 1, interactive: false });
    this.dot = L.circleMarker([0, 0], { radius: 7, weight: 3, fillOpacity: 1, interactive: false });
    this.mark = L.circleMarker([0, 0], { radius: 11, weight: 3, fill: false, interactive: false });
    this.paint();
    this.map.on("zoomend", () => this.fitLines());
    this.map.on("click", event => this.clicked(event));
    this.map.on("mousemove", event => this.moved(event));
  }

  /** Puts on the colours of the scheme. */
  paint() {
    this.error.setStyle({ color: colours.track, fillOpacity: 0.12 });
    this.dot.setStyle({ color: colours.bg, fillColor: colours.track });
    this.mark.setStyle({ color: colours.fg });
    for (const entry of this.regions) this.paintRegion(entry);
    if (this.base) this.base.redraw();
    this.marks.ask();
  }

  /** Shows a day or a track. */
  setModel(model) {
    this.marks.model = model;
    this.marks.ask();
  }

  setRegions(regions) {
    for (const { layer } of this.regions) layer.remove();
    const model = this.marks.model, isCrowd = regions.length > CROWD;
    if (isCrowd && !this.renderer) this.renderer = L.canvas();
    // A beacon is wherever it is.
    this.regions = regions.filter(region => !region.beacon).map(region => {
      const layer = this.outline(region, longitude => (model ? model.near(longitude) : longitude),
        isCrowd ? { renderer: this.renderer } : {});
      layer.bindTooltip(escapeText(region.name));
      layer.on("click", event => {
        L.DomEvent.stop(event);
        // What happened there lies upon it.
        if (!this.clicked(event)) this.actions.chooseRegion(region.id);
      });
      return { region, layer: layer.addTo(this.map) };
    });
    this.marks.names = this.regions.map(({ region, layer }) => ({ name: region.name, bounds: layer.getBounds() }));
    for (const entry of this.regions) this.paintRegion(entry);
    this.fitLines();
    this.marks.ask();
  }

  /** The layer of a region; places are on the turn of the track. */
  outline(region, turned, options) {
    const begin = region.center || (region.line || region.polygons[0][0])[0];
    const turn = turned(begin[1]) - begin[1];
    const line = places => {
      let last = begin[1];
      return places.map(([lat, lon]) => {
        last = lon + 360 * Math.round((last - lon) / 360);
        return [lat, last + turn];
      });
    };
    if (region.center) return L.circle(line([region.center])[0], { ...options, radius: region.radius_m, weight: 2 });
    if (region.polygons) return L.polygon(region.polygons.map(rings => rings.map(line)), { ...options, weight: 2 });
    return L.polyline(line(region.line), { ...options, weight: 4, opacity: 0.4, lineCap: "round" });
  }

  entry(id) { return this.regions.find(({ region }) => region.id === id); }

  setInside(ids) {
    const inside = new Set(ids);
    if (inside.size === this.inside.size && [...inside].every(id => this.inside.has(id))) return;
    this.inside = inside;
    for (const entry of this.regions) this.paintRegion(entry);
  }

  paintRegion({ region, layer }) {
    const isInside = this.inside.has(region.id);
    layer.setStyle({ color: isInside ? colours.enter : colours.region, fillOpacity: isInside ? 0.25 : 0.14 });
  }

  /** A corridor's line is as wide as the corridor. */
  fitLines() {
    for (const { region, layer } of this.regions) {
      if (!region.line) continue;
      const place = layer.getLatLngs()[0], a = this.map.latLngToLayerPoint(place);
      const metres = this.map.distance(place, this.map.layerPointToLatLng(a.add([100, 0]))) / 100;
      layer.setStyle({ weight: Math.min(400, Math.max(3, 2 * region.buffer_m / metres)) });
    }
  }

  setPosition(fix) {
    const model = this.marks.model, last = model && model.fitted.length ? model.fitted[model.fitted.length - 1] : -1;
    const place = [fix.lat, model ? model.near(fix.lon, last) : fix.lon];
    this.error.setLatLng(place).setRadius(fix.acc_m).addTo(this.map);
    this.dot.setLatLng(place).addTo(this.map);
    if (!this.wasShown) this.showAll();
  }

  /** A ring around what is chosen; the map follows only where it would not be seen. */
  setMark(place, isQuiet) {
    if (!place) return this.mark.remove();
    this.mark.setLatLng(place).addTo(this.map);
    const at = this.map.latLngToContainerPoint(place), size = this.map.getSize();
    const isSeen = at.x > 24 && at.y > 24 && at.x < size.x - 24 && at.y < size.y - 24;
    if (!isQuiet && !isSeen) this.map.panTo(place, { animate: false });
  }

  center(place) { this.map.setView(place, this.map.getZoom()); }

  /** The track with the regions that events tell of; without a track, or on the page of a server, all regions. */
  showAll() {
    const bounds = L.latLngBounds([]), model = this.marks.model;
    const isTold = id => !model || model.isLive || !model.fitted.length || model.told.has(id);
    for (const { region, layer } of this.regions) if (isTold(region.id)) bounds.extend(layer.getBounds());
    if (model && model.fitted.length) bounds.extend([model.box.slice(0, 2), model.box.slice(2)]);
    if (this.map.hasLayer(this.dot)) bounds.extend(this.dot.getLatLng());
    if (!bounds.isValid()) return;
    this.wasShown = true;
    this.map.fitBounds(bounds, { padding: [24, 28], maxZoom: 17, animate: false });
  }

  showPosition() {
    if (this.map.hasLayer(this.dot)) this.map.setView(this.dot.getLatLng(), Math.max(15, this.map.getZoom()));
  }

  showRegion(id) {
    const entry = this.entry(id);
    if (entry) this.map.fitBounds(entry.layer.getBounds(), { padding: [40, 40], maxZoom: 17 });
  }

  /** Whether something was there to choose. */
  clicked(event) {
    if (this.isDrawing) return true;
    const hit = this.marks.hit(event.containerPoint);
    if (hit) this.actions.chosen(hit);
    return Boolean(hit);
  }

  moved(event) {
    if (this.isHovering || this.isDrawing) return;
    this.isHovering = true;
    requestAnimationFrame(() => {
      this.isHovering = false;
      const hit = this.marks.hit(event.containerPoint);
      if (hit) this.actions.hovered(hit);
    });
  }
}

/** The scale, in the units of the page. */
function scaleControl(units) {
  if (units !== "nautical") return L.control.scale({ imperial: units === "imperial", metric: units === "metric" });
  const Nautical = L.Control.Scale.extend({
    _updateMetric(metres) {
      const miles = metres / 1852;
      if (miles < 1) return L.Control.Scale.prototype._updateMetric.call(this, metres);
      const round = this._getRoundNum(miles);
      this._updateScale(this._mScale, `${round} nmi`, round / miles);
    },
  });
  return new Nautical({ imperial: false });
}
