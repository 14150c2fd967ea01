import Glibc
import Testing

@testable import LocationRuntime

extension Descriptor {
  /// Both ends of a socket.
  static func pair(_ kind: __socket_type = SOCK_STREAM) throws -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(kind.rawValue), 0, &ends) == 0)
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }
}
