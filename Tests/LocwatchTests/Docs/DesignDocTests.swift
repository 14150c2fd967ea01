import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// `Docs/Design.md` has the folders that are there, each C library's importer, and every event and effect.
@Suite struct DesignDocTests {
  @Test func `every folder of the sources is in the layout, and no other`() throws {
    let files = FileManager.default.subpaths(atPath: PackageRoot.file("Sources")) ?? []
    let folders = Set(
      files.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".h") }.flatMap { file -> [String] in
        let parts = file.split(separator: "/").map(String.init)
        // A target, and in it a folder; deeper ones need no row.
        return parts.count > 2 ? [parts[0], parts[0] + "/" + parts[1]] : [parts[0]]
      })
    #expect(Set(Tidy.layout.keys) == folders)
  }

  @Test func `the file that imports a C library is named`() throws {
    let section = try #require(try Markdown("Docs/Design.md").section("Layout"))
    for row in Markdown.rows(in: section) {
      for target in Markdown.codes(in: row[0]) where Tidy.isC(target) {
        let importers = Self.importers(of: target)
        #expect(
          !importers.isEmpty && importers.allSatisfy { row[1].contains("`\($0)`") }, "\(target): \(importers)"
        )
      }
    }
  }

  /// The files that import a module, without their folders.
  private static func importers(of module: String) -> [String] {
    let files = (FileManager.default.subpaths(atPath: PackageRoot.file("Sources")) ?? []).sorted()
    return files.filter { file in
      file.hasSuffix(".swift")
        && (try? String(contentsOfFile: PackageRoot.file("Sources/" + file), encoding: .utf8))?
          .split(separator: "\n").contains { $0.hasSuffix("import \(module)") } == true
    }
    .compactMap { $0.split(separator: "/").last.map(String.init) }
  }

  @Test func `every event and effect is named`() throws {
    let text = try Markdown("Docs/Design.md").text
    for word in [
      "fix", "segmentBreak", "addRegion", "changeRegion", "removeRegion", "addSubscriber", "removeSubscriber",
      "subscriber",
      "machine", "source", "receiver", "beacon", "time", "end", "record", "perform", "outbox",
      "receive",
    ] {
      #expect(text.contains("`\(word)`"), "\(word)")
    }
  }

  /// Names every event and effect, so that a new one does not compile until the document has it.
  private func isNamed(_ event: Event, _ effect: Effect) {
    switch event {
    case .fix, .segmentBreak, .addRegion, .changeRegion, .removeRegion, .addSubscriber, .removeSubscriber,
      .subscriber,
      .machine, .source, .receiver, .beacon, .time, .end:
      break
    }
    switch effect {
    case .record, .perform, .outbox, .receive: break
    }
  }
}
