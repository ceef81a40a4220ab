// The options of TLS.

extension Schema<Configuration.TLS> {
    static var tls: Self {
        Schema([
            .choice(
                "encryption", \.encryption,
                "no: rtsp:// alone. optional: rtsps:// too, and each client as its user writes. strict: rtsps:// alone; nothing "
                    + "leaves in the clear. Media of rtsps:// goes inside TLS, or by SRTP, whatever this is."
            ),
            .integer(
                "port", \.port, in: 1...65_535, unit: "TCP port",
                "8322 is what servers without special rights use; 322 is that of rtsps itself, which URLs need not name."
            ),
            .choice(
                "srtp", \.srtp,
                "How media of rtsps:// is encrypted over UDP: aes-cm (AES-CM-128 with HMAC-SHA1-80) is what all clients know that "
                    + "know SRTP; aes-gcm (AES-GCM-128) costs half as much processor time. no: it goes inside TLS alone."
            ),
            .text(
                "certificate", \.certificate, maximumBytes: 4000,
                "File with the certificate in PEM, followed by those that vouch for it, as fullchain.pem of certbot; empty for "
                    + "what apus certificate has made. It is read again when it changes; viewers stay."),
            .text(
                "key", \.key, maximumBytes: 4000,
                "File with its key in PEM, without a passphrase, readable for the server's user alone; empty for what apus "
                    + "certificate has made."),
        ])
    }
}
