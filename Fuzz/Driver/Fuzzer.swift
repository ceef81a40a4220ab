import Glibc

/// Takes arbitrary bytes and ends the process if a property is violated.
public typealias Target = @Sendable ([UInt8]) -> Void

/// Runs libFuzzer with the target that the environment variable `FUZZ_TARGET` names, because libFuzzer takes the command line.
///
/// - Parameter targets: the targets of the program by their names in `script/fuzz`; each is in the file of its name.
public func fuzz(
    _ targets: [String: Target], _ count: CInt,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        print("FUZZ_TARGET is one of: \(targets.keys.sorted().joined(separator: " "))")
        exit(64)
    }
    chosenTarget.initialize(to: target)
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { testOneInput($0, $1) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosenTarget.pointee(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the process with the violated property.
public func require(_ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String) {
    if !holds() { fatalError("violated property: \(sentence())") }
}

/// libFuzzer calls a C function, which captures nothing. Written once, before the first call.
private nonisolated(unsafe) let chosenTarget = UnsafeMutablePointer<Target>.allocate(capacity: 1)

/// libFuzzer's own `main` is not linked.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
