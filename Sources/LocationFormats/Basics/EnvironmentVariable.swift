import Glibc

/// What this process was started with.
package enum EnvironmentVariable {
  /// The value of a variable; nil where it is not set.
  package static func value(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
