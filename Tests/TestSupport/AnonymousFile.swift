import Glibc

/// The descriptor of an empty file without a name, for its user to close; it stands in for memory that drivers share.
public func anonymousFile() -> CInt {
    var name = Array("/tmp/apus-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "the temporary folder can be written to")
    unlink(name)
    return descriptor
}
