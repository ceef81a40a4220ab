/// The command line that `ps` shows to all users of the host.
public enum ProcessTitle {
    /// Overwrites bytes of the arguments with `x`. `CommandLine.arguments` keeps what the user has written.
    ///
    /// Must be called before any thread starts.
    ///
    /// - Parameter secret: which bytes of an argument's UTF-8 text are secret; gets the argument before it too.
    public static func hide(_ secret: (_ argument: String, _ previous: String) -> Range<Int>?) {
        // This property copies the arguments when it is read for the first time.
        let arguments = CommandLine.arguments
        for (index, argument) in arguments.enumerated().dropFirst() {
            guard let bytes = secret(argument, arguments[index - 1]), let text = CommandLine.unsafeArgv[index] else {
                continue
            }
            for byte in bytes where byte < argument.utf8.count { text[byte] = CChar(UInt8(ascii: "x")) }
        }
    }
}
