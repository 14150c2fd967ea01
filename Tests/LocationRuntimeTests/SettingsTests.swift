import Glibc
import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

@Suite struct SettingsTests {
  private let folder = TemporaryFolder()

  @Test func `every setting can be made, and is what was written`() throws {
    for setting in Setting.all {
      let value =
        switch setting.value(in: EngineConfiguration()) {
        case .number(let number): "\(Setting.Value.number(setting.other(than: number)))"
        case .flag(let flag): "\(!flag)"
        case .word: "adaptive"
        case .command: "[/bin/true, -x]"
        }
      let path = folder.write("one.yaml", "\n\(setting.section): {\(setting.name): \(value)}\n")
      var configuration = EngineConfiguration()
      var daemon = DaemonSettings()
      let origins = try Settings.read(path: path, into: &configuration, &daemon)
      #expect(origins == [setting.key: 2])
      #expect((configuration != EngineConfiguration()) != (daemon != DaemonSettings()), "\(setting.key)")
      // It is in a recording of the run, and in what the daemon stores.
      let tree = try ExactEncoder.tree(of: configuration)
      #expect(try SnapshotFormat.configuration(of: tree) == configuration, "\(setting.key)")
      for other in Setting.all where other.key != setting.key {
        #expect(other.value(in: configuration, daemon) == other.value(in: EngineConfiguration()))
      }
    }
  }

  @Test func `numbers as by default are coded as before they could be set`() throws {
    guard case .object(let members) = try ExactEncoder.tree(of: Policy.Configuration()) else {
      Issue.record("no object")
      return
    }
    #expect(
      members.map(\.key) == [
        "graceSeconds", "exitSeconds", "forceQuitBlocksLocation", "protectUntilFirstUnlock",
        "taskBudgetSeconds", "taskWarningSeconds", "backOffSeconds", "backOffLimitSeconds",
        "throttleOverruns", "throttleSeconds", "throttleLimitSeconds", "wakeLimitSeconds",
        "wakePauseSeconds", "handedLimit", "pressureLookSeconds",
      ])
  }

  @Test func `a section whose lines are all comments makes no setting`() throws {
    let path = folder.write("comments.yaml", "policy:\n  # grace_s: 9\nsampling: {mode: adaptive}\nfix: ~\n")
    var configuration = EngineConfiguration()
    var daemon = DaemonSettings()
    #expect(try Settings.read(path: path, into: &configuration, &daemon) == ["sampling.mode": 3])
  }

  @Test func `keys are unique, and numbers have a unit`() {
    #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
    for setting in Setting.all {
      if case .number = setting.value(in: EngineConfiguration()) {
        #expect(setting.unit != nil, "\(setting.key)")
      }
    }
  }

  @Test(arguments: [
    ("fix: {max_agee_s: 3}", #"fix: unknown key "max_agee_s"; did you mean "max_age_s"?"#),
    ("fix.max_age_s: 3", #"unknown key "fix.max_age_s"; write fix: {max_age_s: …}"#),
    ("fixx: {max_age_s: 3}", #"unknown key "fixx"; did you mean "fix"?"#),
    ("fix: {max_age_s: 0}", "fix.max_age_s: 0 is outside 1 to 100000"),
    ("policy: {grace_s: soon}", "fix"),
    ("policy: {throttle_overruns: 0}", "policy.throttle_overruns: 0 is outside 1 to 1000"),
    ("policy: {throttle_overruns: 2.5}", "policy.throttle_overruns: expected a whole number"),
    ("state: {event_rows: 1.5}", "state.event_rows: expected a whole number"),
    ("transfers: {max_bytes: 1.5}", "transfers.max_bytes: expected a whole number"),
    (
      "policy: {throttle_s: 100, throttle_limit_s: 50}",
      "policy.throttle_s: 100 is above policy.throttle_limit_s, which is 50; lower it, or raise policy.throttle_limit_s"
    ),
    ("policy: {throttle_s: 7200}", "7200 is above policy.throttle_limit_s, which is 3600"),
    ("policy: {task_warning_s: 31}", "policy.task_warning_s: 31 is above policy.task_budget_s, which is 30"),
    (
      "sampling: {longest_s: 60, rest_s: 90}", "sampling.rest_s: 90 is above sampling.longest_s, which is 60"
    ),
    ("visits: {provisional_s: 301}", "visits.provisional_s: 301 is above visits.arrival_s, which is 300"),
    (
      "visits: {arrival_s: 60}",
      "visits.arrival_s: 60 is below visits.provisional_s, which is 180; raise it, or lower visits.provisional_s"
    ),
    ("policy: {wake_limit_s: 29}", "29 is below policy.long_wake_s, which is 30"),
    ("policy: {long_wake_s: 61}", "policy.long_wake_s: 61 is above policy.wake_limit_s, which is 60"),
    (
      "keep_alive: {earliest_share: 0.4}",
      "keep_alive.earliest_share: 0.4 is below keep_alive.low_power_share, which is 0.5"
    ),
    ("transfers: {retry_s: 60, retry_limit_s: 30}", "60 is above transfers.retry_limit_s, which is 30"),
    ("audio: {quiet_dbfs: 1}", "audio.quiet_dbfs: 1 is outside -200 to 0"),
    ("sockets: {limit: 17}", "sockets.limit: 17 is outside 1 to 16"),
    ("policy: 3", "policy: expected a map of"),
    ("sampling: {mode: adaptiv}", #"unknown word "adaptiv"; did you mean "adaptive"?"#),
    ("sampling: {receiver_hook: /bin/true}", "sampling.receiver_hook: expected a list"),
  ])
  func `a mistake is told with its place`(yaml: String, what: String) {
    let path = folder.write("bad.yaml", yaml)
    let failure = #expect(throws: Failure.self) { try SettingsTable(file: path) }
    #expect(failure?.code == .config)
    #expect(failure?.line == 1)
    let text = failure.map { "\($0)" } ?? ""
    #expect(text.contains(what) || what == "fix" && text.contains("expected a number"), "\(text)")
  }

  @Test(arguments: [
    "policy: {throttle_s: 50, throttle_limit_s: 50}", "policy: {throttle_limit_s: 30}",
    "policy: {task_budget_s: 2}", "policy: {wake_limit_s: 30}", "audio: {quiet_dbfs: -40.5}",
    "keep_alive: {earliest_share: 0.4, low_power_share: 0.4}", "sampling: {longest_s: 4}",
    "visits: {arrival_s: 60, provisional_s: 60}",
  ])
  func `a setting that another bounds may equal it, and one that is not made may be beyond`(yaml: String)
    throws
  {
    #expect(try SettingsTable(file: folder.write("good.yaml", yaml)).changeCount > 0)
  }

  @Test(arguments: [true, false])
  func `a pipe is not read again, nor waited for`(isStandardInput: Bool) throws {
    let pipe = folder("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    var configuration = EngineConfiguration()
    var daemon = DaemonSettings()
    #expect {
      try Settings.read(path: isStandardInput ? "-" : pipe, into: &configuration, &daemon, isReread: true)
    } throws: {
      "\($0)".contains("is a pipe, and can't be read again")
    }
    let file = folder.write("file.yaml", "policy: {wake_s: 10}\n")
    #expect(try Settings.read(path: file, into: &configuration, &daemon, isReread: true).count == 1)
  }

  @Test func `what bounds a setting is a number of its section`() throws {
    for setting in Setting.all {
      guard let bound = setting.bound else { continue }
      let other = try #require(Setting.all.first { $0.section == setting.section && $0.name == bound.name })
      #expect(other.unit == setting.unit, "\(setting.key)")
    }
  }

  @Test(
    arguments: [
      ("fetch", "fetch_interval_s: 300", "900"),
      ("newsstand-content", "issues: {url: \"https://example.net/latest\", every_s: 300}", "86400"),
    ])
  func `the least intervals of a manifest are settings`(mode: String, asked: String, least: String) throws {
    let path = folder.write("a.yaml", "name: a\nmodes: [\(mode)]\n\(asked)\n")
    #expect {
      try SubscriberManifest.read(path: path)
    } throws: {
      "\($0)".contains(least)
    }
    var rules = Policy.Configuration()
    rules.fetch.leastSeconds = 300
    rules.issues.leastSeconds = 300
    let subscriber = try SubscriberManifest.read(path: path, by: rules)
    #expect(subscriber.fetch?.intervalSeconds ?? subscriber.issues?.intervalSeconds == 300)
  }

  @Test func `a manifest names a program, or leaves the key out`() throws {
    for (style, list) in [("resident", "[]"), ("resident", "[\"\"]"), ("socket", "[\"\"]")] {
      let named = folder.write("a.yaml", "name: a\ncommand: \(list)\nstyle: \(style)\n")
      let failure = #expect(throws: Failure.self) { try SubscriberManifest.read(path: named) }
      let text = "\(named):2: command: names no program; write it as [PROGRAM, ARGUMENT]"
      #expect("\(try #require(failure))" == text)
    }
    let silent = folder.write("b.yaml", "name: b\n")
    #expect(try SubscriberManifest.read(path: silent).command.isEmpty)
  }

  @Test(arguments: [#"name: """#, "name: shared", #"name: "a\nb""#, #"name: "a\x7F""#, #"name: "a\0b""#])
  func `a name that no command could say is refused`(yaml: String) throws {
    let path = folder.write("a.yaml", yaml + "\n")
    let failure = #expect(throws: Failure.self) { try SubscriberManifest.read(path: path) }
    #expect(failure?.code == .data && failure?.line == 1)
    #expect(
      failure?.what.hasPrefix("name: ") == true && failure?.remedy != nil, "\(String(describing: failure))")
  }

  @Test func `the table tells value, unit and origin`() throws {
    let path = folder.write(
      "a.yaml", "fix:\n  max_age_s: 20.5\npolicy:\n  force_quit_blocks_location: true\n")
    let table = try SettingsTable(file: path)
    #expect(table.changeCount == 2)
    let rows = table.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first { $0[0] == "fix.max_age_s" }?[1...3] == ["20.5", "s", "\(path):2"])
    #expect(rows.first { $0[0] == "fix.gap_s" }?[1...3] == ["300", "s", "default"])
    #expect(table.json.contains(#"{"key":"fix.max_age_s","value":20.5,"unit":"s","origin":"\#(path):2","#))
    #expect(
      table.json.contains(#"{"key":"policy.force_quit_blocks_location","value":true,"origin":"\#(path):4","#))
  }
}

extension Setting {
  /// A number that it may be, near one that it is.
  fileprivate func other(than number: Double) -> Double {
    guard case .number(_, let range) = place, !range.contains(number + 1) else { return number + 1 }
    return (number + (number < range.upperBound ? range.upperBound : range.lowerBound)) / 2
  }
}
