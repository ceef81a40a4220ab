/// The release, for `apus version` and the `Server:` header.
public let apusVersion = "0.1.0"
