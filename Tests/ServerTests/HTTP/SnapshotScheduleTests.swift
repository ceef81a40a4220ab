import HTTP
import HTTPServer
import Media
import Testing

@testable import Server

/// When snapshots are made, in virtual time.
struct SnapshotScheduleTests {
    private typealias Schedule = SnapshotSchedule<String, String, Int>

    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private func after(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    private static func width(_ text: String?) throws(Problem) -> SnapshotWidth {
        try SnapshotWidth(Query(text.map { "width=\($0)" } ?? "")!)
    }

    @Test func theNextLargerWidthIsSent() throws {
        for (text, pixels) in [
            ("1", 160), ("160", 160), ("161", 320), ("320", 320), ("500", 640), ("641", 1280), ("1280", 1280),
        ] {
            #expect(try Self.width(text).pixels == pixels, "\(text)")
        }
        #expect(try Self.width("1281") == .full && Self.width(nil) == .full && Self.width("16384") == .full)
        for text in ["", "0", "-1", "16385", "wide", "320px", "3e2", "99999999999999999999"] {
            #expect(throws: Problem.self, "\(text)") { try Self.width(text) }
        }
    }

    /// Does all work of a path, and returns the clients of each image.
    private func finish(_ path: String, _ schedule: inout Schedule) -> [[Int]] {
        var clients: [[Int]] = []
        while let order = schedule.nextOrder(of: path) {
            switch order {
            case .decode: schedule.decoded("frame of \(path)", of: path)
            case .encode(let frame, let width):
                clients.append(schedule.encoded("\(frame), \(width.pixels ?? 0)", width, of: path))
            }
        }
        return clients
    }

    @Test func allWidthsWithin200MillisecondsAreOfOneFrame() throws {
        var schedule = Schedule()
        let (small, large) = (try Self.width("160"), try Self.width("1280"))
        #expect(schedule.requested("/cam", small, by: 1, at: start).begins)
        #expect(schedule.nextOrder(of: "/cam")?.isDecode == true)
        // Clients that come meanwhile wait for the same frame.
        #expect(schedule.requested("/cam", large, by: 2, at: after(20)).waits)
        #expect(schedule.requested("/cam", small, by: 3, at: after(30)).waits)
        #expect(finish("/cam", &schedule) == [[1, 3], [2]])
        // The image exists.
        #expect(schedule.requested("/cam", small, by: 4, at: after(199)).image == "frame of /cam, 160")
        // Another width is scaled from the same frame.
        #expect(schedule.requested("/cam", .full, by: 5, at: after(199)).begins)
        #expect(schedule.nextOrder(of: "/cam")?.isDecode == false)
        #expect(finish("/cam", &schedule) == [[5]])
        // A new frame.
        #expect(schedule.requested("/cam", small, by: 6, at: after(200)).begins)
        #expect(schedule.nextOrder(of: "/cam")?.isDecode == true)
    }

    @Test func twoPathsHaveWorkAtATime() {
        var schedule = Schedule()
        #expect(schedule.requested("/a", .full, by: 1, at: start).begins)
        #expect(schedule.requested("/b", .full, by: 2, at: start).begins)
        #expect(schedule.requested("/c", .full, by: 3, at: start).isRefused)
        #expect(schedule.requested("/a", .full, by: 4, at: after(500)).waits, "decoding takes its time")
        #expect(finish("/a", &schedule) == [[1, 4]])
        #expect(schedule.requested("/c", .full, by: 5, at: after(510)).begins)
    }

    @Test func whatCannotBeDecodedIsNotTriedAgainAtOnce() {
        var schedule = Schedule()
        #expect(schedule.requested("/cam", .full, by: 1, at: start).begins)
        #expect(schedule.requested("/cam", .full, by: 2, at: after(10)).waits)
        #expect(schedule.failed("/cam") == [1, 2])
        #expect(finish("/cam", &schedule).isEmpty)
        #expect(schedule.requested("/cam", .full, by: 3, at: after(199)).isRefused)
        #expect(schedule.requested("/cam", .full, by: 4, at: after(200)).begins)
    }

    @Test func waitingClientsAreLimited() {
        var schedule = Schedule(.init(waiting: 3))
        #expect(schedule.requested("/a", .full, by: 1, at: start).begins)
        #expect(schedule.requested("/a", .full, by: 2, at: start).waits)
        #expect(schedule.requested("/b", .full, by: 3, at: start).begins)
        #expect(schedule.requested("/a", .full, by: 4, at: start).isRefused)
        #expect(finish("/a", &schedule) == [[1, 2]])
        #expect(schedule.requested("/a", .full, by: 5, at: start).image != nil)
    }

    @Test func framesAreFreedAfterTheirTimeAndAboveTheirNumber() throws {
        var schedule = Schedule(.init(kept: 2))
        for (number, path) in ["/a", "/b", "/c"].enumerated() {
            _ = schedule.requested(path, .full, by: number, at: after(Int64(number)))
            #expect(finish(path, &schedule) == [[number]])
        }
        #expect(schedule.frameCount == 2)
        // Its image is still there, and other widths come with the next frame.
        #expect(schedule.requested("/a", .full, by: 3, at: after(100)).image != nil)
        #expect(schedule.requested("/a", try Self.width("160"), by: 4, at: after(100)).isRefused)
        schedule.expire(at: after(201))
        #expect(schedule.frameCount == 1)
        schedule.expire(at: after(202))
        #expect(schedule.frameCount == 0)
    }
}

extension SnapshotSchedule.Verdict {
    fileprivate var image: Image? { if case .image(let image) = self { image } else { nil } }
    fileprivate var waits: Bool { if case .waits = self { true } else { false } }
    fileprivate var begins: Bool { if case .begins = self { true } else { false } }
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
}

extension SnapshotSchedule.Order {
    fileprivate var isDecode: Bool { if case .decode = self { true } else { false } }
}
