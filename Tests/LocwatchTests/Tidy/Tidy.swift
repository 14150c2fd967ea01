/// The house rules that a machine can check, as functions from sources to violations.
enum Tidy {
  /// One breach of one rule.
  struct Violation: Equatable, CustomStringConvertible {
    var path: String
    /// Counted from 1.
    var line: Int
    var message: String

    init(_ path: String, _ line: Int, _ message: String) {
      self.path = path
      self.line = line
      self.message = message
    }

    init(_ source: SwiftSource, _ line: Int, _ message: String) {
      self.init(source.path, line, message)
    }

    var description: String { "\(path):\(line): \(message)" }
  }

  /// Longer files are named as advice, not as a failure: one idea belongs in one file.
  static let fileLines = 400
  /// A function fits on a screen.
  static let functionLines = 70

  /// The targets of ours that a target may import, with which of them only one of its files may.
  static let targets: [String: (imports: Set<String>, oneFileEach: Set<String>)] = [
    "LocationCore": (["CGEOS", "CVector"], ["CGEOS", "CVector"]),
    "LocationFormats": (
      ["LocationCore", "CGPSD", "CExpat", "CZlib"], ["CGPSD", "CExpat", "CZlib"]
    ),
    "LocationRuntime": (["LocationFormats", "LocationCore", "CSpawn", "CTimer"], ["CSpawn", "CTimer"]),
    "LocationLab": (["LocationRuntime", "LocationFormats", "LocationCore"], []),
    "LocationBus": (["CSystemd"], ["CSystemd"]),
    "locwatch-notify": (["LocationBus", "LocationCore"], []),
    "locwatch-beacons": (["LocationBus", "LocationFormats", "LocationCore"], []),
    "locwatch-advertise": (["LocationBus", "LocationFormats", "LocationCore"], []),
    "locwatch-bluetooth": (["LocationBus", "LocationFormats", "LocationCore", "CSpawn"], ["CSpawn"]),
    "locwatch-conditions": (["LocationBus"], []),
    "locwatch-player": (["LocationBus", "LocationCore"], []),
    "locwatch-session": (["LocationBus"], []),
    "locwatch-outlet": (
      ["LocationFormats", "LocationCore", "CCurl", "CCrypto"], ["CCurl", "CCrypto"]
    ),
    "locwatch-transfer": (["LocationFormats", "LocationCore", "CCurl"], ["CCurl"]),
    "LocationFleet": (["LocationFormats", "LocationCore", "CNATS"], ["CNATS"]),
    "locwatch-fleet": (["LocationFleet", "LocationFormats", "LocationCore"], []),
    "locwatch-bus": (["LocationBus", "LocationRuntime", "LocationFormats", "LocationCore"], []),
    "locwatch-push": (
      ["LocationBus", "LocationRuntime", "LocationFormats", "LocationCore", "CCrypto"], ["CCrypto"]
    ),
    "LocationWeb": (["LocationLab", "LocationRuntime", "LocationFormats", "LocationCore"], []),
    "locwatch": (["LocationWeb", "LocationLab", "LocationRuntime", "LocationFormats", "LocationCore"], []),
  ]

  /// The targets of ours that are C.
  static let headerTargets: Set<String> = [
    "CGEOS", "CVector", "CGPSD", "CExpat", "CZlib", "CSpawn", "CTimer", "CSystemd", "CCurl", "CCrypto",
    "CNATS",
  ]

  /// The one file of the core that may import the C library, for its mathematics.
  static let mathematicsFile = "Sources/LocationCore/Geometry/Trig.swift"

  /// The folders of the core, and what each may use beside itself.
  static let coreFolders: [String: Set<String>] = [
    "Model": [],
    "Decoding": ["Model"],
    "Geometry": ["Model"],
    "Records": ["Model", "Geometry"],
    "Filtering": ["Model", "Geometry", "Records"],
    "Regions": ["Model", "Geometry", "Records"],
    "Visits": ["Model", "Geometry", "Records"],
    "Sampling": ["Model", "Geometry", "Records"],
    // What all modes share, and each mode: a session holds the state of its modes.
    "Policy": ["Model", "Geometry", "Records", "Filtering", "Regions", "Visits", "Modes"],
    "Modes": ["Model", "Geometry", "Records", "Filtering", "Regions", "Visits", "Policy"],
    "Power": ["Model", "Geometry", "Records", "Filtering", "Regions", "Visits", "Policy"],
    "Engine": [
      "Model", "Geometry", "Records", "Filtering", "Regions", "Visits", "Sampling", "Policy", "Modes",
      "Power",
    ],
  ]
}
