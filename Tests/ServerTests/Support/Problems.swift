@testable import Server

/// The problems of a configuration; `nil` if there are none.
func problems(_ yaml: String) -> String? {
    do throws(ConfigurationFailure) {
        _ = try Configuration(yaml: yaml, file: "apus.yml")
        return nil
    } catch {
        return error.description
    }
}
