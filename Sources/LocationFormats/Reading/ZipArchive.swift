/// The first KML document of a KMZ file, which is a ZIP archive (OGC 12-007r2, annex C; PKWARE's APPNOTE 6.3).
enum ZipArchive {
  /// What every archive with a file begins with: `PK`, 3, 4.
  static let signature: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
  /// The largest document that is unpacked, bytes: far above any track, and a bound for archives made to fill a machine.
  static let maximumBytes = 256 << 20

  /// Why an archive can't be read.
  enum Trouble: Error {
    /// It has no directory.
    case cutOff
    /// It has a document that is damaged, too large or packed in an unknown way.
    case packed
  }

  /// The bytes of `doc.kml`, else of the first file whose name ends in `.kml`; nil where there is none.
  static func document(of archive: [UInt8]) throws(Trouble) -> [UInt8]? {
    guard let files = entries(of: archive) else { throw .cutOff }
    let entries = files.filter { $0.name.lowercased().hasSuffix(".kml") }
    guard let entry = entries.first(where: { $0.name.lowercased() == "doc.kml" }) ?? entries.first else {
      return nil
    }
    guard entry.unpackedBytes <= maximumBytes, let data = data(of: entry, in: archive),
      let document = entry.method == 0 ? Array(data) : entry.method == 8 ? inflate(data, entry) : nil
    else { throw .packed }
    return document
  }

  private struct Entry {
    var name: String
    var method: Int
    var checksum: [UInt8]
    var packedBytes: Int
    var unpackedBytes: Int
    var offset: Int
  }

  /// What the directory at the end of the archive lists; nil where it is not there.
  private static func entries(of archive: [UInt8]) -> [Entry]? {
    // The record at the end has 22 bytes and a comment of at most 65,535.
    let earliest = max(0, archive.count - 22 - 65_535)
    guard archive.count >= 22,
      let end = stride(from: archive.count - 22, through: earliest, by: -1).first(where: {
        number(archive, $0, 4) == 0x0605_4B50
      })
    else { return nil }
    var place = number(archive, end + 16, 4)
    var entries: [Entry] = []
    for _ in 0..<number(archive, end + 10, 2) {
      guard number(archive, place, 4) == 0x0201_4B50 else { return nil }
      let nameBytes = number(archive, place + 28, 2)
      guard place + 46 + nameBytes <= archive.count else { return nil }
      entries.append(
        Entry(
          name: String(decoding: archive[place + 46..<place + 46 + nameBytes], as: UTF8.self),
          method: number(archive, place + 10, 2), checksum: Array(archive[place + 16..<place + 20]),
          packedBytes: number(archive, place + 20, 4), unpackedBytes: number(archive, place + 24, 4),
          offset: number(archive, place + 42, 4)))
      place += 46 + nameBytes + number(archive, place + 30, 2) + number(archive, place + 32, 2)
    }
    return entries
  }

  private static func data(of entry: Entry, in archive: [UInt8]) -> ArraySlice<UInt8>? {
    guard number(archive, entry.offset, 4) == 0x0403_4B50 else { return nil }
    let start =
      entry.offset + 30 + number(archive, entry.offset + 26, 2) + number(archive, entry.offset + 28, 2)
    guard start + entry.packedBytes <= archive.count else { return nil }
    return archive[start..<start + entry.packedBytes]
  }

  /// A deflated file is what a gzip member has between its header and its trailer (RFC 1952), which also has it checked.
  private static func inflate(_ data: ArraySlice<UInt8>, _ entry: Entry) -> [UInt8]? {
    let header: [UInt8] = [Gunzip.magic.0, Gunzip.magic.1, 8, 0, 0, 0, 0, 0, 0, 255]
    let length = (0..<4).map { UInt8(truncatingIfNeeded: entry.unpackedBytes >> ($0 * 8)) }
    let packed = header + data + entry.checksum + length
    guard let unpacked = try? Gunzip.unpack(packed, limit: entry.unpackedBytes + 1),
      unpacked.count == entry.unpackedBytes
    else { return nil }
    return unpacked
  }

  /// A number of so many bytes, the lowest first; 0 beyond the end.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    guard offset >= 0, offset + count <= bytes.count else { return 0 }
    return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
  }
}
