/// An object of a service, with its interfaces and their properties: what an object manager lists.
package struct BusObject {
  /// Where the service has it.
  package var path: String
  /// Its interfaces, each with its properties.
  package var interfaces: [(name: String, properties: [BusValue.Entry])]

  /// One of ours.
  package init(path: String, interfaces: [(name: String, properties: [BusValue.Entry])]) {
    self.path = path
    self.interfaces = interfaces
  }

  /// One that has come into being.
  ///
  /// - Parameter interfaces: as its manager tells them, `a{sa{sv}}`.
  package init(path: String, told interfaces: BusValue?) {
    self.init(
      path: path,
      interfaces: Self.pairs(interfaces).compactMap { key, value in
        guard case .text(let name) = key else { return nil }
        if case .map(let properties) = value { return (name, properties) }
        return (name, [])
      })
  }

  /// As its manager lists them, `a{oa{sa{sv}}}`.
  static func list(_ value: BusValue?) -> [BusObject] {
    pairs(value).compactMap { key, value in
      if case .path(let path) = key { BusObject(path: path, told: value) } else { nil }
    }
  }

  /// The same, to be told.
  package static func value(of objects: [BusObject]) -> BusValue {
    .list(
      "{oa{sa{sv}}}",
      objects.map { object in
        let interfaces = object.interfaces.map { BusValue.pair(.text($0.name), .map($0.properties)) }
        return .pair(.path(object.path), .list("{sa{sv}}", interfaces))
      })
  }

  private static func pairs(_ value: BusValue?) -> [(BusValue, BusValue)] {
    guard case .group(let entries)? = value else { return [] }
    return entries.compactMap { entry in
      if case .group(let pair) = entry, pair.count == 2 { (pair[0], pair[1]) } else { nil }
    }
  }

  /// Whether it has an interface.
  package func has(_ interface: String) -> Bool { interfaces.contains { $0.name == interface } }

  /// A property; nil where it has none of that name.
  package func value(_ interface: String, _ name: String) -> BusValue? {
    interfaces.first { $0.name == interface }?.properties.first { $0.key == name }?.value
  }

  /// A property that is a text or a path.
  package func text(_ interface: String, _ name: String) -> String? {
    switch value(interface, name) {
    case .text(let text)?, .path(let text)?: text
    case _: nil
    }
  }

  /// A property that says whether something is so.
  package func flag(_ interface: String, _ name: String) -> Bool { value(interface, name) == .flag(true) }
}

extension BusValue {
  /// The bytes that it is; none where it is something else.
  package var content: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

extension MessageBus {
  /// The interface of properties.
  package static let properties = "org.freedesktop.DBus.Properties"
  /// The interface of object managers.
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"

  /// The objects of a service whose manager is at its root.
  package func objects(of service: String) throws(Failure) -> [BusObject] {
    try call(service, "/", Self.objectManager, "GetManagedObjects", []) {
      (answer) throws(Failure) in BusObject.list(try answer.value())
    }
  }

  /// A property of an object; nil where it has none.
  package func property(_ name: String, of path: String, _ interface: String, at service: String) -> BusValue?
  {
    let value = try? call(service, path, Self.properties, "Get", [.text(interface), .text(name)]) {
      (answer) throws(Failure) in try answer.value()
    }
    guard case .variant(let value)? = value ?? nil else { return nil }
    return value
  }

  /// All properties of an object; none where it has none.
  package func properties(of path: String, _ interface: String, at service: String) -> [BusValue.Entry] {
    let value = try? call(service, path, Self.properties, "GetAll", [.text(interface)]) {
      (answer) throws(Failure) in try answer.value()
    }
    if case .map(let entries)? = value ?? nil { return entries }
    return []
  }
}
