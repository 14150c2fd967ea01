import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// A supervisor with a place of its own, and what it has reported so far.
final class SupervisorRun {
  /// How programs are suspended in a test.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case freezer, stopSignal
    var testDescription: String { rawValue }

    /// The ways that this machine has.
    static let here: [Way] = Way.allCases.filter { $0 == .stopSignal || hasFreezer }
    private static let hasFreezer: Bool = {
      let parent = try? CgroupParent(name: "locwatch-test-probe-\(getpid())")
      parent?.remove()
      return parent != nil
    }()
  }

  let folder: TemporaryFolder
  let supervisor: Supervisor
  /// What has come and was not waited for yet.
  private(set) var pending: [SupervisorReport] = []

  /// How long something may take that should be immediate: only a broken supervisor takes as long.
  private static let patience: TimeInterval = TestPatience.seconds

  init(
    _ way: Way = .stopSignal, graceMilliseconds: Int64 = 5_000, folder: TemporaryFolder = TemporaryFolder()
  )
    throws
  {
    self.folder = folder
    supervisor = try Supervisor(Self.configuration(way, folder, graceMilliseconds: graceMilliseconds))
  }

  static func configuration(
    _ way: Way, _ folder: TemporaryFolder, graceMilliseconds: Int64 = 5_000
  ) -> SupervisorConfiguration {
    var configuration = SupervisorConfiguration(runDirectory: folder("run"))
    configuration.cgroupName = (folder.path as NSString).lastPathComponent
    configuration.usesCgroups = way == .freezer
    configuration.graceMilliseconds = graceMilliseconds
    configuration.socketPath = folder("subscribers.sock")
    configuration.filesDirectory = folder("files")
    return configuration
  }

  /// Adds a subscriber that is a shell script.
  func add(_ name: String, style: Subscriber.Style = .resident, _ script: String) {
    supervisor.add(Subscriber(name: name, command: ["/bin/sh", "-c", script], style: style))
  }

  func relaunch(_ name: String, event: Int = 1) {
    supervisor.perform(.relaunch(subscriber: name, launch: Self.launch(event)))
  }

  func wake(_ name: String, event: Int, sleptSeconds: Double = 3) {
    supervisor.perform(.wake(subscriber: name, launch: Self.launch(event, sleptSeconds: sleptSeconds)))
  }

  func deliver(
    _ name: String, event: Int, _ cause: Order.Cause = .region
  ) {
    let line = Array(#"{"v":1,"id":\#(event),"type":"region.enter"}"#.utf8)
    supervisor.perform(.deliver(subscriber: name, event: event, cause), recordLine: line)
  }

  func suspend(_ name: String) { supervisor.perform(.suspend(subscriber: name)) }
  func terminate(_ name: String) { supervisor.perform(.terminate(subscriber: name)) }

  private static func launch(_ event: Int, sleptSeconds: Double? = nil) -> Order.Launch {
    Order.Launch(cause: .regions, kind: "region", event: event, budgetSeconds: 10, sleptSeconds: sleptSeconds)
  }

  /// Waits for the first report for which `choose` gives a value, and takes it and all before it away.
  func wait<Value>(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    for choose: (SupervisorReport) -> Value?
  ) throws -> Value {
    let deadline = Date().addingTimeInterval(Self.patience)
    while true {
      for (index, report) in pending.enumerated() {
        if let value = choose(report) {
          seen += pending[...index]
          pending.removeSubrange(...index)
          return value
        }
      }
      let left = deadline.timeIntervalSinceNow
      guard left > 0 else {
        Issue.record(
          "waited in vain for \(what); came: \(pending.prefix(20))", sourceLocation: sourceLocation)
        throw Waited()
      }
      _ = PollSet.wait(on: supervisor.readable, atMost: Int32(left * 1_000) + 1)
      supervisor.take(into: &pending)
    }
  }

  /// Everything that was waited for or passed over.
  private(set) var seen: [SupervisorReport] = []

  /// Takes one of those away that fits; whether there was one.
  func takeSeen(_ fits: (SupervisorReport) -> Bool) -> Bool {
    guard let index = seen.firstIndex(where: fits) else { return false }
    seen.remove(at: index)
    return true
  }

  /// Takes what has come without waiting for anything.
  func takeWhatCame() { supervisor.take(into: &pending) }

  struct Waited: Error {}

  /// Whether a report has come by now.
  func hasCome(_ report: SupervisorReport) -> Bool {
    supervisor.take(into: &pending)
    return pending.contains(report) || seen.contains(report)
  }

  /// Waits for exactly this report.
  func wait(for report: SupervisorReport, sourceLocation: SourceLocation = #_sourceLocation) throws {
    _ = try wait("\(report)", sourceLocation: sourceLocation) { $0 == report ? true : nil }
  }

  /// Waits until the supervisor has taken all orders that were given. It takes them in turn: here, once another program
  /// has been started.
  func settle(sourceLocation: SourceLocation = #_sourceLocation) throws {
    add("last", "sleep 1000")
    relaunch("last")
    _ = try pid("last", sourceLocation: sourceLocation)
  }

  func pid(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> pid_t {
    try wait("start of \(name)", sourceLocation: sourceLocation) {
      if case .note(name, .started(let pid)) = $0 { pid } else { nil }
    }
  }

  func lateSeconds(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Double {
    try wait("late start of \(name)", sourceLocation: sourceLocation) {
      if case .event(name, .begun(let seconds)) = $0 { seconds } else { nil }
    }
  }

  func suspension(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> SuspensionMethod
  {
    try wait("suspension of \(name)", sourceLocation: sourceLocation) {
      if case .note(name, .suspended(let method)) = $0 { method } else { nil }
    }
  }

  func acknowledged(_ name: String, _ event: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    _ = try wait("ack \(event) of \(name)", sourceLocation: sourceLocation) {
      $0.isAcknowledgment(of: event, by: name) ? true : nil
    }
  }

  func exit(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    try wait("exit of \(name)", sourceLocation: sourceLocation) {
      if case .event(name, .exited(let status)) = $0 { status } else { nil }
    }
  }

  func end(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    try wait("ordered end of \(name)", sourceLocation: sourceLocation) {
      if case .note(name, .ended(let status)) = $0 { status } else { nil }
    }
  }

  /// Waits until a condition holds that nobody reports.
  static func until(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
  ) throws {
    let deadline = Date().addingTimeInterval(patience)
    while try !holds() {
      guard deadline.timeIntervalSinceNow > 0 else {
        Issue.record("waited in vain until \(what)", sourceLocation: sourceLocation)
        throw Waited()
      }
      _ = poll(nil, 0, 2)
    }
  }

  /// Whether a process is there and has not ended.
  static func isAlive(_ pid: pid_t) -> Bool {
    ProcessStatus(of: pid).map { $0.state != "Z" && $0.state != "X" } ?? false
  }
}

extension SupervisorReport {
  /// Whether a program acknowledges an event, be it one that it was handed or not.
  func isAcknowledgment(of event: Int, by name: String) -> Bool {
    switch self {
    case .acknowledged(name, event, _), .event(name, .acknowledged(event, _)): true
    case _: false
    }
  }
}

/// Shell text that answers each record with its acknowledgment.
let acknowledging = #"""
  while read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in *'"type":"launch"'*|*'"type":"warn"'*) ;; *) echo "{\"ack\":$id}" ;; esac
  done
  """#

extension Order.Cause {
  /// That of an event of a region.
  static let region = Order.Cause(rule: .regions, kind: "region")
}

extension Supervisor {
  /// Ends every program, with 5 s for those that run, and returns when they have ended.
  func stop() async {
    beginStop()
    while !hasStopped { try? await Task.sleep(for: .milliseconds(2)) }
  }
}
