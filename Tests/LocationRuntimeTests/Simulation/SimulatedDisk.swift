import CFaultyDisk
import FoundationEssentials
import LocationFormats
import TestSupport

@testable import LocationRuntime

/// Where a simulated daemon keeps its state file: a disk that is full, stops or loses what was not synced, as it is told.
/// What is left goes on as another disk.
final class SimulatedDisk {
  /// The state file.
  let path: String
  private let folder: String
  private let parent: TemporaryFolder
  private let generation: Int

  /// A disk with a state file that has three regions.
  convenience init() {
    self.init(TemporaryFolder(), generation: 0)
    unsafe Self.template.withUnsafeBytes { bytes in
      unsafe faulty_disk_put(path, bytes.baseAddress, Int64(bytes.count))
    }
  }

  private init(_ parent: TemporaryFolder, generation: Int) {
    faulty_disk_install()
    self.parent = parent
    self.generation = generation
    folder = parent("faulty-\(generation)")
    path = folder + "/s.db"
  }

  deinit { unsafe faulty_disk_forget(folder) }

  /// A state file before any daemon has run on it, made once: the migrations take as long as ten steps.
  private static let template: Data = {
    let folder = TemporaryFolder()
    let features = [-800, 0, 800].map { east in
      #"{"type":"Feature","id":"r\#(east)","properties":{"radius_m":150,"notify":["enter","exit","dwell"],"#
        + #""dwell_s":60},"geometry":{"type":"Point","coordinates":[\#(11 + Double(east) / 74_600),48]}}"#
    }
    do {
      let file = try RegionFile.read(bytes: Array(features.joined(separator: "\n").utf8), name: "f")
      let database = try StateDatabase.open(path: folder("s.db"))
      _ = try database.put([file], changing: true)
      database.checkpointLog()
      return try Data(contentsOf: URL(filePath: folder("s.db")))
    } catch {
      return Data("\(error)".utf8)
    }
  }()

  /// Whether it takes no writes any more.
  var isStopped: Bool { unsafe faulty_disk_stopped(folder) != 0 }

  /// Takes so many writes more; any number if nil.
  func stop(afterWrites writes: Int?) { unsafe faulty_disk_stop(folder, Int64(writes ?? -1)) }

  /// Takes so many bytes more; any number if nil.
  func limit(bytes: Int?) { unsafe faulty_disk_limit(folder, Int64(bytes ?? -1)) }

  /// What is left of it after a kill, or after a loss of power, of which the seed chooses what it leaves.
  func left(powerSeed: UInt64?) -> SimulatedDisk {
    let next = SimulatedDisk(parent, generation: generation + 1)
    for (place, part) in ["", "-wal"].enumerated() {
      let seed = powerSeed.map { ($0 &+ UInt64(place)) | 1 << 63 } ?? 0
      unsafe faulty_disk_copy(path + part, next.path + part, seed)
    }
    stop(afterWrites: 0)
    return next
  }
}
