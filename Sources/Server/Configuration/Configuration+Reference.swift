extension Configuration {
    /// A configuration file with every option, its reason, its unit and its default.
    public static var reference: String {
        var example = Configuration()
        example.paths = ["cam": Path()]
        return """
            # The configuration of Apus: every option, with its default as the value.
            #
            # Written by `apus reference`. Copy only what you want to change into ./apus.yml or /etc/apus/apus.yml, and run
            # `apus check` to find mistakes. Unknown keys and invalid values are errors.

            \(Schema.configuration.reference(example, indent: 0))
            """
    }
}
