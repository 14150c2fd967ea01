package import LocationCore

extension EngineSnapshot {
  /// The engine it was taken of.
  ///
  /// - Throws: ``Failure`` of code 65 where it was taken of none.
  package func restored() throws(Failure) -> Engine {
    do {
      return try Engine(restoring: self)
    } catch {
      throw Failure(.data, what: "a snapshot with a region that is none: \(error)")
    }
  }

  /// The same state under other settings.
  ///
  /// Parts of the state carry the settings they decide by. Which those are is asked of two engines that have seen
  /// nothing: wherever they differ, the new one's value takes the place of the old one's.
  ///
  /// - Throws: ``Failure`` of code 70 where a snapshot can't be encoded, which would be our fault.
  package func reconfigured(
    from old: EngineConfiguration, to new: EngineConfiguration
  ) throws(Failure) -> EngineSnapshot {
    guard old != new else { return self }
    do {
      var tree = try ExactEncoder.tree(of: self)
      tree.apply(
        from: try ExactEncoder.tree(of: Engine(configuration: old).snapshot),
        to: try ExactEncoder.tree(of: Engine(configuration: new).snapshot))
      return try ExactDecoder.value(EngineSnapshot.self, of: tree)
    } catch {
      throw Failure(.software, what: "can't change the settings: \(error)")
    }
  }
}

extension JSONTree {
  /// Gives every value in which `old` and `new` differ as `new` has it.
  fileprivate mutating func apply(from old: JSONTree, to new: JSONTree) {
    guard old != new else { return }
    guard case .object(var mine) = self, case .object(let olds) = old, case .object(let news) = new else {
      self = new
      return
    }
    for member in news {
      if let index = mine.firstIndex(where: { $0.key == member.key }) {
        let was = olds.first { $0.key == member.key }?.value ?? .null
        mine[index].value.apply(from: was, to: member.value)
      } else {
        mine.append(member)
      }
    }
    mine.removeAll { member in
      olds.contains { $0.key == member.key } && !news.contains { $0.key == member.key }
    }
    self = .object(mine)
  }
}
