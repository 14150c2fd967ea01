import LocationCore

/// Writes the minimal NDJSON form; it has no way to say where a segment begins.
enum NDJSONText {
  static func append(_ fix: SynthFix, fields: Set<SynthScenario.Field>, to text: inout [UInt8]) {
    text.append(text: #"{"time":""#)
    fix.time.appendRFC3339(to: &text)
    text.append(text: #"","lat":"#)
    text.append(fix.coordinate.latitude, decimals: 7)
    text.append(text: #","lon":"#)
    text.append(fix.coordinate.longitude, decimals: 7)
    if fields.contains(.accuracy) || fields.contains(.hdop) {
      text.append(text: #","acc_m":"#)
      text.append(fix.accuracyMeters, decimals: 2)
    }
    text.append(text: "}\n")
  }
}
