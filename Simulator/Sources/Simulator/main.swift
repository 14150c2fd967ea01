import Foundation

// Runs the seeds of a range and tells which break a promise; see README.md.

/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let bounds = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard bounds.count == 2, let from = bounds[0], let to = bounds[1], from < to else {
  say("usage: Simulator FROM TO")
  exit(64)
}
var counts = Simulation.Counts()
var broken = 0
for seed in from..<to {
  do {
    counts += try Simulation.run(seed: seed)
  } catch {
    say("LOCWATCH_SEED=\(seed): \(error)")
    broken += 1
    if broken == 10 { break }
  }
  if (seed + 1 - from) % 1_000 == 0 { say("seeds from \(from): \(seed + 1 - from) done") }
}
say(
  """
  seeds from \(from) to \(to - 1): \(broken) broken, \(counts.kills) kills, \(counts.powerLosses) losses of power, \
  \(counts.fullDisks) full disks, \(counts.deliveries) deliveries
  """)
exit(broken > 0 ? 1 : 0)
