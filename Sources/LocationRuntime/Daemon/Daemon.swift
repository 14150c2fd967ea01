/// `locwatch run`: decides and acts until it is told to end.
public enum Daemon {
  /// Runs; returns when it was ended in good order.
  ///
  /// - Throws: ``Failure`` of code 75 where another runs on the same state file, of others where that file or the
  ///   settings can't be used, or where the disk has taken nothing for so long that memory is full.
  public static func run(_ request: DaemonRequest) async throws(Failure) {
    let result = try await DedicatedThread.run { () -> Result<Void, Failure> in
      Result { () throws(Failure) in
        var loop = try DaemonLoop(request)
        try loop.run()
      }
    }
    try result.get()
  }
}
