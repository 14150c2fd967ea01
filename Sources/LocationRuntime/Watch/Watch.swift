public import LocationFormats

/// Shows live fixes and what follows from them.
public enum Watch {
  /// Watches until it is enough.
  ///
  /// - Throws: ``Failure`` of code 69 where gpsd is not there at first, of others where a file can't be written.
  public static func run(_ request: WatchRequest) async throws(Failure) -> WatchEnding {
    let result = try await DedicatedThread.run { () -> Result<WatchEnding, Failure> in
      Result { () throws(Failure) in
        var loop = try WatchLoop(request)
        return try loop.run()
      }
    }
    return try result.get()
  }
}
