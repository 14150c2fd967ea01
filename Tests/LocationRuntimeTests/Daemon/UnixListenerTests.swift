import Foundation
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

@Suite struct UnixListenerTests {
  @Test func `it takes the place of a server that is gone, and of nobody else`() throws {
    let folder = TemporaryFolder()
    let path = folder("x.sock")
    var first: UnixListener? = try UnixListener(path: path, waiting: 1)
    // The second try finds a full queue.
    for _ in 0..<2 {
      let refusal = #expect(throws: Failure.self) { try UnixListener(path: path, waiting: 1) }
      #expect(refusal?.code == .cantCreate)
      #expect(refusal?.what == "another server listens there")
    }
    withExtendedLifetime(first) {}
    first = nil
    let second = try UnixListener(path: path, waiting: 1)
    second.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
    let file = folder.write("file", "mine")
    #expect(throws: Failure.self) { try UnixListener(path: file, waiting: 1) }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test func `at its end another server's socket stays`() throws {
    let folder = TemporaryFolder()
    let path = folder("x.sock")
    let first = try UnixListener(path: path, waiting: 1)
    try FileManager.default.removeItem(atPath: path)
    let second = try UnixListener(path: path, waiting: 1)
    first.remove()
    #expect(FileManager.default.fileExists(atPath: path))
    second.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
