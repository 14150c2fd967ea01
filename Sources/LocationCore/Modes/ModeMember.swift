/// What a background mode says of a subscriber, wherever that is shown: in a status, in an explanation, and among all
/// there is to say of the subscriber. Each stands in its mode's file.
package struct ModeMember: Sendable {
  /// Its key in JSON.
  package let key: StaticString
  /// What it is called in a text.
  package let title: String
  /// What one of its values is called in an explanation; nil for ``title``.
  package var singular: String?
  /// Whether it ends with the subscriber's process.
  package var endsWithProcess = false
  /// Writes the member of that key. No member, and an empty list, is nothing to say.
  package let write: @Sendable (SubscriberView, StaticString, inout JSONLine) -> Void
  /// A single value in a text, made of its plain words.
  package var phrase: @Sendable (String) -> String = { $0 }
  /// What stands in a text for a flag that is not set; one that is set stands as its key.
  package var unset = ""
  /// What an explanation says; none where there is nothing to say.
  package let sentences: @Sendable (SubscriberView) -> [String]
}
