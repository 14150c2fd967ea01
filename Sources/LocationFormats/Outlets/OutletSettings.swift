package import LocationCore

/// An outlet as the state file has it: where events go and which. It has no secret; ``OutletSecrets`` has those.
package struct OutletSettings: Hashable, Sendable, Codable {
  /// What a webhook's body is.
  package enum Format: String, Hashable, Sendable, Codable, CaseIterable {
    /// A CloudEvent 1.0 in structured mode.
    case cloudevents
    /// The record, with the attributes of a CloudEvent 1.0 as headers.
    case binary
    /// A notification of ntfy: the event in words.
    case ntfy
    /// A message of Gotify.
    case gotify
    /// JSON after a template of the user's.
    case template
  }

  /// Names its cursor; unique.
  package var name: String
  /// What speaks to the other side.
  package var kind: Kind
  /// Where events go; nil where the secrets have that too.
  package var url: String?
  /// The path of the file with the secrets; nil for none.
  package var secrets: String?
  /// Types of records; nil for all.
  package var types: [String]?
  /// Ids of regions; nil for all events, also those about no region.
  package var regions: [String]?
  /// What those were called in events that may wait still; nil where none was renamed.
  package var formerRegions: [FormerRegion]?
  /// Whether positions are made coarse, see ``ReducedLine``.
  package var isReduced = false
  /// What a webhook's body is.
  package var format = Format.cloudevents
  /// A JSON body with placeholders, see ``BodyTemplate``.
  package var template: String?
  /// Tells this state file's ids from those of others.
  package var instance: String
  /// The `source` of its CloudEvents; nil for one made of ``instance``.
  package var source: String?
  /// Whether a host other than this one may be spoken to without TLS.
  package var allowsPlain = false
  /// The path of a PEM file with the certificate authorities to trust; nil for the system's.
  package var authority: String?
  /// The path of a PEM file with the client certificate; nil for none.
  package var certificate: String?
  /// The path of a PEM file with its key; nil where the certificate's file has it.
  package var key: String?
  /// The topic of an MQTT outlet, `owntracks/USER/DEVICE`; nil for ``deviceTopic``.
  package var topic: String?
  /// Whether Home Assistant is to discover it; nil for no.
  package var announces: Bool?
  /// Whether it takes commands from the broker; nil for no.
  package var takesCommands: Bool?
  /// Whether it takes pushes for subscribers from the broker; nil for no.
  package var takesPushes: Bool?
  /// Whether the outlet sends one made-up event. The broker then gets no will, and so publishes nothing at the end.
  package var isTrial: Bool?
  /// When it was added, seconds since 1970; nil where that is not known.
  package var created: Int?

  /// An outlet with the usual settings.
  package init(name: String, kind: Kind, instance: String) {
    self.name = name
    self.kind = kind
    self.instance = instance
  }

  /// What is sent where nobody chooses: what happens to the position, not what the daemon does about it.
  package static let usualTypes = [
    "region.enter", "region.exit", "region.dwell", "region.cross", "visit.arrive", "visit.depart",
    "significant", "gap",
  ]

  /// All types there are.
  package static var allTypes: [String] { Record.families.flatMap { $0.types } }

  /// The `source` of its CloudEvents.
  package var eventSource: String { source ?? "urn:locwatch:\(instance)" }

  /// The topic that an MQTT outlet publishes at.
  package var deviceTopic: String { topic ?? "owntracks/locwatch/\(name)" }

  /// Where it goes, for people: without anything after the host, which may hold a secret.
  package var place: String {
    guard let url, let address = try? OutletAddress(url) else { return "(in the secrets)" }
    return "\(address.scheme)://\(address.authority)"
  }
}
