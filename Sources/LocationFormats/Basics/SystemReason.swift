import Glibc

/// Why the system refused, in its own words.
package enum SystemReason {
  /// The text for an `errno`.
  package static func text(_ code: Int32) -> String {
    if code == EMFILE { return "no file descriptors are left; raise LimitNOFILE= or ulimit -n" }
    return unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
