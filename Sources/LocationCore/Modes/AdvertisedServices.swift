/// Rule K6: services of a program that are published on the network while it runs.
struct AdvertisedServices: Hashable, Sendable, Codable {
  /// In the order in which its program asked for them.
  var services: [AdvertisedService] = []
  /// Whether they are published: not while it is suspended.
  var arePublished = true
}

extension SubscriberView {
  /// Services that it has published while it runs, in the order in which it asked for them (rule K6).
  public var advertised: [AdvertisedService] { session.modes.advertised?.services ?? [] }
}

extension ModeMember {
  static let advertised = ModeMember(
    key: "advertised", title: "advertised", singular: "service", endsWithProcess: true,
    write: {
      $2.objects($1, $0.advertised) {
        $1.member("type", $0.type)
        $1.member("port", Int($0.port))
      }
    },
    sentences: { $0.advertised.map { "\($0.type) at port \($0.port) is published while it runs (K6)" } })
}

extension ModePart {
  static let advertised = ModePart(
    end: { policy, index, turn in policy.withdrawServices(index, in: &turn) },
    endProcess: { modes, _ in modes.advertised = nil })
}

extension Policy {
  /// A program asks for a service of its own to be published, at another port, or no longer.
  ///
  /// - Parameter service: nil where nothing here publishes services. What was to be published is refused then.
  mutating func advertise(_ service: AdvertisedService?, _ index: Int, in turn: inout PolicyTurn) {
    guard let service else { return forgetServices(index, in: &turn) }
    if let reason = sessions[index].state.refusal {
      return decide(.refuse, .advertisedService, reason, index, in: &turn)
    }
    var services = sessions[index].modes.advertised?.services ?? []
    let place = services.firstIndex { $0.type == service.type }
    let old = place.map { services[$0] }
    guard old != service, service.port > 0 || old != nil else { return }
    if let place {
      if service.port > 0 { services[place] = service } else { services.remove(at: place) }
    } else if services.count < Limits.advertisedServices {
      services.append(service)
    } else {
      return decide(.refuse, .advertisedService, .tooManyServices, index, in: &turn)
    }
    update(index) { $0.modes.advertised = services.isEmpty ? nil : AdvertisedServices(services: services) }
    if let old { note(old, isPublished: false, index, in: &turn) }
    if service.port > 0 { note(service, isPublished: true, index, in: &turn) }
    order(services, index, in: &turn)
  }

  /// A suspended program runs again: what it had published is published again.
  mutating func publishServices(_ index: Int, in turn: inout PolicyTurn) {
    guard let state = sessions[index].modes.advertised, !state.arePublished else { return }
    publishServices(state.services, true, index, in: &turn)
  }

  /// A program is about to be suspended, or its process ends: nobody answers at its ports.
  mutating func withdrawServices(_ index: Int, in turn: inout PolicyTurn) {
    guard let state = sessions[index].modes.advertised, state.arePublished else { return }
    publishServices(state.services, false, index, in: &turn)
  }

  /// Nothing publishes them: what was asked for is refused, also where that comes to light only now.
  private mutating func forgetServices(_ index: Int, in turn: inout PolicyTurn) {
    let had = sessions[index].modes.advertised != nil
    withdrawServices(index, in: &turn)
    update(index) { $0.modes.advertised = nil }
    decide(.refuse, .availability, .unavailable, index, in: &turn)
    guard had else { return }
    let name = sessions[index].subscriber.name
    turn.order(.refuse(subscriber: name, what: "advertise", reason: .unavailable))
  }

  private mutating func publishServices(
    _ services: [AdvertisedService], _ arePublished: Bool, _ index: Int, in turn: inout PolicyTurn
  ) {
    update(index) { $0.modes.advertised?.arePublished = arePublished }
    for service in services { note(service, isPublished: arePublished, index, in: &turn) }
    order(arePublished ? services : [], index, in: &turn)
  }

  private func order(_ services: [AdvertisedService], _ index: Int, in turn: inout PolicyTurn) {
    turn.order(.advertise(subscriber: sessions[index].subscriber.name, services))
  }

  private func note(
    _ service: AdvertisedService, isPublished: Bool, _ index: Int, in turn: inout PolicyTurn
  ) {
    let name = sessions[index].subscriber.name
    turn.steps.append(
      .noted(.service(ServiceRecord(subscriber: name, service: service, isPublished: isPublished))))
  }
}
