extension Configuration {
    /// Every option with its reason, unit and default, as a configuration file that sets nothing new.
    public static var reference: String {
        var example = Configuration()
        example.paths = ["cam": Path()]
        return """
            # The configuration of Apus: every option, with its default as the value.
            #
            # Written by `apus reference`. Copy what you want to change into ./apus.yml or /etc/apus/apus.yml and leave
            # the rest out; `apus check` says whether the result is right. Unknown keys and impossible values are errors.

            \(Schema.configuration.reference(example, indent: 0))
            """
    }
}
