// Vector tiles (the Mapbox Vector Tile specification, version 2.1): areas and lines, drawn plainly by what their
// layers are called in the schemas of OpenMapTiles, Protomaps and Shortbread.
const LAYERS = [
  { is: /^(earth|land|landcover|landuse|park|natural|globallandcover|sites)/, fill: [120, 160, 90, 0.16] },
  { is: /^(water|ocean)/, fill: [70, 130, 190, 0.35], line: [70, 130, 190, 0.5], wide: 1 },
  { is: /^building/, fill: [130, 120, 110, 0.35] },
  { is: /^(boundar|place_boundar)/, line: [120, 90, 150, 0.6], wide: 1 },
  { is: /^(road|transportation$|street|bridge|ferries|aerialway)/, line: [125, 118, 110, 0.75], wide: 1.2 },
];
const MAIN_ROAD = /^(motorway|trunk|primary|secondary|highway|major_road)/;

// A number of variable length, and where the next byte stands.
function varintAt(bytes, at) {
  let value = 0, scale = 1, byte;
  do {
    byte = bytes[at++];
    value += (byte & 127) * scale;
    scale *= 128;
  } while (byte & 128);
  return [value, at];
}

// The fields of a message of protocol buffers, as [number, value]; values are whole numbers or pieces of bytes.
function fields(bytes) {
  const list = [];
  let at = 0;
  const varint = () => {
    const [value, end] = varintAt(bytes, at);
    at = end;
    return value;
  };
  while (at < bytes.length) {
    const key = varint(), kind = key & 7;
    let value = null;
    if (kind === 0) value = varint();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else if (kind === 2) { const count = varint(); value = bytes.subarray(at, at += count); }
    else throw new Error("no vector tile");
    list.push([key >> 3, value]);
  }
  return list;
}
function numbers(bytes) {
  const list = [];
  for (let at = 0; at < bytes.length;) {
    const [value, end] = varintAt(bytes, at);
    list.push(value);
    at = end;
  }
  return list;
}

// One path for what a layer is drawn as, and one for its main roads, in units of the tile's side.
function vectorPaths(bytes) {
  const text = new TextDecoder(), paths = LAYERS.map(() => ({ all: new Path2D(), main: new Path2D() }));
  for (const [number, layer] of fields(bytes)) {
    if (number !== 3) continue;
    const parts = fields(layer);
    const one = of => (parts.find(([n]) => n === of) || [])[1];
    const at = LAYERS.findIndex(style => style.is.test(text.decode(one(1))));
    if (at < 0) continue;
    const extent = one(5) || 4096;
    const keys = parts.filter(([n]) => n === 3).map(([, v]) => text.decode(v));
    const values = parts.filter(([n]) => n === 4).map(([, v]) => {
      const found = fields(v).find(([n]) => n === 1);
      return found ? text.decode(found[1]) : "";
    });
    for (const [n, feature] of parts) {
      if (n !== 2) continue;
      const members = fields(feature), type = (members.find(([m]) => m === 3) || [0, 0])[1];
      if (type !== 2 && type !== 3) continue;
      const tags = numbers((members.find(([m]) => m === 2) || [0, new Uint8Array()])[1]);
      let isMain = false;
      for (let i = 0; i + 1 < tags.length; i += 2) {
        if (/^(class|kind|highway)$/.test(keys[tags[i]]) && MAIN_ROAD.test(values[tags[i + 1]])) isMain = true;
      }
      trace(isMain ? paths[at].main : paths[at].all, numbers((members.find(([m]) => m === 4) || [0, new Uint8Array()])[1]),
        extent);
    }
  }
  return paths;
}
function trace(path, commands, extent) {
  const signed = v => (v % 2 ? -(v + 1) / 2 : v / 2);
  let x = 0, y = 0;
  for (let i = 0; i < commands.length;) {
    const what = commands[i] & 7, count = commands[i] >> 3;
    i++;
    if (what === 7) { path.closePath(); continue; }
    for (let k = 0; k < count; k++) {
      x += signed(commands[i++]);
      y += signed(commands[i++]);
      if (what === 1) path.moveTo(x / extent, y / extent); else path.lineTo(x / extent, y / extent);
    }
  }
}

/** Unpacks and traces a tile. */
async function readVectors(bytes) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  }
  return vectorPaths(bytes);
}

/** Draws a tile with its corner at 0, 0; side is in pixels. */
function drawVectors(c, paths, side) {
  c.save();
  c.fillStyle = colours.panel;
  c.fillRect(0, 0, side, side);
  c.scale(side, side);
  const unit = 1 / side, shade = ([r, g, b, a]) => `rgba(${r},${g},${b},${a})`;
  LAYERS.forEach((style, i) => {
    if (style.fill) { c.fillStyle = shade(style.fill); c.fill(paths[i].all, "evenodd"); c.fill(paths[i].main, "evenodd"); }
    if (style.line) {
      c.strokeStyle = shade(style.line);
      c.lineJoin = "round";
      c.lineWidth = style.wide * unit;
      c.stroke(paths[i].all);
      c.lineWidth = 2.5 * style.wide * unit;
      c.stroke(paths[i].main);
    }
  });
  c.restore();
}
