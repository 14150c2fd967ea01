import Foundation
import TestSupport
import Testing

@testable import LocationRuntime

/// Rule D8: which files a notification may sound as.
@Suite struct NotificationSoundTests {
  private let folder = TemporaryFolder()

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// 8,000 bytes a second, with a chunk of an odd size before its data.
  private static func wav(seconds: Double) -> [UInt8] {
    let size = Int(seconds * 8_000)
    var bytes = Array("RIFF".utf8) + little(size + 46, 4) + Array("WAVELIST".utf8) + little(3, 4)
    bytes += [1, 2, 3, 0] + Array("fmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2)
    bytes += little(8_000, 4) + little(8_000, 4) + little(1, 2) + little(8, 2)
    return bytes + Array("data".utf8) + little(size, 4) + Array(repeating: 128, count: min(size, 4_000))
  }

  private static func page(_ place: Int, _ content: [UInt8]) -> [UInt8] {
    Array("OggS".utf8) + [0, 2] + little(place, 8) + little(7, 4) + little(0, 4) + little(0, 4) + [1]
      + [UInt8(content.count)] + content
  }

  private static func ogg(_ head: [UInt8], samples: Int) -> [UInt8] {
    page(0, head) + Array(repeating: 0, count: 90_000) + page(samples, [0])
  }

  private static let opus = Array("OpusHead".utf8) + [1, 2] + little(312, 2) + little(16_000, 4) + [0, 0, 0]
  private static let vorbis =
    [1] + Array("vorbis".utf8) + little(0, 4) + [2] + little(44_100, 4) + little(0, 13)

  private func write(_ name: String, _ bytes: [UInt8]) {
    #expect(FileManager.default.createFile(atPath: folder(name), contents: Data(bytes)))
  }

  @Test func `D8 a WAV or Ogg file of at most 30 s in the directory may be played`() {
    write("short.wav", Self.wav(seconds: 30))
    write("long.wav", Self.wav(seconds: 30.1))
    write("opus.ogg", Self.ogg(Self.opus, samples: 30 * 48_000))
    write("long.opus", Self.ogg(Self.opus, samples: 31 * 48_000))
    write("vorbis.ogg", Self.ogg(Self.vorbis, samples: 29 * 44_100))
    write("long.oga", Self.ogg(Self.vorbis, samples: 31 * 44_100))
    write("text.wav", Array("no sound".utf8))
    write("empty.ogg", [])
    for name in ["short.wav", "opus.ogg", "vorbis.ogg"] {
      #expect(NotificationSound.path(name, in: folder.path) == folder(name))
    }
    for name in ["long.wav", "long.opus", "long.oga", "text.wav", "empty.ogg", "none.wav", "", ".", ".."] {
      #expect(NotificationSound.path(name, in: folder.path) == nil, "\(name)")
    }
  }

  @Test func `D8 nothing outside of the directory is played, and nothing waits for a pipe`() throws {
    write("short.wav", Self.wav(seconds: 1))
    let inner = folder("inner")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: inner + "/link.wav", withDestinationPath: folder("short.wav"))
    try #require(unsafe mkfifo(inner + "/pipe.wav", 0o600) == 0)
    for name in ["../short.wav", "link.wav", "pipe.wav", "inner/..", "short.wav\u{0}"] {
      #expect(NotificationSound.path(name, in: inner) == nil, "\(name)")
    }
    #expect(NotificationSound.path("inner", in: folder.path) == nil)
  }

  @Test func `cut and changed files are no sounds, and do no harm`() {
    for file in [Self.wav(seconds: 1), Self.ogg(Self.vorbis, samples: 44_100)] {
      for count in 0..<80 {
        _ = NotificationSound.wavSeconds(Array(file.prefix(count)))
        _ = NotificationSound.oggSeconds(Array(file.prefix(count)), tail: Array(file.prefix(count)))
        var changed = file
        changed[count] = 255
        _ = NotificationSound.wavSeconds(changed)
        _ = NotificationSound.oggSeconds(changed, tail: changed)
      }
    }
    #expect(NotificationSound.wavSeconds(Self.wav(seconds: 2)) == 2)
  }
}
