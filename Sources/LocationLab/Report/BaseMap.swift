import LocationCore
package import LocationFormats
import LocationRuntime

/// The map under a track on a page: tiles that the page holds, or the address of a server that it asks for them.
package enum BaseMap: Sendable {
  /// An address with `{z}`, `{x}` and `{y}` in it.
  case server(String)
  /// A file of tiles, of which the page gets those around the track.
  case file(String)

  /// - Throws: `.usage` where it is an address but none of tiles; `.noInput`, `.noPermission` where it is a file that
  ///   can't be read.
  package init(_ text: String) throws(Failure) {
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
      try InputFile.requireReadable(text)
      self = .file(text)
      return
    }
    let isWhole =
      text.contains("{z}") && text.contains("{x}") && (text.contains("{y}") || text.contains("{-y}"))
    guard isWhole, Self.origin(of: text) != nil, !text.contains(where: { " \"\\<>;,".contains($0) }) else {
      throw Failure(
        .usage, what: "\"\(text)\" is no address of tiles",
        remedy: "write it like https://tile.openstreetmap.org/{z}/{x}/{y}.png")
    }
    self = .server(text)
  }

  /// `https://tile.openstreetmap.org`; nil where a placeholder is in it, which nothing can be allowed for.
  static func origin(of address: String) -> String? {
    let parts = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    guard parts.count == 3, !parts[1].contains("{") else { return nil }
    return "\(parts[0])//\(parts[1])"
  }

  // MARK: - For the page

  /// What a page needs of a map.
  struct Content {
    /// What the page may load pictures from, for its policy.
    var imageSource: String
    /// The data of the script, JSON.
    var json: String
    /// What is said at the foot of the page.
    var note: String
  }

  /// What a page with this track needs.
  ///
  /// - Throws: ``Failure`` where the file can't be read or holds no pictures.
  func content(for report: TrackReport) throws(Failure) -> Content {
    switch self {
    case .server(let address):
      let origin = Self.origin(of: address) ?? address
      let host = String(origin.split(separator: "/").last ?? "")
      let credit = host.hasSuffix("openstreetmap.org") ? "© OpenStreetMap contributors" : host
      return Content(
        imageSource: origin,
        json: #"{"url":\#(JSONText.string(address)),"credit":\#(JSONText.string(credit))}"#,
        note: "The page fetches the tiles of its map from \(host), which sees which places you look at.")
    case .file(let path):
      let head = try FileBytes.head(path: path, count: 16)
      if head.starts(with: PMTiles.signature) {
        return try Self.embedded(try PMTiles(path: path), path, report)
      }
      if head.starts(with: MBTiles.signature) {
        return try Self.embedded(try MBTiles(path: path), path, report)
      }
      throw Failure(
        .data, file: path, what: "neither an MBTiles nor a PMTiles file",
        remedy: "name one of them, or an address like https://tile.openstreetmap.org/{z}/{x}/{y}.png")
    }
  }

  private static func embedded(
    _ archive: consuming some TileArchive & ~Copyable, _ path: String, _ report: TrackReport
  ) throws(Failure) -> Content {
    var json = #"{"credit":\#(JSONText.string(archive.attribution)),"tiles":["#
    var (count, bytes) = (0, 0)
    for tile in TileChoice(report, zooms: archive.zooms).tiles {
      guard let picture = try archive.tile(tile) else { continue }
      guard let type = TilePicture.mediaType(of: picture) else {
        throw Failure(
          .data, file: path, what: "its tiles are neither pictures nor vectors",
          remedy: "use a file of PNG, JPEG, WebP or vector tiles")
      }
      bytes += picture.count
      guard bytes <= TileChoice.mostBytes else { break }
      json += count == 0 ? "" : ","
      json += "[\(tile.zoom),\(tile.x),\(tile.y),\"data:\(type);base64,\(Base64.text(picture))\"]"
      count += 1
    }
    guard count > 0 else {
      throw Failure(
        .data, file: path, what: "it has no tiles where the track is", remedy: "use a file of that region")
    }
    return Content(
      imageSource: "data:", json: json + "]}",
      note: "The page is whole: it fetches nothing. Its map holds \(Wording.count(count, "tile")).")
  }
}
