/// The release, as `apus version` and the `Server:` header say it.
public let apusVersion = "0.1.0"
