package import LocationCore
package import LocationFormats

extension SubscriberView {
  /// What its background modes say.
  ///
  /// - Parameter isRunning: whether a daemon runs, without which no process is left.
  package func modeMembers(isRunning: Bool = true) -> [JSONTree.Member] {
    let line = JSONLine.line {
      for member in ModeMember.all where isRunning || !member.endsWithProcess {
        member.write(self, member.key, &$0)
      }
    }
    guard case .object(let members)? = try? JSONTree(line) else { return [] }
    return members.filter { $0.value != .array([]) }
  }
}

extension JSONTree {
  fileprivate var word: String { string ?? text }
}

extension ModeMember {
  /// A value that was read back, in a text.
  func words(_ tree: JSONTree) -> String {
    switch tree {
    case .object(let members): members.map { "\($0.key) \($0.value.word)" }.joined(separator: ", ")
    case .array(let elements): elements.map(element).joined(separator: ", ")
    case .string, .number, .boolean, .null: phrase(tree.word)
    }
  }

  private func element(_ tree: JSONTree) -> String {
    guard case .object(let members) = tree else { return tree.word }
    return members.map { member in
      guard case .boolean(let isSet) = member.value else { return member.value.word }
      return isSet ? member.key : unset
    }.joined(separator: " ")
  }
}
