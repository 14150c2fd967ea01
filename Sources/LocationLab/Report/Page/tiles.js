
// The map under the track: squares of the web's maps, held by the page or asked for at a server. Null where there is none.
const tileData = $("tiles") ? JSON.parse($("tiles").textContent) : null;
const tiles = new Map();
for (const [z, x, y, source] of tileData && tileData.tiles || []) tiles.set(z + "/" + x + "/" + y, { z, x, y, source });
const tileZooms = [...new Set([...tiles.values()].map(t => t.z))].sort((a, b) => a - b);
const MOST_ZOOM = 19, MOST_TILES = 80;

const tileWest = (x, z) => x / 2 ** z * 360 - 180;
const tileNorth = (y, z) => Math.atan(Math.sinh(Math.PI * (1 - 2 * y / 2 ** z))) * 180 / Math.PI;
const tileX = (longitude, z) => Math.floor((longitude / 360 + 0.5) * 2 ** z);
const tileY = (latitude, z) => {
  const phi = Math.max(-85, Math.min(85, latitude)) * Math.PI / 180;
  return Math.floor((0.5 - Math.asinh(Math.tan(phi)) / (2 * Math.PI)) * 2 ** z);
};

// What a tile shows, a picture or paths; null until it is there.
const VECTORS = "data:application/vnd.mapbox-vector-tile;base64,";
function tilePicture(tile) {
  if (tile.source.startsWith(VECTORS)) {
    if (!tile.isAsked) {
      tile.isAsked = true;
      readVectors(tile, Uint8Array.from(atob(tile.source.slice(VECTORS.length)), s => s.charCodeAt(0)));
    }
    return tile.paths || null;
  }
  if (!tile.image) {
    tile.image = new Image();
    tile.image.onload = () => { tile.isThere = true; mapView.ask(true); };
    tile.image.src = tile.source;
  }
  return tile.isThere ? tile.image : null;
}

// The zoom whose pictures come nearest to the pixels of the screen.
function tileZoom(scale, ratio) {
  const zoom = Math.log2(360 * KX * scale * ratio / 256);
  return Math.max(0, Math.min(MOST_ZOOM, Math.round(zoom - 0.2)));
}

function drawTiles(c, view) {
  if (!tileData) return;
  const toLon = px => ((px - view.width / 2) / view.scale + view.cx) / KX + middleLon;
  const toLat = py => ((view.height / 2 - py) / view.scale + view.cy) / KY + middleLat;
  const wanted = tileZoom(view.scale, view.ratio || 1);
  const isServed = Boolean(tileData.url);
  // Coarse tiles lie under the fine ones, and show where those are missing.
  const zooms = isServed ? [Math.max(0, wanted - 2), wanted] : tileZooms.filter(z => z <= wanted);
  if (!zooms.length && tileZooms.length) zooms.push(tileZooms[0]);
  c.save();
  const isDrawn = tileData.tiles && tileData.tiles.length > 0 && tileData.tiles[0][3].startsWith(VECTORS);
  if (isDark() && !isDrawn) c.filter = "invert(1) hue-rotate(180deg) brightness(.8)";
  for (const z of zooms) {
    const side = 2 ** z;
    const [x0, x1] = [tileX(toLon(0), z), tileX(toLon(view.width), z)];
    const [y0, y1] = [Math.max(0, tileY(toLat(0), z)), Math.min(side - 1, tileY(toLat(view.height), z))];
    if ((x1 - x0 + 1) * (y1 - y0 + 1) > MOST_TILES) continue;
    for (let x = x0; x <= x1; x++) {
      for (let y = y0; y <= y1; y++) {
        const inWorld = ((x % side) + side) % side, key = z + "/" + inWorld + "/" + y;
        if (isServed && !tiles.has(key)) {
          const source = tileData.url.replace("{z}", z).replace("{x}", inWorld).replace("{y}", y)
            .replace("{-y}", side - 1 - y).replace("{r}", "");
          tiles.set(key, { z, x: inWorld, y, source });
        }
        const tile = tiles.get(key), picture = tile && tilePicture(tile);
        if (!picture) continue;
        const left = view.sx((tileWest(x, z) - middleLon) * KX), right = view.sx((tileWest(x + 1, z) - middleLon) * KX);
        const top = view.sy(north(tileNorth(y, z))), bottom = view.sy(north(tileNorth(y + 1, z)));
        // Half a pixel more, so that no seam shows.
        if (tile.paths) drawVectors(c, picture, left, top, right, bottom);
        else c.drawImage(picture, left, top, right - left + 0.5, bottom - top + 0.5);
      }
    }
  }
  c.restore();
  if (isDrawn) return;
  // Paler, so that the track stands out.
  c.globalAlpha = 0.25;
  c.fillStyle = colours.panel;
  c.fillRect(0, 0, view.width, view.height);
  c.globalAlpha = 1;
}

function drawCredit(c, view) {
  if (!tileData || !tileData.credit) return;
  c.textAlign = "right";
  c.lineWidth = 3;
  c.strokeStyle = colours.panel;
  c.fillStyle = colours.fg;
  c.strokeText(tileData.credit, view.width - 8, view.height - 8);
  c.fillText(tileData.credit, view.width - 8, view.height - 8);
  c.textAlign = "start";
}

function isDark() {
  return matchMedia("(prefers-color-scheme: dark)").matches && !document.documentElement.classList.contains("paper");
}
