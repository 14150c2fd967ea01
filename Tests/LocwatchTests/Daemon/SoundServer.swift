import Foundation
import TestSupport

/// A PipeWire with a sink that nobody hears, and a bus, both in a directory of their own.
final class SoundServer {
  static let programs = [
    "pipewire", "wireplumber", "pipewire-pulse", "pactl", "pw-play", "pw-dump", "pw-record", "playerctl",
    "dbus-daemon",
  ]
  static let isHere = programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }

  /// What a program needs in its environment to find it.
  let environment: [String]
  private let process = Process()

  /// - Throws: where it does not come up.
  init(_ folder: TemporaryFolder) throws {
    let directory = folder("session")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    environment = ["XDG_RUNTIME_DIR=\(directory)", "DBUS_SESSION_BUS_ADDRESS=unix:path=\(directory)/bus"]
    let script = folder.write("session.sh", Self.script)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = environment + ["/bin/sh", script]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard output.fileHandleForReading.availableData.starts(with: Data("ready".utf8)) else { throw Silent() }
  }

  struct Silent: Error {}

  /// Its children end with it. What Foundation starts from a thread of a test has SIGTERM blocked, and leads a process
  /// group.
  deinit {
    let pid = process.processIdentifier
    if process.isRunning { kill(getpgid(pid) == pid ? -pid : pid, SIGKILL) }
  }

  /// Each waits for the one before, by what that leaves behind; all end with the first.
  private static let script = #"""
    trap 'kill $(jobs -p); exit' TERM
    until_there() { while [ ! -e "$1" ]; do sleep 0.05; done; }
    dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile > /dev/null 2>&1 &
    until_there "$XDG_RUNTIME_DIR/bus"
    pipewire > /dev/null 2>&1 &
    until_there "$XDG_RUNTIME_DIR/pipewire-0"
    wireplumber > /dev/null 2>&1 &
    pipewire-pulse > /dev/null 2>&1 &
    until_there "$XDG_RUNTIME_DIR/pulse/native"
    while ! pactl load-module module-null-sink sink_name=null > /dev/null 2>&1; do sleep 0.1; done
    echo ready
    wait
    """#

  /// Runs a command in its session; what it wrote.
  func run(_ words: [String]) async throws -> String {
    let result = try await Binary.run(environment + words, executable: "/usr/bin/env")
    return result.stdout + result.stderr
  }

  /// A minute of sound as a WAV file (16 bits, mono): a tone of half scale, or silence.
  static func sound(_ folder: TemporaryFolder, _ name: String, isSilent: Bool = false) throws -> String {
    let rate = 48_000
    let count = 60 * rate
    func bytes(_ value: Int, _ width: Int) -> [UInt8] {
      (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file = Array("RIFF".utf8) + bytes(36 + 2 * count, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4)
    file += bytes(1, 2) + bytes(1, 2) + bytes(rate, 4) + bytes(2 * rate, 4) + bytes(2, 2) + bytes(16, 2)
    file += Array("data".utf8) + bytes(2 * count, 4)
    // A square of 480 Hz.
    let wave = (0..<100).flatMap { bytes(isSilent ? 0 : $0 < 50 ? 16_384 : -16_384, 2) }
    for _ in 0..<(count / 100) { file += wave }
    let path = folder(name)
    try Data(file).write(to: URL(fileURLWithPath: path))
    return path
  }
}
