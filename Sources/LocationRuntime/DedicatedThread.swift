import Glibc
package import LocationFormats

/// A thread of its own for what waits in the kernel, so that Swift's own few threads never do.
package enum DedicatedThread {
  /// Runs `body` on a new thread and waits for it without blocking one.
  ///
  /// - Throws: ``Failure`` of code 75 where the machine has no thread left.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      if !start({ continuation.resume(returning: body()) }) { continuation.resume(returning: nil) }
    }
    guard let result else { throw Failure.noThread }
    return result
  }

  /// Starts `body` on a new thread that nobody waits for; false where the machine has none left.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        if let pointer = unsafe pointer {
          unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        }
        return nil
      }, work.toOpaque())
    if code == 0 { pthread_detach(thread) } else { unsafe work.release() }
    return code == 0
  }

  /// What a thread does; a class because a C function gets it by address.
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
