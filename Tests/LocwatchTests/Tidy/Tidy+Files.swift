/// Files that belong together.
extension Tidy {
  /// Every track has its scenario and its golden, and no golden or scenario is without its track.
  ///
  /// - Parameter names: the files of Tracks/.
  static func tracks(_ names: [String]) -> [Violation] {
    let all = Set(names)
    let endings = [".gpx", ".gpx.gz"]
    let tracks = names.filter { name in endings.contains(where: name.hasSuffix) }.sorted()
    let slugs = Set(tracks.map { String($0.prefix { $0 != "." }) })
    var violations: [Violation] = []
    for track in tracks {
      let slug = track.prefix { $0 != "." }
      if !all.contains("\(slug).chk") {
        violations.append(Violation("Tracks/\(track)", 1, "no \(slug).chk beside it (CONTRIBUTING.md)"))
      }
      if !names.contains(where: { $0.hasPrefix("\(slug).scenario.") }) {
        violations.append(
          Violation("Tracks/\(track)", 1, "no \(slug).scenario.yaml beside it (CONTRIBUTING.md)"))
      }
    }
    for name in names.sorted() where name.hasSuffix(".chk") || name.contains(".scenario.") {
      let slug = name.prefix { $0 != "." }
      if !slugs.contains(String(slug)) {
        violations.append(Violation("Tracks/\(name)", 1, "no \(slug).gpx beside it"))
      }
    }
    return violations
  }

  /// The paths that a text for readers names in the project's own folders exist.
  ///
  /// - Parameter exists: whether there is a file or a folder of that path.
  static func paths(in text: String, of path: String, exists: (String) -> Bool) -> [Violation] {
    let folders = [
      "scripts/", "Tracks/", "Docs/", "Sources/", "Tests/", "Benchmarks/", "Fuzz/", "Checker/", "Simulator/",
    ]
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      number, line in
      line.split { " \t()[]`'\",;:<>|#".contains($0) }.compactMap { word -> Violation? in
        // A sentence's full stop is not part of a name, and a pattern names no one file.
        var name = word.hasPrefix("./") ? word.dropFirst(2) : word
        while name.hasSuffix(".") { name = name.dropLast() }
        guard folders.contains(where: { name.hasPrefix($0) && name.count > $0.count }),
          !name.contains(where: "*{}$…".contains),
          !name.contains("..."),
          !exists(String(name))
        else { return nil }
        return Violation(path, number + 1, "\(name) does not exist")
      }
    }
  }
}
