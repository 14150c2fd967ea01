/// Who may import whom.
extension Tidy {
  /// An import as it stands in a file.
  struct Import {
    var module: String
    var line: Int
  }

  static func imports(of source: SwiftSource) -> [Import] {
    let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    return source.tokens.indices.compactMap { index in
      guard source.text(index) == "import", source.text(index - 1) != "." else { return nil }
      let module = source.text(kinds.contains(source.text(index + 1)) ? index + 2 : index + 1)
      return Import(module: module, line: source.tokens[index].line)
    }
  }

  /// `locwatch -> LocationLab -> LocationRuntime -> LocationFormats -> LocationCore -> CGEOS`, and each C library in one file of its target.
  static func importDirection(_ sources: [SwiftSource]) -> [Violation] {
    var violations: [Violation] = []
    var importers: [String: String] = [:]
    for source in sources {
      guard let allowed = layout[source.target] else {
        violations.append(
          Violation(source, 1, "target \(source.target) is not in the layout of Docs/Design.md"))
        continue
      }
      for found in imports(of: source) where layout[found.module] != nil {
        if !allowed.contains(found.module) {
          violations.append(
            Violation(
              source, found.line, "\(source.target) may not import \(found.module): imports go one way"))
        } else if isC(found.module) {
          let key = "\(source.target) \(found.module)"
          if let first = importers[key], first != source.path {
            violations.append(
              Violation(source, found.line, "\(found.module) is imported by one file, and \(first) is it"))
          }
          importers[key] = importers[key] ?? source.path
        }
      }
    }
    return violations
  }

  /// The core imports nothing but CGEOS, and the C library in the one file that does trigonometry.
  static func coreImports(_ sources: [SwiftSource]) -> [Violation] {
    sources.filter { $0.target == "LocationCore" }.flatMap { source in
      imports(of: source).compactMap { found in
        switch found.module {
        case "Glibc":
          source.path == mathematicsFile
            ? nil : Violation(source, found.line, "only \(mathematicsFile) imports \(found.module)")
        // Those of ours are for importDirection.
        case let module where layout[module] != nil: nil
        case let module: Violation(source, found.line, "the core is pure: it does not import \(module)")
        }
      }
    }
  }

  /// No Foundation: it costs start-up time and memory with each relaunch. ``coreImports(_:)`` watches the core.
  static func foundation(_ sources: [SwiftSource]) -> [Violation] {
    sources.filter { $0.target != "LocationCore" }.flatMap { source in
      imports(of: source).filter { $0.module.hasPrefix("Foundation") }.map {
        Violation(source, $0.line, "\($0.module) slows every start: do without it")
      }
    }
  }

  /// One test library: what is written for another would not be run by scripts/test.
  static func testLibrary(_ sources: [SwiftSource]) -> [Violation] {
    sources.flatMap { source in
      imports(of: source).filter { $0.module == "XCTest" }.map {
        Violation(source, $0.line, "tests are written with Swift Testing; XCTest's are not run")
      }
    }
  }
}
