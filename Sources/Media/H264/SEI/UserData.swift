extension H264 {
    /// SEI user data: what an encoder or a tool has to say beside the picture, in a form that its identifier names
    /// (user_data_unregistered, ITU-T H.264, D.1.7).
    public struct UserData: Hashable, Sendable {
        public static let identifierByteCount = 16

        /// 16 bytes, a UUID.
        public let identifier: [UInt8]
        public let content: [UInt8]

        public init(identifier: [UInt8], content: [UInt8]) {
            precondition(identifier.count == Self.identifierByteCount, "an identifier has 16 bytes")
            self.identifier = identifier
            self.content = content
        }

        /// A NAL unit of type 6 with this alone.
        public var nalUnit: [UInt8] {
            SupplementalEnhancement.unit(.unregisteredUserData, payload: identifier + content)
        }

        /// All that a NAL unit holds, in order: none where it is no SEI, and only what lies before the place where it is cut
        /// short.
        public static func all(in unit: [UInt8]) -> [UserData] {
            SupplementalEnhancement.payloads(.unregisteredUserData, in: unit).compactMap { payload in
                guard payload.count >= identifierByteCount else { return nil }
                return UserData(
                    identifier: Array(payload.prefix(identifierByteCount)),
                    content: Array(payload.dropFirst(identifierByteCount)))
            }
        }
    }
}
