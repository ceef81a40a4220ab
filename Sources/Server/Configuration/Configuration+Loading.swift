import FoundationEssentials

extension Configuration {
    /// The files that are tried in this order if none is named.
    public static let usualFiles = ["./apus.yml", "/etc/apus/apus.yml"]

    /// Reads `file`. If it is `nil`, reads the first of `usualFiles` that exists; if there is none, returns the defaults.
    ///
    /// - Returns: the configuration, and the file that it came from.
    public static func load(_ file: String?) throws(ConfigurationFailure) -> (Configuration, file: String?) {
        var reading = Reading()
        return try load(file, noting: &reading)
    }

    /// - Parameter reading: receives the positions of all options.
    static func load(
        _ file: String?, noting reading: inout Reading
    ) throws(ConfigurationFailure) -> (Configuration, file: String?) {
        guard let file = file ?? usualFiles.first(where: FileManager.default.fileExists) else {
            return (Configuration(), nil)
        }
        return (try Configuration(yaml: text(of: file), file: file, noting: &reading), file)
    }

    private static func text(of file: String) throws(ConfigurationFailure) -> String {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: file)
        } catch {
            throw ConfigurationFailure(file: file, message: "no such file, or no permission to read it")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw ConfigurationFailure(file: file, message: "is not a regular file")
        }
        guard let byteCount = attributes[.size] as? UInt64, byteCount <= UInt64(maximumFileBytes) else {
            throw ConfigurationFailure(
                file: file, message: "is longer than \(maximumFileBytes) bytes, so it cannot be a configuration")
        }
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw ConfigurationFailure(file: file, message: "cannot be read; check its permissions")
        }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw ConfigurationFailure(file: file, message: "is not UTF-8 text")
        }
        return text
    }
}
