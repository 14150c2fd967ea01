import Glibc
import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

/// Who reads fixes in NMEA.
@Suite struct NMEASocketTests {
  @Test func `a reader that can't be accepted is tried again after a second, and not at once`() throws {
    let folder = TemporaryFolder()
    var socket = try NMEASocket(path: folder("nmea.sock"))
    // Always readable, and nobody can be accepted there.
    let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(dup2(null, socket.listener.descriptor.number) >= 0)
    close(null)
    /// Takes what has come by so many seconds; on how many descriptors, and why readers have to wait.
    func turn(_ seconds: Double) -> (count: Int32, trouble: String?) {
      var polled = PollSet()
      socket.watch(&polled, at: Drive.instant(seconds))
      let count = polled.wait(atMost: 0)
      return (count, socket.take(polled, at: Drive.instant(seconds)))
    }
    let first = turn(0)
    #expect(first.count == 1)
    #expect(first.trouble == "readers of fixes have to wait: \(SystemReason.text(ENOTSOCK))")
    let due = Drive.instant(DaemonLimits.pauseSeconds)
    #expect(socket.nextDeadline(at: Drive.instant(0)) == due)
    let paused = turn(0.5)
    #expect(paused.count == 0 && paused.trouble == nil)
    #expect(socket.nextDeadline(at: due) == nil)
    let again = turn(DaemonLimits.pauseSeconds)
    #expect(again.count == 1 && again.trouble != nil)
    socket.close()
  }

  @Test func `a socket whose folder was removed is there again once the folder is`() throws {
    let folder = TemporaryFolder()
    let home = folder("run")
    #expect(unsafe mkdir(home, 0o700) == 0)
    var socket = try NMEASocket(path: home + "/nmea.sock")
    #expect(unsafe unlink(home + "/nmea.sock") == 0)
    #expect(unsafe rmdir(home) == 0)
    func take() -> String? {
      var polled = PollSet()
      socket.watch(&polled, at: Drive.instant(0))
      #expect(polled.wait(atMost: 60_000) == 1)
      return socket.take(polled, at: Drive.instant(0))
    }
    #expect(take()?.contains("the socket for readers of fixes was removed") == true)
    #expect(take() == nil, "it is told once")
    #expect(unsafe mkdir(home, 0o700) == 0)
    #expect(take()?.hasSuffix("was removed, and is there again") == true)
    #expect(ControlAddress(path: home + "/nmea.sock").probe() == 0)
    socket.close()
  }

  @Test func `a socket whose entry was removed is there again`() throws {
    let folder = TemporaryFolder()
    var socket = try NMEASocket(path: folder("nmea.sock"))
    #expect(unsafe unlink(folder("nmea.sock")) == 0)
    var polled = PollSet()
    socket.watch(&polled, at: Drive.instant(0))
    #expect(polled.wait(atMost: 10_000) == 1)
    #expect(socket.take(polled, at: Drive.instant(0))?.hasSuffix("was removed, and is there again") == true)
    #expect(ControlAddress(path: folder("nmea.sock")).probe() == 0)
    socket.close()
  }
}
