package import LocationFormats

/// What an operator's commands ask of the cluster.
extension FleetLayout {
  /// Whether the servers tell a device's partition by its subject. Asked only before there is a stream: it would keep
  /// the question.
  ///
  /// - Throws: `.config` with what is missing in the servers' configuration.
  package func checkMapping(partitions: Int) throws(Failure) {
    guard case .failure = try stream.call("STREAM.INFO.\(Self.fixes)") else { return }
    let answers = try stream.connection.subscribe("fix.>")
    try stream.connection.publish("owntracks.locwatch.probe", Array("{}".utf8))
    stream.connection.flush(milliseconds: 2_000)
    guard let message = try answers.next(milliseconds: 2_000) else {
      throw Failure(
        .config, what: "the servers do not map owntracks.<user>.<device> to partitions",
        remedy: "put into their configuration what locwatch-fleet init --print-mapping shows, and reload them"
      )
    }
    // The last partition that the mapping can name is not to be seen; one beyond ours is.
    guard let number = FleetLayout.partition(of: message.subject), number < partitions else {
      throw Failure(
        .config, what: "the servers map to more than \(partitions) partitions: \(message.subject)",
        remedy: "give --partitions the number of their mapping")
    }
  }

  static func partition(of subject: String) -> Int? {
    let words = subject.split(separator: ".")
    return words.count > 2 ? Int(words[1]) : nil
  }

  /// Every device whose fixes are kept, as `alice/phone`, with how many they are, by name.
  package func devicesHeard() throws(Failure) -> [(device: String, fixes: Int)] {
    try stream.subjects(of: Self.fixes, matching: "fix.*.*.*").map { subject, count in
      (subject.split(separator: ".").dropFirst(2).joined(separator: "/"), count)
    }.sorted { $0.0 < $1.0 }
  }
}
