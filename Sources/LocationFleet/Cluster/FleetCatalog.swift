package import LocationCore
package import LocationFormats

/// One version of the regions of a fleet.
///
/// A version never changes. A message in each partition tells from which point of the stream on it holds, so every
/// worker, and every recovery, applies it at the same fix. Each region carries the version in which it was last changed:
/// a device that comes back after many versions needs no other to know which regions are new to it.
package struct FleetCatalog {
  /// 0 before the first region.
  package var version = 0
  /// The version that the store has of it: another one where this one is gone (``FleetLayout/catalog(_:)``).
  package let stored: Int
  /// In the order of their ids.
  package var entries: [Entry] = []
  /// For engines, which share it.
  package let catalog: RegionCatalog

  /// More changes of the regions than a fleet has; beyond it a number is an error.
  static let mostVersions = 1_000_000_000

  /// A region.
  package struct Entry: Hashable {
    /// The version in which it was changed last.
    package var since: Int
    /// The version in which its outline was changed last: from then on it is the same region.
    package var outlineSince: Int
    /// The region, as its owner wrote it.
    package var feature: RegionFeature

    /// As it is stored. A worker of an earlier locwatch can't read two versions, and takes the region for a new one.
    fileprivate var line: String {
      "\(since)\(since == outlineSince ? "" : "/\(outlineSince)") \(feature.geoJSON)\n"
    }
  }

  /// Without regions.
  package init() {
    stored = 0
    catalog = RegionCatalog()
  }

  /// - Parameter stored: the version that stands in for it; nil for itself.
  /// - Throws: `.data` where two regions have one id.
  package init(version: Int, entries: [Entry], stored: Int? = nil) throws(Failure) {
    self.version = version
    self.stored = stored ?? version
    self.entries = entries
    do {
      catalog = try RegionCatalog(entries.map(\.feature.region).filter { !$0.isOfBeacons })
    } catch {
      throw Failure(.data, what: "version \(version) of the regions can't be used: \(error)")
    }
  }

  /// How an earlier version differs. Added are the ids of regions that it lacks, or has with another outline; changed
  /// are those of regions that differ in anything else.
  package func differences(from version: Int) -> (added: [String], changed: [String]) {
    var found: (added: [String], changed: [String]) = ([], [])
    for entry in entries where entry.since > version {
      if entry.outlineSince > version {
        found.added.append(entry.feature.region.id)
      } else {
        found.changed.append(entry.feature.region.id)
      }
    }
    return found
  }

  /// All of its regions as one file.
  package var geoJSON: String {
    let features = entries.map(\.feature.geoJSON).joined(separator: ",\n")
    return "{\"type\":\"FeatureCollection\",\"features\":[\n\(features)\n]}\n"
  }

  /// The next version, with regions put in or taken out.
  ///
  /// - Parameter replaces: whether regions that are not among the new ones go.
  package func next(putting features: [RegionFeature], removing: Set<String> = [], replaces: Bool = false)
    throws(Failure) -> FleetCatalog
  {
    var byID: [String: Entry] = [:]
    for entry in entries where !removing.contains(entry.feature.region.id) {
      byID[entry.feature.region.id] = entry
    }
    var next: [String: Entry] = replaces ? [:] : byID
    for feature in features {
      var entry = Entry(since: version + 1, outlineSince: version + 1, feature: feature)
      if let known = byID[feature.region.id], known.feature.region.shape == feature.region.shape {
        entry.outlineSince = known.outlineSince
        if known.feature.geoJSON == feature.geoJSON { entry.since = known.since }
      }
      next[feature.region.id] = entry
    }
    return try FleetCatalog(
      version: version + 1, entries: next.values.sorted { $0.feature.region.id < $1.feature.region.id })
  }
}

// MARK: - In the key-value store

extension FleetCatalog {
  /// The lines of its regions, some together.
  ///
  /// - Parameters:
  ///   - count: how many bytes are together, unless one region has more.
  ///   - most: the bytes that the servers take.
  /// - Throws: `.data` where a region has more.
  func chunks(of count: Int, atMost most: Int) throws(Failure) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var chunk: [UInt8] = []
    for entry in entries {
      let line = Array(entry.line.utf8)
      guard line.count <= most else {
        throw Failure(
          .data,
          what: "region \"\(entry.feature.region.id)\" has \(line.count) bytes; the servers take \(most)",
          remedy: "give it fewer corners or decimals, or raise max_payload in the servers' configuration")
      }
      if !chunk.isEmpty, chunk.count + line.count > count {
        chunks.append(chunk)
        chunk.removeAll(keepingCapacity: true)
      }
      chunk += line
    }
    if !chunk.isEmpty { chunks.append(chunk) }
    return chunks
  }
}

extension FleetLayout {
  /// The last version that is complete.
  package func currentCatalog() throws(Failure) -> FleetCatalog { try catalog(try currentVersion()) }

  private func currentVersion() throws(Failure) -> Int {
    var version =
      try fleet.get("catalog.current").flatMap { Int(String(decoding: $0.value, as: UTF8.self)) } ?? 0
    // Where the store was lost, or an older copy of it was put back, the numbers go on: workers take no version that is
    // not above theirs. Partition 0 is always told first.
    if let last = try stream.last(of: Self.fixes, matching: "fix.0.\(Self.control)") {
      version = max(version, FixMessage.announced(last.value) ?? 0)
    }
    // One that was made complete, and whose maker ended before it said so.
    while try fleet.get("catalog.\(version + 1)") != nil { version += 1 }
    return version
  }

  /// The version that holds where a partition goes on: that of its checkpoint, unless announcements of later ones have
  /// left the stream unread, as its messages do after some days. Then it is the one before the first announcement that is
  /// left, or the last of all where none is left.
  ///
  /// The worker that takes the partition keeps it in the checkpoint before it reads a fix, so that the next one finds it
  /// there.
  func catalogVersion(of partition: Int, after checkpoint: Checkpoint) throws(Failure) -> Int {
    var next = checkpoint.sequence + 1
    guard try stream.firstSequence(of: Self.fixes) > next else { return checkpoint.catalog }
    let subject = "fix.\(partition).\(Self.control)"
    while let left = try stream.first(of: Self.fixes, matching: subject, from: next) {
      if let version = FixMessage.announced(left.entry.value) {
        return max(checkpoint.catalog, version - 1)
      }
      next = left.entry.revision + 1
    }
    return max(checkpoint.catalog, try currentVersion())
  }

  /// A version. Where it is gone, because many more were made since or the store was lost, the next one that is there
  /// stands in for it. Where there is none, because an older copy of the store was put back, the last one does; where
  /// there is none at all, one without regions does.
  ///
  /// - Throws: `.data` where it can't be used.
  package func catalog(_ version: Int) throws(Failure) -> FleetCatalog {
    guard version > 0 else { return FleetCatalog() }
    if let catalog = try storedCatalog(version) { return catalog }
    let kept = try storedVersions()
    for next in kept where next > version {
      if let catalog = try storedCatalog(next) { return catalog }
    }
    if let last = kept.last, let catalog = try storedCatalog(last) {
      return try FleetCatalog(version: version, entries: catalog.entries, stored: last)
    }
    return try FleetCatalog(version: version, entries: [])
  }

  /// The numbers of the versions that are kept, the lowest first.
  private func storedVersions() throws(Failure) -> [Int] {
    let prefix = fleet.subject("catalog.")
    return try stream.subjects(of: "KV_\(fleet.name)", matching: prefix + "*").keys
      .compactMap { Int($0.text.dropFirst(prefix.count)) }.sorted()
  }

  /// A version; nil where it is not there.
  private func storedCatalog(_ version: Int) throws(Failure) -> FleetCatalog? {
    guard let entry = try fleet.get("catalog.\(version)") else { return nil }
    let meta = JetStream.tree(entry.value)
    guard let name = meta["name"]?.string, let chunks = meta["chunks"]?.integer else {
      throw Failure(
        .data, what: "version \(version) of the regions is of another version of locwatch",
        remedy: "use that version")
    }
    var since: [(any: Int, outline: Int)] = []
    var text = Array(#"{"type":"FeatureCollection","features":["#.utf8)
    for chunk in 0..<chunks {
      guard let part = try fleet.get("regions.\(name).\(chunk)") else {
        throw Failure(.data, what: "a part of version \(version) of the regions is gone")
      }
      for line in part.value.split(separator: UInt8(ascii: "\n")) {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { continue }
        if !since.isEmpty { text.append(UInt8(ascii: ",")) }
        let versions = line[..<space].split(separator: UInt8(ascii: "/")).map {
          Int(String(decoding: $0, as: UTF8.self)) ?? version
        }
        since.append((versions.first ?? version, versions.last ?? version))
        text += line[line.index(after: space)...]
      }
    }
    text += Array("]}".utf8)
    guard !since.isEmpty else { return try FleetCatalog(version: version, entries: []) }
    let file = try RegionFile.read(bytes: text, name: "version \(version) of the regions")
    var entries: [FleetCatalog.Entry] = []
    for index in file.regions.indices {
      entries.append(
        FleetCatalog.Entry(
          since: since[index].any, outlineSince: since[index].outline, feature: try file.feature(at: index)))
    }
    return try FleetCatalog(version: version, entries: entries)
  }

  /// Stores a version, and tells every partition.
  ///
  /// - Throws: `.tryAgain` where somebody else made the same version first, `.data` where a region is too large.
  package func publish(_ catalog: FleetCatalog, partitions: Int) throws(Failure) {
    let name = "\(catalog.version)-\(try stream.connection.inbox().split(separator: ".").suffix(1).joined())"
    // Headers take some of a message.
    let most = min(Self.chunkBytes, stream.connection.mostBytes * 3 / 4)
    let chunks = try catalog.chunks(of: most, atMost: stream.connection.mostBytes)
    for (index, chunk) in chunks.enumerated() { try fleet.put("regions.\(name).\(index)", chunk) }
    let meta = JSONTree.object([
      "name": .string(name), "chunks": .integer(chunks.count), "regions": .integer(catalog.entries.count),
    ])
    guard try fleet.put("catalog.\(catalog.version)", Array(meta.text.utf8), over: 0) != nil else {
      throw Failure(
        .tryAgain, what: "another operator changed the regions at the same time", remedy: "try again")
    }
    try fleet.put("catalog.current", Array("\(catalog.version)".utf8))
    try announce(catalog.version, partitions: partitions)
    try forget(catalog.version - Self.keptVersions)
  }

  /// Tells every partition that a version holds from here on; those that know it drop the message. It has no id: the
  /// stream would drop it for a fix to which somebody gave the same.
  package func announce(_ version: Int, partitions: Int) throws(Failure) {
    for partition in 0..<partitions {
      let subject = "fix.\(partition).\(Self.control)"
      let payload = Array("{\"catalog\":\(version)}".utf8)
      switch try stream.publish(subject, payload) {
      case .success: break
      case .failure(let refusal): throw stream.failure(subject, refusal)
      }
    }
  }

  private func forget(_ version: Int) throws(Failure) {
    guard version > 0, let entry = try fleet.get("catalog.\(version)") else { return }
    let meta = JetStream.tree(entry.value)
    if let name = meta["name"]?.string, let chunks = meta["chunks"]?.integer {
      for chunk in 0..<chunks { try fleet.remove("regions.\(name).\(chunk)") }
    }
    try fleet.remove("catalog.\(version)")
  }

  /// The largest payload is 1 MiB by default.
  private static let chunkBytes = 400_000
  /// How many versions are kept for partitions that have not come to the last one.
  static let keptVersions = 64
}
