import Glibc
import LocationFormats
import Testing

/// What a loop waits for.
@Suite struct PollSetTests {
  /// The ends of a pair of sockets.
  private final class Pair {
    let ends: [Int32]

    init() {
      var ends: [Int32] = [-1, -1]
      _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      self.ends = ends
    }

    func say() { _ = unsafe write(ends[1], "x", 1) }

    deinit { for end in ends { close(end) } }
  }

  @Test func `a descriptor has what came on it, others have nothing`() {
    let (quiet, loud) = (Pair(), Pair())
    loud.say()
    var polled = PollSet()
    polled.watch(quiet.ends[0])
    polled.watch(loud.ends[0])
    #expect(polled.wait(atMost: 0) == 1)
    #expect(polled.has(loud.ends[0]))
    #expect(!polled.has(quiet.ends[0]))
    #expect(!polled.has(loud.ends[1]), "nobody waited for it")
    #expect(polled.events(of: -1) == 0 && polled.events(of: 1 << 20) == 0)
  }

  @Test func `two who wait for one descriptor each get theirs`() {
    let pair = Pair()
    var polled = PollSet()
    polled.watch(pair.ends[0])
    polled.watch(pair.ends[0], for: POLLOUT)
    #expect(polled.wait(atMost: 0) == 1)
    #expect(polled.has(pair.ends[0], POLLOUT))
    #expect(!polled.has(pair.ends[0], POLLIN))
    pair.say()
    polled.wait(atMost: 0)
    #expect(polled.has(pair.ends[0], POLLOUT) && polled.has(pair.ends[0], POLLIN))
  }

  @Test func `an end and a descriptor that was closed are told to each`() {
    let pair = Pair()
    var polled = PollSet()
    polled.watch(pair.ends[0], for: POLLPRI)
    shutdown(pair.ends[1], Int32(SHUT_RDWR))
    polled.wait(atMost: 0)
    #expect(polled.has(pair.ends[0], POLLPRI))
    #expect(polled.events(of: pair.ends[0]) & POLLHUP != 0)
  }

  @Test func `what was forgotten is not waited for`() {
    let (first, second) = (Pair(), Pair())
    first.say()
    second.say()
    var polled = PollSet()
    polled.watch(first.ends[0])
    polled.watch(-1)
    polled.removeAll()
    polled.watch(second.ends[0])
    #expect(polled.wait(atMost: 0) == 1)
    #expect(!polled.has(first.ends[0]))
    #expect(polled.has(second.ends[0]))
  }

  @Test func `one descriptor is waited for without a set`() {
    let pair = Pair()
    #expect(PollSet.wait(on: pair.ends[0], atMost: 0) == 0)
    pair.say()
    #expect(PollSet.wait(on: pair.ends[0], atMost: 10_000) == POLLIN)
  }
}
