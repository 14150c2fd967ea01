import Foundation
import TestSupport

/// A Chromium without a window, where one is installed.
enum Browser {
  /// Its program; nil where there is none. `LOCWATCH_BROWSER` names another.
  static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["LOCWATCH_BROWSER"] { return named }
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for name in ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"] {
      for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/" + name) {
        return folder + "/" + name
      }
    }
    return nil
  }()

  /// What a page came to.
  struct Visit {
    /// The value that the script returned.
    var value: Any
    /// What the page wrote to its console, errors included.
    var console: [String]
  }

  /// Opens a page from disk with no network and evaluates a script at its end.
  ///
  /// - Parameter script: the body of a function that returns something JSON has.
  /// - Parameter options: further options of the browser.
  static func visit(
    _ page: String, _ folder: TemporaryFolder, returning script: String, options: [String] = []
  ) async throws -> Visit {
    let probe = """
      <script>{
        const value = (() => { \(script) })();
        const bytes = new TextEncoder().encode(JSON.stringify({ value }));
        const text = Array.from(bytes, b => String.fromCharCode(b)).join("");
        const dump = document.createElement("pre");
        dump.id = "dump";
        dump.textContent = "[[" + btoa(text) + "]]";
        document.body.append(dump);
      }</script>
      """
    let file = folder.write("visited.html", page + probe)
    let run = try await Binary.run(
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
        "--user-data-dir=\(folder("profile"))", "--window-size=1200,900", "--virtual-time-budget=5000",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
      ] + options + ["file://\(file)"], executable: path ?? "")
    let dump = run.stdout.components(separatedBy: "[[").last?.components(separatedBy: "]]").first ?? ""
    let json = try Data(base64Encoded: dump).map { try JSONSerialization.jsonObject(with: $0) }
    let console = run.stderr.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
    return Visit(value: (json as? [String: Any])?["value"] ?? NSNull(), console: console)
  }
}
