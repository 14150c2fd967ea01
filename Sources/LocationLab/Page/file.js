// Feeds the page from the data of the file that it is: a track that was replayed. It asks nobody for anything.

{
  const data = JSON.parse(find("data").textContent);
  const SCALE = 1e-7;
  const sums = (differences, Type, start) => {
    const all = new Type(differences.length);
    let sum = start;
    for (let i = 0; i < all.length; i++) all[i] = sum += differences[i];
    return all;
  };
  const use = new Uint8Array(data.n);
  for (let i = 0, at = 0; i < data.use.length; i += 2) use.fill(data.use[i], at, at += data.use[i + 1]);
  const events = data.events.map(({ t, lat, lon, ...event }) => {
    event.time = data.t0 + t;
    if (lat !== undefined) Object.assign(event, { lat: lat * SCALE, lon: lon * SCALE });
    if (event.type === "region.state") event.state = event.what;
    return event;
  });
  const model = new Model({
    time: sums(data.t, Float64Array, data.t0),
    lat: sums(data.lat, Float64Array, 0).map(value => value * SCALE),
    lon: sums(data.lon, Float64Array, 0).map(value => value * SCALE),
    use, breaks: data.breaks, events, regions: data.regions, isAdaptive: data.adaptive, units: data.units,
    subscribers: data.subscribers.map(({ name, moves }) => ({
      name, moves: moves.map(([t, state]) => ({ time: data.t0 + t, state })),
    })),
    receiver: data.receiver.map(([t, on, why]) => ({ time: data.t0 + t, on: on === 1, why })),
  });
  // It begins on.
  if (!model.receiver.length || model.receiver[0].time > model.begin) {
    model.receiver.unshift({ time: model.begin, on: true, why: data.adaptive ? "begin" : "continuous" });
  }
  // Those that events tell of come first: not all have a name on the map and a row.
  const regions = [...data.regions].sort((a, b) => model.told.has(b.id) - model.told.has(a.id));
  const tiles = find("tiles") ? JSON.parse(find("tiles").textContent) : null;
  begin(tiles, data.units, { chosenRow: id => goTo(model.byId.get(id)) });
  showModel(model);
  const inside = model.insideAt(model.end);
  if (watchMap) {
    watchMap.setRegions(regions);
    watchMap.setInside(inside);
    watchMap.showAll();
    watchMap.marks.draw();
  }
  showRegions(regions, inside);
  timeline.draw();
  document.documentElement.dataset.readyMilliseconds = Math.round(performance.now());
}
