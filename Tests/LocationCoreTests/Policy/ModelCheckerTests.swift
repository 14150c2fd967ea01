import Foundation
import Testing

@testable import LocationCore

/// Every short sequence of what can happen keeps the rules.
@Suite struct ModelCheckerTests {
  static let subscribers = [
    Subscriber(name: "a", services: [.regions, .visits]),
    Subscriber(name: "a", services: [.regions, .standard], modes: [.location]),
    Subscriber(name: "a", services: [.regions], exitsOnSuspend: true),
  ]

  /// Actions that bear on each other: of few, every sequence of six can be searched.
  static let themes: [[ModelChecker.Action]] = [
    [.region, .exit, .launch, .deny, .reduced, .always, .tenSeconds],
    [.launch, .background, .beginTask, .endTask, .region, .acknowledgeOldest, .tenSeconds],
    [.region, .acknowledgeAll, .background, .critical, .relief, .launch, .fiveSeconds],
    [.reboot, .unlock, .launch, .region, .exit, .quit, .minute],
    [.update, .region, .quit, .acknowledgeAll, .launch, .background, .tenSeconds],
    [.launch, .background, .locate, .lockScreen, .unlock, .interrupt, .resume, .fiveSeconds],
  ]

  static func expectNone(_ checker: ModelChecker) {
    #expect(checker.violation == nil, "\(checker.violation.map(String.init(describing:)) ?? "")")
  }

  @Test(arguments: subscribers)
  func `a snapshot taken at any of the first states changes nothing`(_ subscriber: Subscriber) throws {
    var checker = ModelChecker(subscriber: subscriber)
    checker.restore = { policy in
      try JSONDecoder().decode(Policy.self, from: JSONEncoder().encode(policy))
    }
    try checker.search(depth: 3, limit: 400)
    Self.expectNone(checker)
    #expect(checker.visited >= 300)
  }

  @Test(arguments: subscribers)
  func `the first thousands of states keep the rules`(_ subscriber: Subscriber) throws {
    var checker = ModelChecker(subscriber: subscriber)
    try checker.search(depth: 6, limit: 3_000)
    Self.expectNone(checker)
    #expect(checker.visited >= 2_000)
  }

  @Test(arguments: themes.indices)
  func `every sequence of four of what bears on each other keeps the rules`(_ theme: Int) throws {
    for subscriber in Self.subscribers {
      var checker = ModelChecker(subscriber: subscriber, actions: Self.themes[theme])
      try checker.search(depth: 4, limit: 10_000)
      Self.expectNone(checker)
    }
  }

  /// With `LOCWATCH_FULL=1`: every sequence of six of each theme.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["LOCWATCH_FULL"] != nil), arguments: themes.indices)
  func `every sequence of six of what bears on each other keeps the rules`(_ theme: Int) throws {
    for subscriber in Self.subscribers {
      var checker = ModelChecker(subscriber: subscriber, actions: Self.themes[theme])
      try checker.search(depth: 6, limit: 10_000_000)
      print("model checker: theme \(theme), \(checker.visited) states")
      Self.expectNone(checker)
    }
  }

  /// With `LOCWATCH_FULL=1`: a million states of all actions together, and how many there were.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["LOCWATCH_FULL"] != nil), arguments: subscribers)
  func `a million states keep the rules`(_ subscriber: Subscriber) throws {
    var checker = ModelChecker(subscriber: subscriber)
    try checker.search(depth: 12, limit: 1_000_000)
    print("model checker: \(checker.visited) states")
    Self.expectNone(checker)
    #expect(checker.visited >= 1_000_000)
  }
}
