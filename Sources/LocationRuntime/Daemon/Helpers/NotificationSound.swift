import Glibc

/// The sound of a notification that a program brings itself: a WAV or Ogg file of at most 30 s in its directory (rule
/// D8).
enum NotificationSound {
  /// What is played where a program names no sound that may be.
  static let usual = "default"
  /// The longest, seconds (rule D8).
  static let longestSeconds = 30.0
  /// Bytes that are read at each end of a file: an Ogg page has 65,307 at most (RFC 3533, section 6).
  private static let endBytes = 1 << 16

  /// The full path of a sound that may be played; nil where it is none.
  static func path(_ name: String, in directory: String) -> String? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else { return nil }
    let path = "\(directory)/\(name)"
    guard let file = Descriptor.openPlain(path), let status = file.status else { return nil }
    let size = Int(status.st_size)
    let head = read(file, from: 0)
    guard
      let seconds = wavSeconds(head)
        ?? oggSeconds(head, tail: read(file, from: max(0, size - endBytes)))
    else { return nil }
    return seconds <= longestSeconds ? path : nil
  }

  private static func read(_ file: Descriptor, from place: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: endBytes) { buffer, count in
      count = unsafe max(0, pread(file.number, buffer.baseAddress, endBytes, place))
    }
  }

  private static func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> Int? {
    guard place >= 0, place + count <= bytes.count else { return nil }
    return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Seconds of a WAV file: its chunk `data` by the bytes a second of its chunk `fmt `; nil where it is none.
  static func wavSeconds(_ bytes: [UInt8]) -> Double? {
    guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WAVE".utf8) else { return nil }
    var place = 12
    var bytesPerSecond: Int?
    while let size = number(bytes, at: place + 4, bytes: 4) {
      let chunk = bytes.dropFirst(place)
      if chunk.starts(with: "fmt ".utf8) { bytesPerSecond = number(bytes, at: place + 16, bytes: 4) }
      if chunk.starts(with: "data".utf8), let bytesPerSecond, bytesPerSecond > 0 {
        return Double(size) / Double(bytesPerSecond)
      }
      // Chunks begin at even places.
      place += 8 + size + size % 2
    }
    return nil
  }

  /// Seconds of an Ogg file of Vorbis or Opus: the place of its last page by the samples a second that its first page
  /// states; nil where it is none.
  static func oggSeconds(_ head: [UInt8], tail: [UInt8]) -> Double? {
    guard head.starts(with: "OggS".utf8), let segments = number(head, at: 26, bytes: 1) else { return nil }
    let start = 27 + segments
    let content = head.dropFirst(start)
    let samples: Int?
    if content.starts(with: "\u{1}vorbis".utf8) {
      samples = number(head, at: start + 12, bytes: 4)
    } else {
      // Opus counts 48,000 a second, whatever its input was (RFC 7845, section 4).
      samples = content.starts(with: "OpusHead".utf8) ? 48_000 : nil
    }
    let last = tail.indices.last { tail[$0...].starts(with: "OggS".utf8) }
    guard let samples, samples > 0, let last, let place = number(tail, at: last + 6, bytes: 8), place >= 0
    else { return nil }
    return Double(place) / Double(samples)
  }
}
