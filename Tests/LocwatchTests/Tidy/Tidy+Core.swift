/// What holds inside the core.
extension Tidy {
  static let typeKeywords: Set = ["struct", "enum", "class", "actor", "protocol", "typealias"]

  /// A type and where its name stands.
  struct TypeName {
    var name: String
    var line: Int
    /// How many braces are open around it.
    var depth: Int
  }

  static func typeNames(in source: SwiftSource) -> [TypeName] {
    var depth = 0
    var names: [TypeName] = []
    for (index, token) in source.tokens.enumerated() {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard token.isWord, typeKeywords.contains(token.text), source.text(index - 1) != ".",
        source.tokens.indices.contains(index + 1), source.tokens[index + 1].isWord,
        // `class func` and the like declare no type; `: class {` is followed by no word.
        source.text(index + 1).first?.isUppercase == true
      else { continue }
      names.append(TypeName(name: source.text(index + 1), line: token.line, depth: depth))
    }
    return names
  }

  /// The core's folders build on each other in one order.
  ///
  /// Told by the names of types at file level: one that is declared in a folder, and in none that the
  /// reading folder may use, is not to be named there. Members added by extensions go unseen.
  static func folderOrder(_ sources: [SwiftSource]) -> [Violation] {
    let core = sources.filter { $0.target == "LocationCore" }
    var homes: [String: Set<String>] = [:]
    for source in core {
      for type in typeNames(in: source) where type.depth == 0 {
        homes[type.name, default: []].insert(source.folder)
      }
    }
    return core.flatMap { source -> [Violation] in
      guard let below = layout["LocationCore/\(source.folder)"] else {
        return [
          Violation(source, 1, "every file of the core stands in a folder of the layout of Docs/Design.md")
        ]
      }
      let usable = below.union([source.folder])
      let own = Set(typeNames(in: source).map(\.name))
      var told: Set<String> = []
      return source.tokens.indices.compactMap { index in
        let token = source.tokens[index]
        guard token.isWord, let folders = homes[token.text], folders.isDisjoint(with: usable),
          !own.contains(token.text), source.text(index - 1) != ".", told.insert(token.text).inserted
        else { return nil }
        let home = folders.sorted().joined(separator: ", ")
        return Violation(source, token.line, "\(source.folder) may not use \(token.text) of \(home)")
      }
    }
  }

  /// No clock, no output, no concurrency, no chance in the core.
  static func corePurity(_ sources: [SwiftSource]) -> [Violation] {
    let words: Set = [
      "async", "await", "actor", "Task", "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator",
      "randomElement", "shuffle", "shuffled",
    ]
    let calls: Set = ["print", "debugPrint", "readLine"]
    return sources.filter { $0.target == "LocationCore" }.flatMap { source in
      source.tokens.indices.compactMap { index in
        let word = source.text(index)
        let isCall =
          calls.contains(word) && source.text(index + 1) == "(" && source.text(index - 1) != "."
          && source.text(index - 1) != "func"
        let isChance = word == "random" && source.text(index - 1) == "."
        guard source.tokens[index].isWord, words.contains(word) || isCall || isChance else { return nil }
        return Violation(source, source.tokens[index].line, "the core is pure: no \(word)")
      }
    }
  }
}
