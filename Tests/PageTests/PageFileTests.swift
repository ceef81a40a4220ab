import Foundation
import Testing

@testable import Page

@Suite struct PageFileTests {
    /// The folder that the files are taken from.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/CPage/Files").standardizedFileURL

    @Test func allFilesOfTheFolderAreInTheBinary() throws {
        let enumerator = try #require(FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil))
        let names = enumerator.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
            .map { String($0.path.dropFirst(Self.folder.path.count + 1)) }
        #expect(Set(names) == Set(PageFile.all.keys))
    }

    @Test(arguments: PageFile.all.values.sorted { $0.name < $1.name })
    func aFileHasTheContentOfItsSource(_ file: PageFile) throws {
        #expect(file.bytes == [UInt8](try Data(contentsOf: Self.folder.appending(path: file.name))))
    }

    @Test func entityTagsAreQuotedAndDiffer() {
        let tags = PageFile.all.values.map(\.entityTag)
        #expect(Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") && $0.count > 2 })
    }

    @Test func eachFileHasAMediaTypeOfItsOwn() {
        #expect(PageFile.all.values.allSatisfy { $0.contentType != "application/octet-stream" })
        #expect(PageFile.all["index.html"]?.contentType == "text/html; charset=utf-8")
        #expect(PageFile.all["grid.js"]?.contentType == "text/javascript; charset=utf-8")
    }

    /// The page comes with `default-src 'self'`: a script or style inside it would not work.
    @Test func documentsHaveNoInlineScriptsOrStyles() {
        for file in PageFile.all.values where file.name.hasSuffix(".html") || file.name.hasSuffix(".svg") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick="))
            for script in text.components(separatedBy: "<script").dropFirst() {
                #expect(script.hasPrefix(" type=\"module\" src=\"/page/"), "\(file.name)")
            }
        }
    }

    @Test func nothingIsLoadedFromAnotherServer() {
        for file in PageFile.all.values {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let addresses = text.components(separatedBy: "://").dropFirst()
                .filter { !$0.hasPrefix("www.w3.org/2000/svg") && !$0.hasPrefix("$") && !$0.hasPrefix("localhost") }
                // The name of a header extension.
                .filter { !$0.hasPrefix("www.webrtc.org/experiments/rtp-hdrext/") }
            #expect(addresses.isEmpty, "\(file.name)")
        }
    }
}
