import LocationFormats
import Testing

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "abd", 1), ("abcd", "abdc", 1),
    ("kitten", "sitting", 3), ("lat", "lon", 2), ("speed", "sped", 1),
  ])
  func `edit distance counts insertions, deletions, replacements and swaps`(a: String, b: String, steps: Int)
  {
    #expect(NearestWord.editDistance(a, b) == steps)
    #expect(NearestWord.editDistance(b, a) == steps)
  }

  @Test(arguments: [
    ("sped_mps", "speed_mps"), ("speed", "speed_mps"), ("speed_mps_x", "speed_mps"), ("stops_s", "stop_s"),
    ("form", "from"), ("seed", "seed"), ("Seed", "seed"), ("seedd", "seed"),
  ])
  func `a mistyped word finds the one it meant`(text: String, meant: String) {
    let words = ["seed", "from", "to", "speed_mps", "stop_s", "gap_s"]
    #expect(NearestWord.to(text, among: words) == meant)
  }

  @Test(arguments: ["", "x", "banana", "altitude_of_the_moon"])
  func `a word like none finds none`(text: String) {
    #expect(NearestWord.to(text, among: ["seed", "from", "to", "speed_mps"]) == nil)
  }
}
