public import LocationFormats

/// `locwatch run`: decides and acts until it is told to end.
public enum Daemon {
  /// Runs on this thread; returns when it was ended in good order.
  ///
  /// It is not `async`: Swift's own threads, once there are any, wake up every second.
  ///
  /// - Throws: ``Failure`` of code 75 where another runs on the same state file, of others where that file or the
  ///   settings can't be used, or where the disk has taken nothing for so long that memory is full.
  public static func run(_ request: DaemonRequest) throws(Failure) {
    var loop = try DaemonLoop(request)
    try loop.run()
  }
}
