/// A service of a program is published on the network from now on, or no longer (rule K6).
public struct ServiceRecord: Hashable, Sendable, Codable {
  /// Whose it is.
  public var subscriber: String
  /// What is published.
  public var service: AdvertisedService
  /// Whether it is published from now on.
  public var isPublished: Bool
}

extension ServiceRecord: SingleTypeRecord {
  package static let name = "service"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whose it is")
    visitor.text("service", service.type, "its type, as DNS-SD has it")
    visitor.count("port", Int(service.port), "where its program listens")
    visitor.text("event", isPublished ? "publish" : "withdraw", "`publish` or `withdraw`")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let verb = fields.text("event") == "publish" ? "is published" : "is withdrawn"
    let port = fields.number("port").map { " at port \(Int($0))" } ?? ""
    return TextRecord(fields.text("subscriber"), "service \(fields.text("service"))\(port) \(verb)")
  }

  package static var samples: [Record.Body] {
    guard let service = AdvertisedService(type: "_http._tcp", port: 8080) else { return [] }
    return [true, false].map {
      .service(ServiceRecord(subscriber: "a", service: service, isPublished: $0))
    }
  }
}
