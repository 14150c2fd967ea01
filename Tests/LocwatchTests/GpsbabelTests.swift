import Foundation
import TestSupport
import Testing

/// Tracks that are read through gpsbabel.
@Suite struct GpsbabelTests {
  private let folder = TemporaryFolder()
  private static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsbabel")

  private func converted(to format: String, _ name: String) async throws -> String {
    let run = try await Binary.run(
      ["-t", "-i", "gpx", "-f", "Tracks/tunnel.gpx", "-o", format, "-F", folder(name)],
      executable: "/usr/bin/gpsbabel")
    #expect(run.status == 0, "\(run.stderr)")
    return folder(name)
  }

  private func regions(_ track: String, _ more: [String] = []) async throws -> [String] {
    let run = try await Binary.run(
      ["replay", track, "-r", "Tracks/tunnel.regions.geojson", "--format", "csv"] + more)
    #expect(run.status == 0, "\(run.stderr)")
    var told: [String] = []
    for line in run.stdout.split(separator: "\n") {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count > 8, ["region.enter", "region.exit"].contains(fields[2]) else { continue }
      told.append("\(fields[2]) \(fields[8])")
    }
    return told
  }

  @Test(
    .enabled(if: isInstalled, "no gpsbabel is installed: apt-get install gpsbabel"),
    arguments: [("garmin_fit", "ride.fit"), ("gtrnctr", "ride.tcx")])
  func `a FIT or TCX file tells the events of the track it was made of`(
    format: String, name: String
  ) async throws {
    let told = try await regions(try await converted(to: format, name))
    #expect(!told.isEmpty)
    #expect(told == (try await regions("Tracks/tunnel.gpx", ["--assume-accuracy", "12m"])))
  }

  @Test(.enabled(if: isInstalled, "no gpsbabel is installed: apt-get install gpsbabel"))
  func `any format of gpsbabel's list can be named`() async throws {
    let track = try await converted(to: "unicsv", "ride.csv")
    let named = try await Binary.run(["replay", track, "--gpsbabel", "unicsv", "--format", "ndjson"])
    #expect(named.status == 0 && named.stdout.contains("\"significant\""), "\(named.stderr)")
    let wrong = try await Binary.run(["replay", track, "--gpsbabel", "no-such-format"])
    #expect(wrong.status == 65, "\(wrong)")
    #expect(wrong.stderr.contains("gpsbabel -^3 lists its formats"), "\(wrong.stderr)")
    let damaged = folder.write("damaged.fit", "\u{0E}\u{10}xxxxxx.FIT")
    let refused = try await Binary.run(["replay", damaged])
    #expect(refused.status != 0 && refused.stderr.split(separator: "\n").count == 1, "\(refused.stderr)")
  }

  @Test func `without gpsbabel the error says how to install it`() async throws {
    let file = folder.write("ride.fit", "\u{0E}\u{10}xxxxxx.FIT and the rest")
    let run = try await Binary.run(["replay", file], environment: ["PATH": "/nonexistent"])
    #expect(run.status == 69)
    #expect(
      run.stderr
        == "locwatch: \(file): a FIT file, which locwatch reads through gpsbabel; apt install gpsbabel\n")
  }

  /// The environment with a gpsbabel that runs this; its fifth argument is the file to read.
  private func environment(gpsbabel script: String) -> [String: String] {
    let program = folder.write("gpsbabel", "#!/bin/sh\n\(script)\n")
    unsafe chmod(program, 0o755)
    return ["PATH": "\(folder.path):/usr/bin:/bin"]
  }

  @Test(arguments: [[], ["--gpsbabel", "gtrnctr"]])
  func `gpsbabel reads what comes through a pipe`(options: [String]) async throws {
    let environment = environment(gpsbabel: "cat \"$5\" >&2; exit 1")
    let text = "<?xml version=\"1.0\"?>\n<TrainingCenterDatabase>"
    let run = try await Binary.run(["replay", "-"] + options, stdin: text, environment: environment)
    #expect(run.status == 65, "\(run)")
    #expect(run.stderr.hasSuffix("that gpsbabel can't read: <TrainingCenterDatabase>\n"), "\(run.stderr)")
    #expect(run.stderr.hasPrefix("locwatch: <stdin>: "), "\(run.stderr)")
    let pipe = folder("pipe")
    let isMade = unsafe mkfifo(pipe, 0o600) == 0
    #expect(isMade)
    async let replay = Binary.run(["replay", pipe] + options, environment: environment)
    let writer = try await Binary.run(
      ["-c", "cat > \"$0\"", pipe], stdin: text, executable: "/bin/sh")
    #expect(writer.status == 0)
    #expect(try await replay.stderr.hasSuffix(": <TrainingCenterDatabase>\n"))
  }

  @Test(.enabled(if: isInstalled, "no gpsbabel is installed: apt-get install gpsbabel"))
  func `a packed TCX file tells what it tells unpacked`() async throws {
    let plain = try await converted(to: "gtrnctr", "ride.tcx")
    let packed = folder("ride.tcx.gz")
    let gzip = try await Binary.run(
      ["-c", "gzip < \"$0\" > \"$1\"", plain, packed], executable: "/bin/sh")
    #expect(gzip.status == 0)
    #expect(try await regions(packed) == (try await regions(plain)))
  }

  @Test func `gpsbabel hears signals`() async throws {
    let file = folder.write("ride.fit", "\u{0E}\u{10}xxxxxx.FIT and the rest")
    let run = try await Binary.run(
      ["replay", file], environment: environment(gpsbabel: "grep SigBlk /proc/self/status >&2; exit 1"))
    #expect(run.stderr.hasSuffix("SigBlk:?0000000000000000\n"), "\(run.stderr)")
  }
}
