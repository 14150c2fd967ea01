package import LocationCore

/// Writes a recording: what reached the engine, before the engine saw it.
///
/// A class, because whoever takes the events and whoever decides when they must be in the file share it.
package final class JournalWriter {
  private let file: OutputFile
  private var bytes: [UInt8] = []

  /// Creates the file, which only its owner can read, because it says where somebody was.
  ///
  /// - Throws: ``Failure`` where it can't be created or written.
  package init(path: String, configuration: EngineConfiguration, snapshot: EngineSnapshot? = nil)
    throws(Failure)
  {
    file = try OutputFile(path: path, isPrivate: true)
    try JournalLine.append(header: configuration, snapshot: snapshot, to: &bytes)
    try flush()
  }

  /// Adds an event.
  package func append(_ stamped: Stamped) throws(Failure) { try JournalLine.append(stamped, to: &bytes) }

  /// Hands everything that was added to the system.
  ///
  /// - Throws: ``Failure`` of code 74, as on a full disk.
  package func flush() throws(Failure) {
    guard !bytes.isEmpty else { return }
    try file.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
