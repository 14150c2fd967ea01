import LocationCore

/// Writes the minimal NDJSON form; it has no way to say where a segment begins.
enum NDJSONText {
  static func append(_ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]) {
    text.append(text: #"{"time":""#)
    fix.time.appendRFC3339(to: &text)
    text.append(text: #"","lat":"#)
    FixedPoint.append(fix.coordinate.latitude, decimals: 7, to: &text)
    text.append(text: #","lon":"#)
    FixedPoint.append(fix.coordinate.longitude, decimals: 7, to: &text)
    if fields.contains(.accuracy) || fields.contains(.hdop) {
      text.append(text: #","acc_m":"#)
      FixedPoint.append(fix.accuracyMeters, decimals: 2, to: &text)
    }
    text.append(text: "}\n")
  }
}
