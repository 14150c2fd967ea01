import LocationCore
import LocationFormats

/// Services of programs that are published on the network (rule K6).
extension DaemonLoop {
  /// Has these of a subscriber published, in place of those before. In a log that is played nobody does.
  mutating func publish(_ services: [AdvertisedService], of name: String) {
    guard !request.isSimulated else { return }
    advertiser.publish(services, of: name)
    advertiser.takeTroubles().forEach(Self.log)
  }

  /// Takes what has become of them.
  mutating func takeAdvertised() throws(Failure) {
    for name in advertiser.take(polled) { try handle(.advertise(nil), of: name) }
    if advertiser.mayRetry() { advertiser.renew() }
    advertiser.takeTroubles().forEach(Self.log)
  }

  /// An event, or where there is no program that publishes services that there is none.
  func withPublisher(_ event: SubscriberEvent) -> SubscriberEvent {
    guard case .mode(.advertise) = event, AdvertiseLink.helper == nil, !request.isSimulated else {
      return event
    }
    return .mode(.advertise(nil))
  }
}
