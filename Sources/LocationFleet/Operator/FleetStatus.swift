import LocationCore
package import LocationFormats

/// What an operator is told of a fleet: from the key-value store and the streams, whichever workers live.
package struct FleetStatus {
  /// A partition.
  package struct Partition {
    /// From 0.
    package var number: Int
    /// Who has it; nil where nobody does.
    package var worker: String?
    /// How far it is kept; nothing where that can't be read.
    package var checkpoint: Checkpoint
    /// Why its checkpoint can't be read, and what to do; nil where it can.
    package var damage: Failure?
    /// Messages beyond the checkpoint.
    package var waiting: Int
  }

  /// What is fixed.
  package var settings: FleetLayout.Settings
  /// Those that live, by name.
  package var workers: [WorkerReport]
  /// By number.
  package var partitions: [Partition]
  /// Devices with a snapshot, or with the mark of one that was deleted.
  package var devices: Int
  /// The version of the regions.
  package var catalogVersion: Int
  /// How many regions there are.
  package var regions: Int
  /// Messages in the stream of fixes.
  package var fixes: Int
  /// Messages in the stream of events.
  package var events: Int
  /// Messages that are no fix.
  package var deadLetters: Int

  /// Asks the cluster.
  package init(_ layout: FleetLayout) throws(Failure) {
    settings = try layout.settings()
    let checkpoints = try layout.fleet.entries("partition.*")
    partitions = []
    var now = UTCTime(microseconds: 0)
    for number in 0..<settings.partitions {
      var (checkpoint, damage) = (Checkpoint(), Failure?.none)
      do throws(Failure) {
        checkpoint = try Checkpoint(checkpoints[Checkpoint.key(number)], of: number)
      } catch {
        damage = error
      }
      let rest = JetStream.Selection(
        stream: FleetLayout.fixes, subject: "fix.\(number).>", from: checkpoint.sequence + 1)
      let made = try layout.stream.makeConsumer("status-\(number)", of: rest)
      try layout.stream.removeConsumer(made.name, of: FleetLayout.fixes)
      now = max(now, made.created ?? now)
      partitions.append(
        Partition(
          number: number, worker: nil, checkpoint: checkpoint, damage: damage, waiting: made.waiting))
    }
    workers = []
    func count(_ stream: String) throws(Failure) -> Int {
      try layout.stream.demand("STREAM.INFO.\(stream)")["state"]?["messages"]?.integer ?? 0
    }
    devices = try count("KV_\(layout.devices.name)")
    fixes = try count(FleetLayout.fixes)
    events = try count(FleetLayout.events)
    deadLetters = try count(FleetLayout.deadLetters)
    let catalog = try layout.currentCatalog()
    catalogVersion = catalog.version
    regions = catalog.entries.count
    try readLeases(layout, at: now)
  }

  /// Reads which workers live, and which partitions each has.
  ///
  /// - Parameter now: by the servers' clocks, as the leases are.
  private mutating func readLeases(_ layout: FleetLayout, at now: UTCTime) throws(Failure) {
    for (key, lease) in try layout.leases.all() {
      let age = lease.time?.seconds(to: now) ?? 0
      guard age < settings.leaseSeconds, !lease.entry.value.isEmpty else { continue }
      if key.hasPrefix(FleetLayout.signPrefix),
        let report = try? ExactDecoder.value(WorkerReport.self, of: JetStream.tree(lease.entry.value))
      {
        workers.append(report)
        for unusable in report.unusable ?? [] where partitions.indices.contains(unusable.number) {
          partitions[unusable.number].damage = Failure(
            .data, what: "partition \(unusable.number): \(unusable.reason)")
        }
      } else if let number = partitions.firstIndex(where: { FleetLayout.leaseKey($0.number) == key }),
        // Without a checkpoint that can be read, whoever has the lease can't take the partition.
        partitions[number].damage == nil
      {
        let name = lease.entry.value.prefix { $0 != UInt8(ascii: " ") }
        partitions[number].worker = String(decoding: name, as: UTF8.self)
      }
    }
    workers.sort { $0.name < $1.name }
  }

  /// Partitions that nobody has. Who has the lease of a damaged one can't take it.
  package var orphans: [Int] { partitions.filter { $0.worker == nil || $0.damage != nil }.map(\.number) }

  /// A table for people.
  package var text: String {
    let waiting = partitions.reduce(0) { $0 + $1.waiting }
    let count = { (number: Int, noun: String) in Wording.count(number, noun) }
    let orphaned = orphans.isEmpty ? "" : " (\(orphans.count) without a worker)"
    var text = """
      \(count(workers.count, "worker")), \(count(settings.partitions, "partition"))\(orphaned), \(count(devices, "device"))
      \(count(fixes, "message")) of fixes and regions, \(Wording.count(waiting)) beyond the checkpoints; \(count(events, "event")), \(count(deadLetters, "dead letter"))
      regions: version \(catalogVersion), \(count(regions, "region"))

      """
    for damage in partitions.compactMap(\.damage) { text += "\(damage)\n" }
    for worker in workers {
      guard let refusal = worker.refusal else { continue }
      text += "\(worker.name): the cluster keeps \(refusal)\n"
    }
    let rows = workers.map { worker in
      [
        worker.name,
        // A column without any value is left out.
        worker.partitions.isEmpty ? "-" : worker.partitions.map { "\($0)" }.joined(separator: ","),
        Wording.count(worker.lags.reduce(0, +)), Wording.count(worker.devices), Wording.count(worker.fixes),
        Wording.count(worker.events), Wording.count(worker.deadLetters),
        "\(worker.residentBytes >> 20) MiB",
      ]
    }
    if !rows.isEmpty {
      text +=
        "\n"
        + TextTable(
          header: ["WORKER", "PARTITIONS", "LAG", "DEVICES", "FIXES", "EVENTS", "DEAD", "MEMORY"], rows: rows,
          rightAligned: [2, 3, 4, 5, 6, 7]
        ).text
    }
    return text
  }

  /// One JSON object.
  package var json: String {
    func tree(_ value: some Encodable) -> JSONTree {
      (try? ExactEncoder.tree(of: value)).map(Self.asRecord) ?? .null
    }
    let partitions = partitions.map { partition -> JSONTree in
      .object(
        JSONTree.members([
          "number": .integer(partition.number), "worker": partition.worker.map { .string($0) },
          "waiting": .integer(partition.waiting), "damage": partition.damage.map { .string("\($0)") },
          "checkpoint": partition.damage == nil ? tree(partition.checkpoint) : nil,
        ]))
    }
    return JSONTree.object([
      "v": .integer(1), "settings": tree(settings), "devices": .integer(devices), "fixes": .integer(fixes),
      "events": .integer(events), "dead_letters": .integer(deadLetters), "catalog": .integer(catalogVersion),
      "regions": .integer(regions), "workers": .array(workers.map { tree($0) }),
      "partitions": .array(partitions),
    ]).text
  }

  /// Gives what the cluster keeps the keys and times of a record: words joined by underscores, and RFC 3339.
  private static func asRecord(_ kept: JSONTree) -> JSONTree {
    guard case .object(let members) = kept else { return kept }
    return .object(
      members.map { member in
        let key = member.key.reduce(into: "") { key, letter in
          key += letter.isUppercase ? "_\(letter.lowercased())" : "\(letter)"
        }
        guard key == "time", let seconds = member.value.integer,
          let time = UTCTime(epochNumber: Double(seconds))
        else { return JSONTree.Member(key: key, value: asRecord(member.value)) }
        return JSONTree.Member(key: key, value: .string(time.rfc3339))
      })
  }
}
