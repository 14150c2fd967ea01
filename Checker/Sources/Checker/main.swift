import Foundation

@testable import LocationCore

// The long variants of the checkers; see README.md.

/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Searches with the numbers of the rules and with small ones, for each kind of subscriber; prints what was visited.
func search(_ name: String, _ actions: [ModelAction], depth: Int, limit: Int) throws -> Int {
  var total = 0
  for (kind, subscriber) in ModelPlan.subscribers.enumerated() {
    for (numbers, configuration) in [("rules", ModelChecker.defaults), ("small", ModelChecker.small)] {
      let clock = ContinuousClock()
      let began = clock.now
      var checker = ModelChecker(subscriber: subscriber, actions: actions, configuration: configuration)
      try checker.search(depth: depth, limit: limit)
      total += checker.visited
      say(
        """
        \(name), subscriber \(kind), numbers \(numbers): \(checker.visited) states, \(checker.transitions) transitions, \
        all sequences of \(checker.completeDepth), \((clock.now - began).components.seconds) s
        """)
      guard let violation = checker.violation else { continue }
      say("violation: \(violation)")
      exit(1)
    }
  }
  return total
}

/// The first invariant that anything breaks, with the sequence; the shortest sequences first.
func firstViolation() throws -> String? {
  for depth in 2...8 {
    for actions in ModelPlan.themes {
      for subscriber in ModelPlan.subscribers {
        for configuration in [ModelChecker.defaults, ModelChecker.small] {
          var checker = ModelChecker(subscriber: subscriber, actions: actions, configuration: configuration)
          try checker.search(depth: depth, limit: 20_000)
          if let violation = checker.violation { return violation.description }
        }
      }
    }
    guard depth <= 6 else { continue }
    for actions in SequenceChecker.themes {
      var checker = SequenceChecker(actions: actions)
      checker.search(depth: min(depth, 5))
      if let violation = checker.violation { return violation }
    }
  }
  return nil
}

func mutation(_ argument: String) -> Mutation {
  guard let place = Int(argument), Mutation.all.indices.contains(place) else { exit(64) }
  return Mutation.all[place]
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().map { $0 }) {
case ("search", let rest) where rest.count == 2:
  let total = try search(
    "all actions", ModelAction.allCases, depth: Int(rest[0]) ?? 0, limit: Int(rest[1]) ?? 0)
  say("in all: \(total) states")
case ("themes", let rest) where rest.count == 2:
  var total = 0
  for (theme, actions) in ModelPlan.themes.enumerated() {
    total += try search("theme \(theme)", actions, depth: Int(rest[0]) ?? 0, limit: Int(rest[1]) ?? 0)
  }
  say("in all: \(total) states")
case ("sequences", let rest) where rest.count == 1:
  for actions in SequenceChecker.themes {
    var checker = SequenceChecker(actions: actions)
    checker.search(depth: Int(rest[0]) ?? 0)
    say("sequences of positions and rights: \(checker.sequences)")
    guard let violation = checker.violation else { continue }
    say("violation: \(violation)")
    exit(1)
  }
case ("mutations", _): for (place, mutation) in Mutation.all.enumerated() { say("\(place) \(mutation.file)") }
case ("mutate", let rest) where rest.count == 2:
  // Changes the file of a mutation in a folder with the sources of the core.
  let mutation = mutation(rest[0])
  let file = URL(fileURLWithPath: rest[1]).appendingPathComponent(mutation.file)
  let text = try String(contentsOf: file, encoding: .utf8)
  guard text.components(separatedBy: mutation.old).count == 2 else {
    say("\(mutation.name): no longer fits \(mutation.file)")
    exit(1)
  }
  try text.replacingOccurrences(of: mutation.old, with: mutation.new).write(
    to: file, atomically: true, encoding: .utf8)
case ("find", let rest) where rest.count == 1:
  let mutation = mutation(rest[0])
  let found = try firstViolation()
  say("\(mutation.name): \(found ?? "not found")")
  exit(found?.hasPrefix(mutation.invariant + ":") == true ? 0 : 1)
case _:
  say(
    "usage: Checker search DEPTH LIMIT | themes DEPTH LIMIT | sequences DEPTH | mutations | mutate N DIR | find N"
  )
  exit(64)
}
