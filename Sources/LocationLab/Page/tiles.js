// The map under the track: squares of the web's maps, which the page holds or asks a server for.

const VECTORS = "data:application/vnd.mapbox-vector-tile;base64,";
/** The finest zoom of the map, and of the servers of tiles. */
const MOST_ZOOM = 22, SERVED_ZOOM = 19;
/** Below the coarsest tiles that the page holds, so many zooms more are put together of them. */
const COARSER = 2;

/**
 * A layer of Leaflet.
 *
 * - data: `credit`, and `url` with {z}, {x} and {y}, or `tiles`: zoom, x, y and address of the data of each.
 */
function baseLayer(data) {
  const options = { attribution: escapeText(data.credit || ""), maxZoom: MOST_ZOOM, className: "pictures" };
  if (data.url) {
    const createTile = (coords, done) => servedTile(data.url, coords, done);
    return new (L.GridLayer.extend({ createTile }))({ ...options, maxNativeZoom: SERVED_ZOOM });
  }
  const held = new HeldTiles(data.tiles);
  const createTile = (coords, done) => held.tile(coords, done);
  return new (L.GridLayer.extend({ createTile }))({ ...options, maxNativeZoom: held.finest,
    minZoom: Math.max(0, held.coarsest - COARSER), className: held.areVectors ? "vectors" : "pictures" });
}

/** A tile of a server. */
function servedTile(url, { x, y, z }, done) {
  const image = document.createElement("img");
  image.alt = "";
  image.referrerPolicy = "strict-origin-when-cross-origin";
  image.onload = () => done(null, image);
  image.onerror = () => done(new Error("no tile"), image);
  image.src = L.Util.template(url, { x, y, z, "-y": 2 ** z - 1 - y, r: "", s: "abc"[(x + y) % 3] });
  return image;
}

/** The tiles that the page holds. */
class HeldTiles {
  constructor(list) {
    this.tiles = new Map(list.map(([z, x, y, source]) => [`${z}/${x}/${y}`, { z, x, y, source }]));
    const zooms = list.map(([z]) => z);
    this.coarsest = Math.min(...zooms);
    this.finest = Math.max(...zooms);
    this.areVectors = list[0][3].startsWith(VECTORS);
  }

  /** A canvas with a tile; where there is none so fine, with a piece of a coarser one. */
  tile(coords, done) {
    const canvas = document.createElement("canvas");
    const side = Math.round(256 * (window.devicePixelRatio || 1));
    canvas.width = canvas.height = side;
    this.draw(canvas.getContext("2d"), side, this.pieces(coords)).then(() => done(null, canvas), error => done(error, canvas));
    return canvas;
  }

  /** Tiles with their place and size, in sides of the tile that they make up. */
  pieces({ x, y, z }) {
    for (let up = 0; z - up >= this.coarsest; up++) {
      const tile = this.tiles.get(`${z - up}/${x >> up}/${y >> up}`), size = 2 ** up;
      if (tile) return [{ tile, left: (tile.x << up) - x, top: (tile.y << up) - y, size }];
    }
    const down = this.coarsest - z;
    if (down <= 0) return [];
    return [...this.tiles.values()]
      .filter(tile => tile.z === this.coarsest && tile.x >> down === x && tile.y >> down === y)
      .map(tile => ({ tile, left: tile.x / 2 ** down - x, top: tile.y / 2 ** down - y, size: 1 / 2 ** down }));
  }

  async draw(c, side, pieces) {
    for (const { tile, left, top, size } of pieces) {
      tile.content = tile.content || this.content(tile.source);
      const content = await tile.content;
      if (!this.areVectors) {
        c.drawImage(content, left * side, top * side, size * side, size * side);
        continue;
      }
      c.save();
      c.translate(left * side, top * side);
      drawVectors(c, content, size * side);
      c.restore();
    }
  }

  /** A picture, or the paths of a vector tile. */
  async content(source) {
    if (source.startsWith(VECTORS)) {
      return readVectors(Uint8Array.from(atob(source.slice(VECTORS.length)), s => s.charCodeAt(0)));
    }
    const image = new Image();
    image.src = source;
    await image.decode();
    return image;
  }
}
