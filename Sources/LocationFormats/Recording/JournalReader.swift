package import LocationCore

/// Reads a recording, a batch of events at a time.
package struct JournalReader: ~Copyable {
  /// What the engine of the recording decided by.
  package let configuration: EngineConfiguration
  /// The engine as it was at the first event; nil for one that had seen nothing.
  package let snapshot: EngineSnapshot?
  private var input: InputBytes
  private var piece: ScanPiece
  private var buffer = LineBuffer(limit: JournalReader.maximumLineBytes)
  private var isDone = false
  /// What was odd in the file but did not stop the reading.
  package private(set) var notes: [String] = []

  /// The longest line that is read, bytes: a snapshot with half a million regions.
  static let maximumLineBytes = 1 << 28
  /// Events of a batch, at least.
  static let batchEvents = 1024

  /// Goes on with a file whose first bytes have been looked at.
  ///
  /// - Throws: ``Failure`` of code 65 where its header is not one of this version.
  package init(_ head: consuming InputHead) throws(Failure) {
    var buffer = LineBuffer(limit: Self.maximumLineBytes)
    var input = head.input
    var piece = head.piece
    buffer.append(piece.bytes.span.extracting(..<piece.count))
    var header: [UInt8]?
    while header == nil {
      switch buffer.next() {
      case .line(let range): header = Array(buffer.bytes[range])
      case .tooLong:
        throw Failure(
          .data, file: input.name, line: 1, what: "the header is too long", remedy: "record it again")
      case .none:
        piece.removeAll()
        let count = try input.read(into: &piece)
        if count == 0 {
          throw Failure(
            .data, file: input.name, line: 1, what: "the recording's header is cut off",
            remedy: "get the whole file")
        }
        buffer.append(piece.bytes.span.extracting(..<count))
      }
    }
    do throws(JournalLine.Trouble) {
      (configuration, snapshot) = try JournalLine.header(in: header ?? [])
    } catch {
      throw Failure(
        .data, file: input.name, line: 1, what: error.what,
        remedy: error.isOtherVersion ? Self.versionRemedy : "get the file again")
    }
    self.buffer = buffer
    self.input = input
    self.piece = piece
  }

  /// The file's name for messages.
  package var name: String { input.name }
  /// The file's size; nil where it is not known, as of a pipe.
  package var byteCount: Int? { input.byteCount }
  /// Bytes of the file read so far.
  package var bytesRead: Int { input.bytesRead }

  /// Replaces the contents of `batch` with the next events; false at the end.
  ///
  /// An event that was cut off at the end of the file, as by a crash, is left out with a note.
  ///
  /// - Throws: ``Failure`` of code 65 with the line; what was read before it is in `batch`.
  package mutating func read(into batch: inout [Stamped]) throws(Failure) -> Bool {
    batch.removeAll(keepingCapacity: true)
    while !isDone, batch.count < Self.batchEvents {
      switch buffer.next() {
      case .line(let range): try take(range, into: &batch)
      case .tooLong:
        isDone = true
        throw failure("the line is too long")
      case .none: try readOn(into: &batch)
      }
    }
    return !batch.isEmpty
  }

  private mutating func readOn(into batch: inout [Stamped]) throws(Failure) {
    piece.removeAll()
    let count = try input.read(into: &piece)
    guard count == 0 else {
      let bytes = piece.bytes
      return buffer.append(bytes.span.extracting(..<count))
    }
    isDone = true
    guard let range = buffer.last() else { return }
    do throws(Failure) {
      try take(range, into: &batch)
    } catch {
      notes.append("the last line is cut off, left out")
    }
  }

  private mutating func take(_ range: Range<Int>, into batch: inout [Stamped]) throws(Failure) {
    guard !range.isEmpty else { return }
    do throws(JournalLine.Trouble) {
      batch.append(try JournalLine.stamped(in: Array(buffer.bytes[range])))
    } catch {
      isDone = true
      throw failure(error.what, isOtherVersion: error.isOtherVersion)
    }
  }

  private func failure(_ what: String, isOtherVersion: Bool = false) -> Failure {
    Failure(
      .data, file: name, line: max(buffer.number, 1), what: what,
      remedy: (isOtherVersion ? Self.versionRemedy : "get the file again") + ", or cut it before this line")
  }

  private static let versionRemedy = "use the version of locwatch that made it"
}
