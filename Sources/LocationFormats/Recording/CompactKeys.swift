/// The names of members that ``CompactEncoder`` writes as numbers: half of a snapshot would be names.
///
/// The place of a name is its number in every snapshot that was ever written, so names are only appended. One that is not
/// here is written as text.
enum CompactKeys {
  /// The name of a number.
  static let names = [
    "east", "north", "instant", "longitude", "latitude", "count", "time", "visits", "id", "last",
    "coordinate", "squares", "accuracy", "source", "radiusMeters", "seconds", "variances",
    "metersPerDegreeLongitude", "metersPerDegreeLatitude", "plane", "origin", "configuration", "lastAt",
    "products", "clearSince", "step", "first", "beforeGap", "sigmaMeters", "reachMeters", "secondsEast",
    "longestSilenceSeconds", "secondsSquares", "weight", "secondsNorth", "wayIn", "began", "version", "stay",
    "regions", "latest", "wasFar", "settledMean", "updatedAt", "state", "isActive", "heldLast", "clearRun",
    "flapCount", "against", "farRun", "heldSince", "evidence", "heldRun", "heldSigmaMeters", "visit",
    "number", "memory", "entries", "anchor", "lookAt", "blocks", "inflation", "restedAt", "isAfterSwitch",
    "suppressed", "strays", "deliveredAt", "short", "absence", "long", "fixes", "rest", "isPending",
    "within", "gate", "motion", "significant", "lastFix", "block", "recentSpeed", "accepted", "middle",
    "silenceSeconds", "seenAt", "stage", "isMoving", "isBroken", "nextID", "factor", "clearCount",
    "delivered", "awayCount", "way", "meters", "previous", "steadySteps", "enteredAt", "dwellIsOverdue",
    "point", "before", "dwellDue", "arrived", "residuals", "counts", "closed", "left", "place", "approach",
    "restFactor", "fix", "due", "edgeMeters", "departure", "confidence", "recent", "since", "candidate",
    "nextDeadline", "sequence", "catalog", "engine", "lastSpeed", "speedMetersPerSecond", "courseDegrees",
    "altitudeMeters", "dwell", "exit", "departures", "approaches", "clocks", "slot", "kind", "hysteresis",
    "kept", "silent", "rested", "unseen", "ids", "dwellIsReported",
  ]

  /// The number of a name.
  static let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
}
