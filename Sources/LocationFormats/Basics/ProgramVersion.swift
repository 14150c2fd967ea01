/// The version of locwatch, of all its programs.
public enum ProgramVersion {
  /// As `--version` prints it.
  public static let text = "0.1.0"
}
