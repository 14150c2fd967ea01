// Draws and moves circles on the map. Only the page of a server has it.

class RegionEditor {
  /** - moved(id, circle): a region was moved; drew(circle): one was drawn. A circle has lat, lon and radius_m. */
  constructor(watchMap, moved, drew) {
    Object.assign(this, { watchMap, map: watchMap.map, moved, drew, handles: [] });
    this.map.on("mousedown", event => this.pressed(event));
  }

  setDrawing(isOn) {
    this.watchMap.isDrawing = isOn;
    this.map.getContainer().classList.toggle("drawing", isOn);
    this.map.dragging[isOn ? "disable" : "enable"]();
  }

  circle(center, radius) {
    const { lat, lng } = center.wrap();
    return { lat, lon: lng, radius_m: radius };
  }

  /** From the middle to the edge with the button held down; a mere click makes a usual circle. */
  pressed(event) {
    if (!this.watchMap.isDrawing) return;
    const center = event.latlng;
    const circle = L.circle(center, { radius: 1, color: colours.track }).addTo(this.map);
    const move = event => circle.setRadius(Math.max(1, this.map.distance(center, event.latlng)));
    const end = event => {
      this.map.off("mousemove", move).off("mouseup", end);
      circle.remove();
      const metres = this.map.distance(center, event.latlng);
      // Later than the click that this may be as well.
      setTimeout(() => this.drew(this.circle(center, metres < 5 ? 100 : metres)));
    };
    this.map.on("mousemove", move).on("mouseup", end);
  }

  /** Puts handles on a circle: one for its middle, one for its edge. Null takes them away. */
  edit(id) {
    this.handles.forEach(handle => handle.remove());
    this.handles = [];
    const entry = id && this.watchMap.entry(id);
    if (!entry || !entry.region.center) return;
    const circle = entry.layer;
    const icon = L.divIcon({ className: "handle", iconSize: [18, 18] });
    const rim = () => [circle.getLatLng().lat, circle.getBounds().getEast()];
    const middle = L.marker(circle.getLatLng(), { icon, draggable: true, title: "Move", keyboard: false });
    const edge = L.marker(rim(), { icon, draggable: true, title: "Change the radius", keyboard: false });
    middle.on("drag", () => { circle.setLatLng(middle.getLatLng()); edge.setLatLng(rim()); });
    edge.on("drag", () => circle.setRadius(Math.max(1, this.map.distance(circle.getLatLng(), edge.getLatLng()))));
    const end = () => {
      edge.setLatLng(rim());
      this.moved(id, this.circle(circle.getLatLng(), circle.getRadius()));
    };
    middle.on("dragend", end);
    edge.on("dragend", end);
    this.handles = [middle.addTo(this.map), edge.addTo(this.map)];
  }
}
