import Synchronization

/// A gpsd that says what the test tells it to, and a drive for it to tell of.
package final class ScriptedGPSD: Sendable {
  private let listener: Listener
  private let connection: Mutex<Connection?> = Mutex(nil)

  package init() throws { listener = try Listener() }

  /// Its address as its clients write it.
  package var address: String { "127.0.0.1:\(listener.port)" }

  /// Waits for a client to connect, and then to ask for reports; false where none connects in time.
  package func connect(seconds: Double = TestPatience.seconds) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      let left = max(0, (end - ContinuousClock.now) / .seconds(1))
      guard let accepted = listener.accept(seconds: left) else { return false }
      accepted.send(
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n")
      // One that is gone meanwhile may have waited in the queue, with all that it had to ask, since it was killed.
      guard accepted.receive()?.contains("?WATCH") == true, !accepted.isOver else { continue }
      let device =
        #"{"class":"DEVICE","path":"/dev/ttyTEST","driver":"NMEA0183","#
        + #""activated":"2026-05-04T06:30:00.000Z","flags":1,"native":0,"bps":4800,"parity":"N","#
        + #""stopbits":1,"cycle":1.00}"#
      accepted.send(#"{"class":"DEVICES","devices":["# + device + "]}\r\n")
      connection.withLock { $0 = accepted }
      return true
    } while ContinuousClock.now < end
    return false
  }

  /// Says something; false where the client is gone.
  @discardableResult
  package func say(_ line: String) -> Bool { connection.withLock { $0 }?.send(line + "\r\n") ?? false }

  /// Waits until the client has let go of us; false where it does not in time.
  package func waitForRelease(seconds: Double = TestPatience.seconds) -> Bool {
    connection.withLock { $0 }?.waitForEnd(seconds: seconds) ?? true
  }

  /// Closes the connection.
  package func hangUp() { connection.withLock { $0 = nil } }

  /// A report of a position at so many seconds after half past six.
  package static func report(second: Int, latitude: Double, longitude: Double = 11.5) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let all = 6 * 3600 + 30 * 60 + second
    let time =
      "2026-05-0\(4 + all / 86_400)T\(two(all / 3600 % 24)):\(two(all / 60 % 60)):\(two(all % 60)).000Z"
    return #"{"class":"TPV","device":"/dev/ttyTEST","mode":3,"time":"\#(time)","lat":\#(latitude),"#
      + #""lon":\#(longitude),"alt":500,"eph":5.0,"speed":20.0}"#
  }
}
