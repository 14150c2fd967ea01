import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// What a daemon has spent, as `locwatch power` and `locwatch status` tell it.
@Suite struct EnergyTests {
  /// The sum of the rows of `locwatch power --json`, in whole joules.
  private func joules(_ run: DaemonRun) async throws -> Double {
    let rows = try await run.command(["power", "spent", "--json"])
    #expect(rows.status == 0, "\(rows.stderr)")
    var objects = try rows.stdout.split(separator: "\n").map { row in
      try #require(try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
    }
    let last = objects.popLast()
    let summary = try #require(last)
    #expect(summary["type"] as? String == "summary" && summary["profile"] as? String == "rpi4-ublox-m8")
    let low = try #require(summary["energy_low_j"] as? Double)
    let high = try #require(summary["energy_high_j"] as? Double)
    let sum = try objects.reduce(0) { sum, object in
      #expect(object["type"] as? String == "power" && object["time"] is String, "\(object)")
      #expect(object["profile"] as? String == "rpi4-ublox-m8", "\(object)")
      return sum + (try #require(object["joules"] as? Double))
    }
    #expect(low < sum && sum < high, "\(low) \(sum) \(high)")
    return sum
  }

  @Test func `the books of a running daemon and of its state file agree, with the interval that holds them`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("logger")
    #expect(try await run.command(["power"]).stderr.contains("no energy recorded yet"))
    try run.start(run.settings())
    for second in 0..<40 {
      run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48 + 0.0002 * Double(second)))
    }
    try await run.waitForFixes(40)
    // What a program takes is counted when it comes to rest.
    try await run.wait("the program's rest") {
      let state = try run.state(of: "logger")
      return state == .suspended || state == .notRunning
    }
    let live = try await joules(run)
    let table = try await run.command(["power"])
    let days = try await run.command(["power", "--by-day"])
    let other = try await run.command(["power", "--profile", "pinephone"])
    let status = try await run.command(["status", "--json"])
    #expect(await run.end() == 0)
    // 38 s of tracking at 87 mW at least.
    #expect(live > 3.3, "\(live)")
    #expect(table.stdout.hasPrefix("COMPONENT"), "\(table.stdout)")
    #expect(
      table.stdout.contains("; profile rpi4-ublox-m8, modelled, not measured"), "\(table.stdout)")
    #expect(days.stdout.hasPrefix("DAY"), "\(days.stdout)")
    #expect(other.stdout.contains("; profile pinephone, modelled, not measured"), "\(other.stdout)")
    let told = try #require(status.stdout.firstMatch(of: /"energy_j":([0-9.]+)/)?.1)
    #expect(abs(try #require(Double(told)) - live) < 0.1, "\(told) \(live)")
    // Nobody reads from the receiver while there is no daemon.
    try run.start(run.settings())
    for second in 10_000..<10_005 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48.01)) }
    try await run.waitForFixes(45)
    let later = try await joules(run)
    #expect(await run.end() == 0)
    #expect(later < live + 20, "\(live) \(later)")
  }

  @Test func `the books stay as they were when the daemon has ended`() async throws {
    let run = try DaemonRun()
    try await run.add("logger")
    try run.start(run.settings())
    for second in 0..<40 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48)) }
    try await run.waitForFixes(40)
    let live = try await joules(run)
    let table = try await run.command(["power"])
    #expect(await run.end() == 0)
    let after = try await run.command(["power"])
    #expect(abs(try await joules(run) - live) < 0.1)
    #expect(after.stdout.split(separator: "\n").last == table.stdout.split(separator: "\n").last)
  }

  @Test func `after a daemon that was killed all tell the same`() async throws {
    let run = try DaemonRun()
    try run.start(run.settings())
    for second in 0..<20 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48)) }
    try await run.waitForFixes(20)
    #expect(await run.end(SIGKILL) == 137)
    // Nothing was booked: there is no row.
    let first = try await joules(run)
    #expect(first > 1, "\(first)")
    try run.start(run.settings())
    _ = try await run.command(["power"])
    for second in 20..<60 { run.gpsd.say(ScriptedGPSD.report(second: second, latitude: 48)) }
    try await run.waitForFixes(60)
    #expect(await run.end(SIGKILL) == 137)
    let rows = try await joules(run)
    let status = try await run.command(["status", "--json"])
    let told = try #require(status.stdout.firstMatch(of: /"energy_j":([0-9.]+)/)?.1)
    let total = try #require(Double(told))
    #expect(rows > first + 1 && abs(total - rows) < 0.1, "\(told) \(rows)")
    #expect(status.stdout.contains(#""profile":"rpi4-ublox-m8""#), "\(status.stdout)")
  }

  @Test func `what a silent receiver draws is booked until now, and until the daemon ends`() async throws {
    let run = try DaemonRun()
    try run.start(isSimulated: false)
    run.say(48)
    try await run.waitForFixes(1)
    let first = try await joules(run)
    // Well before the receiver is told to be stale, which is an event.
    try await run.wait("a second without any event") { try await joules(run) > first + 0.087 }
    let live = try await joules(run)
    let told = try await run.events()
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    #expect(try await joules(run) >= live - 0.001)
    #expect(!told.contains { $0.contains(#""type":"stale""#) }, "\(told)")
  }
}
