// The options of TLS.

extension Schema<Configuration.TLS> {
    static var tls: Self {
        Schema.serverRestart([
            .choice(
                "encryption", \.encryption,
                "no: rtsp:// only. optional: rtsp:// and rtsps://; the URL that a client opens decides. strict: rtsps:// "
                    + "only, so that nothing is sent unencrypted. The media of rtsps:// is always encrypted, inside TLS or "
                    + "by SRTP."
            ),
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "Port for rtsps://. 8322 is the usual port of servers that do not run as root; 322 is the standard port, which "
                    + "URLs may leave out."
            ),
            .choice(
                "srtp", \.srtp,
                "How the media of rtsps:// is encrypted over UDP. aes-cm (AES-CM-128 with HMAC-SHA1-80): all clients with SRTP "
                    + "support it. aes-gcm (AES-GCM-128): costs half as much processor time. no: no UDP; the media goes "
                    + "inside TLS."
            ),
            .text(
                "certificate", \.certificate, maximumBytes: 4000,
                "PEM file with the certificate and its intermediate certificates, such as fullchain.pem of certbot; empty "
                    + "for the certificate that apus certificate makes. Apus reads it again when it changes; viewers stay "
                    + "connected."
            ).takingEffect(.live),
            .text(
                "key", \.key, maximumBytes: 4000,
                "PEM file with the private key, without a passphrase, readable only by the user that runs Apus; empty for "
                    + "the key that apus certificate makes."
            ).takingEffect(.live),
        ])
    }
}
