import Glibc
import LocationCore

/// A PMTiles archive, version 3 (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md).
package struct PMTiles: TileArchive {
  /// What every archive begins with.
  package static let signature = Array("PMTiles".utf8)

  package let attribution: String
  package let zooms: ClosedRange<Int>
  private let path: String
  private let file: OpenFile
  private let header: [UInt8]
  /// Directories that have been read, by where they stand.
  private var directories: [UInt64: [Entry]] = [:]

  /// A descriptor that is closed with its owner.
  private final class OpenFile: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { if descriptor >= 0 { close(descriptor) } }
  }

  private struct Entry {
    var number: UInt64
    /// 0 for a directory of its own.
    var run: UInt64
    var length: UInt64
    var offset: UInt64
  }

  private static let headerBytes = 127
  /// No directory is larger; a bound for files made to fill a machine.
  private static let largestPart: UInt64 = 64 << 20
  /// What the user does about a damaged archive.
  private static let remedy = "get it again"
  /// Directories lie in each other no deeper.
  private static let deepest = 4

  /// Opens an archive.
  ///
  /// - Throws: `.noInput`, `.noPermission`, `.io` where it can't be read; `.data` where it is none of version 3.
  package init(path: String) throws(Failure) {
    self.path = path
    let descriptor = SystemCall.openFile(path, O_RDONLY | O_CLOEXEC)
    file = OpenFile(descriptor)
    guard descriptor >= 0 else {
      throw Failure(
        .noInput, file: path, what: "can't open it: \(SystemReason.text(errno))",
        remedy: "check its path and its permissions")
    }
    header = try Self.read(descriptor, path, at: 0, count: UInt64(Self.headerBytes))
    guard header.count == Self.headerBytes, header.starts(with: Self.signature), header[7] == 3 else {
      throw Failure(.data, file: path, what: "no PMTiles archive of version 3", remedy: "get one")
    }
    zooms = Int(min(header[100], 30))...Int(max(min(header[101], 30), min(header[100], 30)))
    let (offset, length) = (Self.number(header, 24), Self.number(header, 32))
    let metadata = try Self.part(descriptor, path, header, at: offset, count: length)
    attribution = ((try? JSONTree(metadata))?["attribution"]?.string).map(Markup.plain) ?? ""
  }

  package mutating func tile(_ tile: MapTile) throws(Failure) -> [UInt8]? {
    guard zooms.contains(tile.zoom) else { return nil }
    let number = tile.hilbertNumber
    var (offset, length) = (Self.number(header, 8), Self.number(header, 16))
    for _ in 0..<Self.deepest {
      let entries = try directory(at: offset, count: length)
      guard let entry = entries.last(where: { $0.number <= number }) else { return nil }
      if entry.run > 0 {
        guard number - entry.number < entry.run else { return nil }
        let start = Self.number(header, 56) &+ entry.offset
        return try Self.read(file.descriptor, path, at: start, count: entry.length)
      }
      (offset, length) = (Self.number(header, 40) &+ entry.offset, entry.length)
    }
    return nil
  }

  private mutating func directory(at offset: UInt64, count: UInt64) throws(Failure) -> [Entry] {
    if let known = directories[offset] { return known }
    let bytes = try Self.part(file.descriptor, path, header, at: offset, count: count)
    guard let entries = Self.entries(bytes) else {
      throw Failure(.data, file: path, what: "a directory of the archive is damaged", remedy: Self.remedy)
    }
    directories[offset] = entries
    return entries
  }

  /// The four columns of a directory, each a list of variable-length numbers.
  private static func entries(_ bytes: [UInt8]) -> [Entry]? {
    var place = 0
    func next() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard place < bytes.count else { return nil }
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
    guard let count = next(), count <= UInt64(bytes.count) else { return nil }
    var entries = [Entry](repeating: Entry(number: 0, run: 0, length: 0, offset: 0), count: Int(count))
    var last: UInt64 = 0
    for index in entries.indices {
      guard let difference = next() else { return nil }
      last &+= difference
      entries[index].number = last
    }
    for index in entries.indices {
      guard let value = next() else { return nil }
      entries[index].run = value
    }
    for index in entries.indices {
      guard let value = next() else { return nil }
      entries[index].length = value
    }
    for index in entries.indices {
      guard let value = next() else { return nil }
      if value == 0 {
        // Right behind the one before.
        guard index > 0 else { return nil }
        entries[index].offset = entries[index - 1].offset &+ entries[index - 1].length
      } else {
        entries[index].offset = value - 1
      }
    }
    return entries
  }

  // MARK: - Bytes

  private static func number(_ bytes: [UInt8], _ place: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  /// A directory or the metadata, unpacked.
  private static func part(
    _ descriptor: Int32, _ path: String, _ header: [UInt8], at offset: UInt64, count: UInt64
  ) throws(Failure) -> [UInt8] {
    let bytes = try read(descriptor, path, at: offset, count: count)
    // 1 is plain, 2 gzip; 3 and 4 are Brotli and Zstandard, which few archives have.
    switch header[97] {
    case 1: return bytes
    case 2:
      do throws(Gunzip.Trouble) { return try Gunzip.unpack(bytes, limit: Int(largestPart)) } catch {
        throw Failure(.data, file: path, what: "a part of the archive is damaged", remedy: Self.remedy)
      }
    default:
      throw Failure(
        .data, file: path, what: "its directories are packed neither plainly nor with gzip",
        remedy: "convert it with pmtiles convert")
    }
  }

  private static func read(
    _ descriptor: Int32, _ path: String, at offset: UInt64, count: UInt64
  ) throws(Failure) -> [UInt8] {
    guard count <= largestPart, offset < 1 << 62 else {
      throw Failure(.data, file: path, what: "the archive is damaged", remedy: Self.remedy)
    }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    var filled = 0
    while filled < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled,
          off_t(offset) + off_t(filled))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw Failure(
          got < 0 ? .io : .data, file: path,
          what: got < 0 ? "can't read it: \(SystemReason.text(errno))" : "the archive ends early")
      }
      filled += got
    }
    return bytes
  }
}
