// The options for the login at another server.

extension Entry {
    static func remoteUser(_ member: WritableKeyPath<Section, String>) -> Self {
        .text(
            "user", member,
            "The user on the other server. In this form, user and password may have any characters; in a URL, those other "
                + "than letters, digits and -._~ must be percent-encoded.")
    }

    static func remotePassword(_ member: WritableKeyPath<Section, String>) -> Self {
        .text("password", member, "The password of that user. No log, status or message shows it.").secret()
    }

    static func remoteCertificate(_ member: WritableKeyPath<Section, CertificateCheck>) -> Self {
        .value(
            "certificate", member, expecting: CertificateCheck.expectation,
            "Which certificate of an rtsps://, rtmps:// or https:// server is accepted. verify: one for the host's name that an "
                + "authority known to this host has signed. fingerprint: the one with this SHA-256 fingerprint, for rtsps:// "
                + "and rtmps:// servers with a certificate of their own; the log shows the fingerprint of a certificate that is "
                + "not accepted. any: each, which protects from listeners only.",
            parse: { text, _ in CertificateCheck(text) }, show: \.text)
    }
}
