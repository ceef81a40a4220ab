@testable import Server

/// What is said of a configuration that cannot be; `nil` where it can.
func problems(_ yaml: String) -> String? {
    do throws(ConfigurationFailure) {
        _ = try Configuration(yaml: yaml, file: "apus.yml")
        return nil
    } catch {
        return error.description
    }
}
