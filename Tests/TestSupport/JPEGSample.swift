import Foundation

/// A frame of 48 × 32 pixels, 4:2:0, encoded by libjpeg with quality 75 and the usual Huffman tables.
public enum JPEGSample {
    public static let width = 48
    public static let height = 32
    public static let quality: UInt8 = 75

    public static let bytes = Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())

    /// The segments of a JPEG file behind its first marker, by their markers, and the entropy-coded data.
    public static func segments(of bytes: [UInt8]) -> (segments: [(marker: UInt8, content: [UInt8])], scan: [UInt8]) {
        var segments: [(marker: UInt8, content: [UInt8])] = []
        var index = 2
        while index + 4 <= bytes.count {
            let length = Int(bytes[index + 2]) << 8 | Int(bytes[index + 3])
            segments.append((bytes[index + 1], Array(bytes[(index + 4)..<(index + 2 + length)])))
            index += 2 + length
            if segments.last?.marker == 0xDA { break }
        }
        // The last two bytes are the marker of the image's end.
        return (segments, Array(bytes[index...].dropLast(2)))
    }

    private static let text = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zND
        L/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAgADADASIAAhEBAxEB
        /8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2
        JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5
        usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBA
        QAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0
        dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAx
        EAPwD2W6/49n/D+dc7q3/Hov8Avj+Rrorr/j2f8P51zurf8ei/74/ka+axP/JQYb0X5yOPNv8AkWVvT/I5q/8A+Wf4/wBK5rVf+Ppf9wfzNdLf/wDLP8f6
        VzWq/wDH0v8AuD+Zr6XLv+Sln6f+2o8jw8/5G0f8Mjnbr/j5f8P5Vy1z/wAfU3++3866m6/4+X/D+Vctc/8AH1N/vt/OvpeFv+Rpi/V/+lM/UuL/APdqPr
        +h7ddfGvw39mf/AELVu3/LKP1/66VQi+KGia8xtbW11BHQeYTLGgGBx2c+orwKvtuvHzXJ8FRx1HGxi7pbX7f8Ofm2V5lDNadSjXp+7pdJ73v1tpseG694
        103T/s/nQXbb92NiKemPVveo9MlXxbbNf2AMcUbmEifhtwAPbPHzCvGqr2v8f4V6GZZZTyvHrHQd5TTXpZJeZ7tXI6eS1418tlyyd0rrmstL9Ve/4Hoev6
        lDpGt3FjcLI0sW3cYwCvKg8ZI9a6Cy+EuvazYW+qW93pqwXsS3EaySSBgrjcAcIRnB9TXPeC9PtL+W5W4+0+YXiRFt2OXHzOUK45BMagHcu1thz3HXGK+0
        9714pX+0LLK58p0BW28xWwflDg5A3F87d4JUiR9vnYPHVcHXqV6OjnvfXrc6cZmGJxtKFPEtPl7K2tj/2Q==
        """
}
