import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Every short sequence of what can happen keeps the rules. `scripts/check-policy` runs the long variants, and shows
/// that the checkers find each defect that was once there.
@Suite struct ModelCheckerTests {
  static func expectNone(_ checker: ModelChecker) {
    #expect(checker.violation == nil, "\(checker.violation.map(String.init(describing:)) ?? "")")
  }

  @Test(arguments: ModelPlan.subscribers)
  func `a snapshot taken at any of the first states changes nothing`(_ subscriber: Subscriber) throws {
    var checker = ModelChecker(subscriber: subscriber)
    checker.restore = { policy in
      try JSONDecoder().decode(Policy.self, from: JSONEncoder().encode(policy))
    }
    try checker.search(depth: 4, limit: 300)
    Self.expectNone(checker)
    #expect(checker.visited >= 300)
  }

  @Test(arguments: ModelPlan.subscribers)
  func `every sequence of two of all that can happen keeps the rules`(_ subscriber: Subscriber) throws {
    for configuration in [ModelChecker.defaults, ModelChecker.small] {
      var checker = ModelChecker(subscriber: subscriber, configuration: configuration)
      try checker.search(depth: 2, limit: .max)
      Self.expectNone(checker)
      #expect(checker.completeDepth == 2 && checker.visited > 50)
    }
  }

  @Test(arguments: ModelPlan.themes.indices)
  func `every sequence of four of what bears on each other keeps the rules`(_ theme: Int) throws {
    for subscriber in ModelPlan.subscribers {
      var checker = ModelChecker(
        subscriber: subscriber, actions: ModelPlan.themes[theme], configuration: ModelChecker.small)
      try checker.search(depth: 4, limit: .max)
      Self.expectNone(checker)
      #expect(checker.completeDepth == 4)
    }
  }

  /// What the long variants found: the kind of subscriber, and the sequence.
  private static let found: [(kind: Int, actions: [ModelAction])] = [
    // The wake was over while a task held off suspension, and what the process had was handed to it again.
    (0, [.transfer, .transferEnds, .region, .acknowledgeOldest, .second, .beginTask, .minute]),
    // Updates that were kept back were dropped, and what else waited was handed to a program that was suspended.
    (4, [.update, .update, .transfer, .transfer, .transferEnds, .whenInUse]),
    // The wake was over while a task held off suspension, and what was kept back was handed over beyond the limit.
    (4, [.region, .transfer, .transferEnds, .update, .beginTask, .minute]),
  ]

  @Test(arguments: found.indices)
  func `sequences that once broke a rule keep it`(_ place: Int) throws {
    let (kind, actions) = Self.found[place]
    for configuration in [ModelChecker.defaults, ModelChecker.small] {
      var state = ModelState(ModelPlan.subscribers[kind], configuration)
      for action in actions { #expect(try state.take(action, nil) == nil, "\(action)") }
    }
  }

  @Test(arguments: SequenceChecker.themes)
  func `every sequence of three of fixes, silences and changes of rights keeps the rules`(
    _ actions: [SequenceChecker.Action]
  ) {
    var checker = SequenceChecker(actions: actions)
    checker.search(depth: 3)
    #expect(checker.violation == nil)
    #expect(checker.sequences == actions.count * actions.count * actions.count)
  }

  @Test(arguments: Mutation.all)
  func `a mutation fits the sources, once`(_ mutation: Mutation) throws {
    let file = PackageRoot.file("Sources/LocationCore/\(mutation.file)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.components(separatedBy: mutation.old).count == 2, "\(mutation.name)")
  }

  @Test func `every invariant has a mutation that it finds, and every mutation an invariant`() throws {
    let texts = try ["ModelWitness", "SequenceChecker"].map { name in
      try String(
        contentsOfFile: PackageRoot.file("Tests/LocationCoreTests/Policy/Model/\(name).swift"),
        encoding: .utf8)
    }
    let invariants = Set(texts.joined().matches(of: /"([A-Z]\d+[a-z]?: [^"]+)"/).map { String($0.output.1) })
    #expect(invariants.symmetricDifference(Mutation.all.map(\.invariant)).isEmpty)
  }

  @Test func `every action is of a theme, in which longer sequences of it are tried`() {
    #expect(Set(ModelAction.allCases).subtracting(ModelPlan.themes.joined()).isEmpty)
  }
}
