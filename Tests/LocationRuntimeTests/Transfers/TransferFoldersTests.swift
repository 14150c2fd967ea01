import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What the process of a program's transfers is given.
@Suite struct TransferFoldersTests {
  private static let program = Subscriber(name: "a", services: [])

  @Test(arguments: ["files/a", "transfers/parts/a"])
  func `no link is followed that somebody put in the place of a folder`(place: String) throws {
    let folder = TemporaryFolder()
    let elsewhere = TemporaryFolder()
    let link = folder("s.db." + place)
    try FileManager.default.createDirectory(
      atPath: (link as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere.path)
    #expect(throws: Failure.self) { try TransferSpool(state: folder("s.db")).folders(of: Self.program) }
    #expect(FileManager.default.subpaths(atPath: elsewhere.path)?.isEmpty == true)
  }

  @Test(arguments: ["files", "transfers", "transfers/parts"])
  func `nor is a folder taken that others may write`(place: String) throws {
    let folder = TemporaryFolder()
    let path = folder("s.db." + place)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try #require(unsafe chmod(path, 0o777) == 0)
    #expect(throws: Failure.self) { try TransferSpool(state: folder("s.db")).folders(of: Self.program) }
  }

  @Test func `folders are the same while they lead to the same`() throws {
    let folder = TemporaryFolder()
    let spool = TransferSpool(state: folder("s.db"))
    let before = try spool.folders(of: Self.program)
    #expect(try spool.folders(of: Self.program) == before)
    var other = Self.program
    other.directory = "/tmp"
    #expect(try spool.folders(of: other) != before)
    try FileManager.default.removeItem(atPath: folder("s.db.files"))
    #expect(try spool.folders(of: Self.program) != before)
  }
}
