import Dispatch
import Foundation
import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("Opening a track")
struct TrackReaderTests {
  @Test("a file that can't be opened fails with its own exit code")
  func unopenable() throws {
    let folder = FileManager.default.temporaryDirectory.path
    let missing = Reading(path: folder + "/locwatch-no-such-file").failure
    #expect(missing?.code == .noInput && missing?.line == nil)
    let directory = Reading(path: folder).failure
    #expect(directory?.code == .noInput && directory?.what == "is a directory")
    #expect(Reading(path: "").failure?.code == .noInput)
    #expect(Reading(path: "/dev/null/x").failure?.code == .noInput)
    let links = TemporaryFolder()
    try #require(unsafe symlink(links("loop"), links("loop")) == 0)
    let loop = Reading(path: links("loop")).failure
    #expect(loop?.code == .noInput && loop?.what == "can't open it: Too many levels of symbolic links")
  }

  @Test("a file that may not be read fails with 77", .enabled(if: getuid() != 0))
  func unreadable() throws {
    let file = TemporaryFile(Array("{}".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    #expect(Reading(path: file.path).failure?.code == .noPermission)
  }

  @Test(
    "a file of another kind is called by its name",
    arguments: [
      ("$GPRMC,1\n$GPGGA,2\n", "no position in it"), ("PK\u{3}\u{4}", "ZIP"), ("BZh91AY", "bzip2"),
      ("a,b\n1,2\n", "neither"),
      ("[{\"lat\":1}]", "JSON array"), ("%PDF-1.4", "PDF"), ("\u{0}\u{1}\u{2}\u{3}", "binary"),
      ("# a receiver's own log\n\u{1}\u{2}\n{\u{3}\n", "binary"),
      ("<html><body/></html>", "HTML"), ("{\n \"a\": 1\n}", "cut off"),
      ("{\"a\":1}\n", "no position in any line"), ("SQLite format 3\u{0}", "SQLite"),
    ])
  func otherKinds(content: String, word: String) throws {
    let failure = try #require(try Reading(content).failure)
    #expect(failure.code == .data && failure.what.contains(word), "\(failure)")
    #expect((failure.line == nil) == (word == "ZIP"))
  }

  @Test("what has come through a pipe is delivered without waiting for more")
  func pipe() throws {
    let pipe = try NamedPipe()
    let mayGoOn = DispatchSemaphore(value: 0)
    pipe.write { write in
      _ = write(Array("{\"time\":1,\"lat\":1,\"lon\":1}\n{\"time\":2,\"lat\":2".utf8))
      mayGoOn.wait()
      _ = write(Array(",\"lon\":2}\n{\"time\":3,\"lat\":3,\"lon\":3}".utf8))
    }
    var reader = try TrackReader(path: pipe.path)
    var batch: [TrackItem] = []
    #expect(try reader.read(into: &batch))
    #expect(batch.count == 1)
    mayGoOn.signal()
    var later: [TrackItem] = []
    while try reader.read(into: &batch) { later += batch }
    #expect(later.count == 2)
    #expect(reader.byteCount == nil && reader.line == 3)
  }

  @Test("after an error, and after the end, nothing more comes")
  func afterTheEnd() throws {
    let file = TemporaryFile(Array("{\"time\":1,\"lat\":1,\"lon\":1}\nx{}\n".utf8))
    var reader = try TrackReader(path: file.path)
    var batch: [TrackItem] = []
    #expect(try reader.read(into: &batch))
    #expect(throws: Failure.self) { try reader.read(into: &batch) }
    #expect(try !reader.read(into: &batch))
    #expect(batch.isEmpty && reader.bytesRead == reader.byteCount)
  }

  @Test("a failure is one line: where, what, and what to do")
  func failureText() {
    let failure = Failure(.data, file: "a\nb", line: 3, what: "bad", remedy: "mend it")
    #expect("\(failure)" == "a?b:3: bad; mend it")
    // What ends a line or turns the direction of the text has no place in it; letters of any script have.
    let text = Failure(.usage, what: "a\u{1B}b\u{2028}c\u{202E}d\u{2066}e\u{200D}é")
    #expect("\(text)" == "a?b?c?d?e\u{200D}é")
    #expect("\(Failure(.usage, what: "bad"))" == "bad")
    #expect("\(Failure(.io, file: "f", what: "bad"))" == "f: bad")
  }
}
