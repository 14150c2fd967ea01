/// The numbers of a fleet in Prometheus's text format, for node_exporter's textfile collector or a script behind a
/// web server.
extension FleetStatus {
  /// One family of numbers after the other, without positions.
  package var metrics: String {
    var text = ""
    func family(_ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)])
    {
      text += "# HELP locwatch_fleet_\(name) \(help)\n# TYPE locwatch_fleet_\(name) \(kind)\n"
      for sample in samples { text += "locwatch_fleet_\(name)\(sample.labels) \(sample.value)\n" }
    }
    func each(_ value: (WorkerReport) -> String) -> [(labels: String, value: String)] {
      workers.map { ("{worker=\"\($0.name)\"}", value($0)) }
    }
    family("workers", "gauge", "Workers that live.", [("", "\(workers.count)")])
    family("partitions", "gauge", "Partitions.", [("", "\(settings.partitions)")])
    family("partitions_orphaned", "gauge", "Partitions that no worker has.", [("", "\(orphans.count)")])
    family(
      "devices", "gauge", "Devices with a snapshot, or with the mark of one that was deleted.",
      [("", "\(devices)")])
    family("regions", "gauge", "Regions that are watched.", [("", "\(regions)")])
    family("regions_version", "gauge", "The version of the regions.", [("", "\(catalogVersion)")])
    family("stream_fixes", "gauge", "Messages in the stream of fixes.", [("", "\(fixes)")])
    family("stream_events", "gauge", "Messages in the stream of events.", [("", "\(events)")])
    family(
      "stream_dead_letters", "gauge", "Messages in the stream of dead letters.", [("", "\(deadLetters)")])
    family(
      "partition_waiting", "gauge", "Messages of a partition beyond its checkpoint.",
      partitions.map { ("{partition=\"\($0.number)\"}", "\($0.waiting)") })
    family("worker_lag", "gauge", "Messages that wait for a worker.", each { "\($0.lags.reduce(0, +))" })
    family(
      "worker_refused", "gauge", "Whether the cluster keeps none of a worker's snapshots or events.",
      each { $0.refusal == nil ? "0" : "1" })
    family("worker_devices", "gauge", "Devices in a worker's memory.", each { "\($0.devices)" })
    family("worker_resident_bytes", "gauge", "Resident memory of a worker.", each { "\($0.residentBytes)" })
    family("worker_fixes_total", "counter", "Fixes that a worker has handled.", each { "\($0.fixes)" })
    family("worker_events_total", "counter", "Events that a worker has published.", each { "\($0.events)" })
    family("worker_dead_letters_total", "counter", "Messages that are no fix.", each { "\($0.deadLetters)" })
    family(
      "worker_takeovers_total", "counter", "Partitions that a worker has taken.", each { "\($0.takeovers)" })
    family("worker_checkpoints_total", "counter", "Checkpoints written.", each { "\($0.checkpoints)" })
    family("worker_snapshots_total", "counter", "Snapshots of devices written.", each { "\($0.snapshots)" })
    family(
      "worker_snapshot_bytes_total", "counter", "Bytes of these snapshots.", each { "\($0.snapshotBytes)" })
    family(
      "worker_recovery_seconds", "gauge", "From the last takeover to the end of the stream.",
      each { "\($0.recoverySeconds)" })
    var samples: [(labels: String, value: String)] = []
    for worker in workers {
      var sum = 0
      let label = "worker=\"\(worker.name)\""
      for (bound, count) in zip(LatencyCounts.boundsMilliseconds, worker.latencyCounts) {
        sum += count
        samples.append(("_bucket{\(label),le=\"\(Double(bound) / 1_000)\"}", "\(sum)"))
      }
      let all = worker.latencyCounts.reduce(0, +)
      samples.append(("_bucket{\(label),le=\"+Inf\"}", "\(all)"))
      samples.append(("_sum{\(label)}", "\(worker.latencySeconds)"))
      samples.append(("_count{\(label)}", "\(all)"))
    }
    family(
      "event_latency_seconds", "histogram", "From the fix in the stream to the confirmed event.", samples)
    return text
  }
}
