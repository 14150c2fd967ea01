/// A message that can't be used, and why, as it is put among the dead letters.
///
/// It has headers that the message had not, and the message may have been as large as the servers take: so it is cut.
struct DeadLetter: Hashable {
  /// As much of the message as is kept.
  let payload: [UInt8]
  /// What a header can hold of the reason, which may quote the message.
  let reason: String
  /// How many bytes the message had; nil where all of it is kept.
  let cutBytes: Int?

  /// The most characters of a reason, of up to four bytes each.
  private static let reasonCount = 200
  /// More than the headers take: a reason, an id and their names.
  private static let headerBytes = 1_024

  /// - Parameter most: the bytes that the servers take of a message with its headers.
  init(_ message: [UInt8], _ reason: String, atMost most: Int) {
    let room = max(0, min(FixMessage.mostBytes, most - Self.headerBytes))
    payload = Array(message.prefix(room))
    cutBytes = message.count > room ? message.count : nil
    var line = String.UnicodeScalarView()
    for scalar in reason.unicodeScalars.prefix(Self.reasonCount) {
      line.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
    }
    self.reason = String(line)
  }
}
