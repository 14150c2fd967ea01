extension OutletSettings {
  /// What Home Assistant knows the device by. Names that differ only in what it does not take have the same.
  package var homeAssistantID: String { OwnTracksOutlet.word("locwatch_\(instance)_\(name)") }
}

/// What Home Assistant discovers of the device.
extension OwnTracksOutlet {
  /// Letters, digits and `_`: what Home Assistant takes for an id.
  fileprivate static func word(_ text: String) -> String {
    String(
      text.utf8.map { byte -> Character in
        let scalar = UnicodeScalar(byte)
        let isPlain = byte < 0x80 && (Character(scalar).isLetter || Character(scalar).isNumber)
        return isPlain ? Character(scalar) : "_"
      })
  }

  /// A word for a region that no other has.
  private static func word(ofRegion id: String) -> String {
    let plain = word(id)
    guard plain != id else { return plain }
    // FNV-1a: what was made the same by the plain word stays apart.
    let sum = id.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return "\(plain)_\(String(sum, radix: 16))"
  }

  private var identifier: String { settings.homeAssistantID }

  func stateTopic(_ region: String) -> String { "\(topic)/region/\(Self.word(ofRegion: region))" }

  /// Where the device is announced; nil where Home Assistant is not told anything.
  package var configTopic: String? { announces ? "homeassistant/device/\(identifier)/config" : nil }

  func config(removing gone: [JSONTree.Member] = []) -> MQTTSession.Message {
    .init("homeassistant/device/\(identifier)/config", discovery(removing: gone).text, isRetained: true)
  }

  /// What takes regions away that were announced and are not there any more: Home Assistant keeps a component that is
  /// only left out, so that it is first announced by its platform alone.
  ///
  /// - Parameter old: what the broker has kept at ``configTopic``.
  package func cleanUp(after old: JSONTree) -> [MQTTSession.Message] {
    guard announces, case .object(let components)? = old["components"] else { return [] }
    let known = Set(places.map { Self.component(of: $0.id) })
    let gone = components.filter { component in
      component.key.hasPrefix(Self.regionPrefix) && !known.contains(component.key)
    }
    guard !gone.isEmpty else { return [] }
    let platform = JSONTree.object(["platform": .string("binary_sensor")])
    let states = gone.compactMap { component -> MQTTSession.Message? in
      let topic = component.value["state_topic"]?.string
      guard let topic, topic.hasPrefix("\(self.topic)/region/") else { return nil }
      return .init(topic, "", isRetained: true)
    }
    return [config(removing: gone.map { .init(key: $0.key, value: platform) }), config()] + states
  }

  private static let regionPrefix = "region_"

  private static func component(of region: String) -> String { regionPrefix + word(ofRegion: region) }

  func discovery(removing gone: [JSONTree.Member] = []) -> JSONTree {
    let tracker = JSONTree.object([
      "platform": .string("device_tracker"), "unique_id": .string("\(identifier)_tracker"), "name": .null,
      "source_type": .string("gps"), "json_attributes_topic": .string("\(topic)/attributes"),
    ])
    let sensors = places.map { place -> JSONTree.Member in
      let sensor = JSONTree.object([
        "platform": .string("binary_sensor"),
        "unique_id": .string("\(identifier)_region_\(Self.word(ofRegion: place.id))"),
        "name": .string(place.name), "device_class": .string("presence"),
        "state_topic": .string(stateTopic(place.id)),
      ])
      return .init(key: Self.component(of: place.id), value: sensor)
    }
    return .object([
      "device": .object([
        "identifiers": .strings([identifier]), "name": .string(settings.name),
        "manufacturer": .string("locwatch"),
      ]),
      "origin": .object(["name": .string("locwatch")]),
      "components": .object([.init(key: "tracker", value: tracker)] + sensors + gone),
      "availability_topic": .string("\(topic)/availability"),
    ])
  }
}
