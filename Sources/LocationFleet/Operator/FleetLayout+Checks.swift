package import LocationFormats

/// What an operator's commands ask of the cluster.
extension FleetLayout {
  /// Whether the account has no other stream under a name of the fleet's: to make that stream would change the other one,
  /// and delete what it keeps.
  ///
  /// - Throws: `.config` with the name, or `.unavailable` where the servers do not tell.
  package func checkNames() throws(Failure) {
    var own = [
      (name: Self.fixes, subject: Self.fixSubjects), (Self.events, Self.eventSubjects),
      (Self.deadLetters, Self.deadSubjects),
    ]
    for bucket in [fleet, leases, devices] { own.append(("KV_\(bucket.name)", bucket.subject(">"))) }
    for (name, subject) in own {
      guard let information = try stream.information(on: name) else { continue }
      let subjects = information["config"]?["subjects"]?.strings ?? []
      guard subjects != [subject] else { continue }
      let listed = subjects.isEmpty ? "no subjects" : subjects.joined(separator: ", ")
      throw Failure(
        .config, what: "this account has another stream called \(name), with \(listed)",
        remedy: "give the fleet an account of its own")
    }
  }

  /// Whether the servers tell a device's partition by its subject.
  ///
  /// - Throws: `.config` with what is missing in the servers' configuration, or `.unavailable` where they do not tell.
  package func checkMapping(partitions: Int) throws(Failure) {
    let answers = try stream.connection.subscribe("fix.*.locwatch.*")
    for probe in Self.probes {
      // A stream refuses a message that expects another before it, so it keeps no probe.
      try stream.connection.publish(
        "owntracks.locwatch.\(probe)", Array("{}".utf8),
        headers: NATSConnection.Headers(expected: UInt64(Int64.max)))
    }
    stream.connection.flush(milliseconds: 2_000)
    for probe in Self.probes {
      guard let message = try answers.next(milliseconds: 2_000) else {
        throw Failure(
          .config, what: "the servers do not map owntracks.<user>.<device> to partitions",
          remedy:
            "put what locwatch-fleet init --print-mapping shows into the account of the tenant in their configuration, and reload them"
        )
      }
      let device = "locwatch.\(probe)"
      let own = FleetLayout.partition(ofDevice: device.utf8, among: partitions)
      guard message.subject == "fix.\(own).\(device)" else {
        throw Failure(
          .config,
          what: "the servers do not map to \(partitions) partitions by user and device: \(message.subject)",
          remedy:
            "put the mapping of init --print-mapping --partitions \(partitions) into their configuration, "
            + "or give a new fleet their number")
      }
    }
  }

  /// Devices that do not exist: a mapping to twice or half as many partitions gives about half of them the same.
  private static let probes = (0..<8).map { "probe\($0)" }

  /// Every device whose fixes are kept, as `alice/phone`, with how many they are, by name.
  package func devicesHeard() throws(Failure) -> [(device: String, fixes: Int)] {
    let partitions = try settings().partitions
    var devices: [(device: String, fixes: Int)] = []
    for (subject, count) in try stream.subjects(of: Self.fixes, matching: "fix.*.*.*") {
      let device = Self.device(ofSubject: subject.text)
      // Others are dead letters, or of no partition.
      let partition = Self.partition(ofDevice: device.utf8, among: partitions)
      guard subject.text == "fix.\(partition).\(device)", Self.canName(device) else { continue }
      devices.append((FleetLine.track(of: device), count))
    }
    return devices.sorted { $0.device.utf8.lexicographicallyPrecedes($1.device.utf8) }
  }
}
