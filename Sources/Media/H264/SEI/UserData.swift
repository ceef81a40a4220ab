extension H264 {
    /// SEI user data: content of an encoder or a tool, in a format that the identifier names
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

        /// An SEI NAL unit (type 6) that contains only this.
        public var nalUnit: [UInt8] {
            SupplementalEnhancement.unit(.unregisteredUserData, payload: identifier + content)
        }

        /// All user data of a NAL unit, in order; empty if the unit is not SEI. User data behind a truncation is left out.
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
