import CLinux
import Glibc
import Media
import Testing

@testable import Reactor

@Suite struct ProcessTests {
    @Test(arguments: [SIGTERM, SIGINT]) func aBlockedSignalIsReceivedAndDoesNotKillTheProcess(signal: Int32) throws {
        let numbers = Mailbox<Int32>()
        let thread = try startThread {
            Signals.block()
            pthread_kill(pthread_self(), signal)
            numbers.put(Signals.waitForTermination())
        }
        #expect(numbers.take() == signal)
        pthread_join(thread, nil)
    }

    @Test func aStatusRequestCallsItsHandlerAndEndsNothing() throws {
        let requests = Mailbox<String>()
        let numbers = Mailbox<Int32>()
        let thread = try startThread {
            Signals.block()
            pthread_kill(pthread_self(), SIGUSR1)
            numbers.put(
                Signals.waitForTermination {
                    requests.put("status")
                    pthread_kill(pthread_self(), SIGTERM)
                })
        }
        #expect(requests.take() == "status")
        #expect(numbers.take() == SIGTERM)
        pthread_join(thread, nil)
    }

    @Test func aReloadCallsItsHandlerAndEndsNothing() throws {
        let requests = Mailbox<String>()
        let numbers = Mailbox<Int32>()
        let thread = try startThread {
            Signals.block()
            pthread_kill(pthread_self(), SIGHUP)
            numbers.put(
                Signals.waitForTermination(onReload: {
                    requests.put("reload")
                    pthread_kill(pthread_self(), SIGINT)
                }))
        }
        #expect(requests.take() == "reload")
        #expect(numbers.take() == SIGINT)
        pthread_join(thread, nil)
    }

    @Test func theDescriptorLimitIsRaisedToTheHardLimit() {
        let limit = DescriptorLimit.raise()
        #expect(limit >= 256)
        #expect(DescriptorLimit.raise() == limit)
    }

    @Test func aPinnedThreadStaysOnItsProcessor() throws {
        let processors = Processors.usable()
        let last = try #require(processors.last)
        let answers = Mailbox<[Int]>()
        let thread = try startThread {
            let isKept = Processors.pinThisThread(on: last)
            let isNonsenseRefused = !Processors.pinThisThread(on: .max)
            answers.put(isKept && isNonsenseRefused ? Processors.usable() : [])
        }
        #expect(answers.take() == [last])
        pthread_join(thread, nil)
        #expect(Processors.usable() == processors)
    }

    @Test func waitingTakesTimeButNoProcessorTime() {
        let (instant, used) = (MonotonicTime.now() + 50_000_000, ProcessorClock.threadNanoseconds())
        instant.wait()
        #expect(MonotonicTime.now() >= instant)
        instant.wait()
        #expect((0..<25_000_000).contains(ProcessorClock.threadNanoseconds() - used))
    }

    @Test func anErrorNamesItsCallAndReason() {
        let error = SystemError(call: "bind", code: EACCES)
        #expect(error.description == "bind: Permission denied (13)")
        #expect(error.isPermissionDenied && !error.isAddressInUse && !error.isDescriptorExhaustion)
    }

    @Test func aClosedDescriptorIsClosedOnceAndAReleasedOneIsNotClosed() throws {
        let number = try Descriptor(eventfd(0, 0), from: "eventfd").release()
        #expect(fcntl(number, F_GETFD) >= 0)
        close(number)
        #expect(throws: SystemError.self) { _ = try Descriptor(-1, from: "eventfd") }
    }

    @Test func theFallbackForOlderKernelsWaitsAsPrecisely() throws {
        let epoll = try Descriptor(epoll_create1(0), from: "epoll_create1")
        let ready = try Descriptor(eventfd(0, 0), from: "eventfd")
        var wanted = epoll_event(events: clinux_readable, data: epoll_data_t(u64: 7))
        #expect(epoll_ctl(epoll.fd, EPOLL_CTL_ADD, ready.fd, &wanted) == 0)
        var events = [epoll_event](repeating: epoll_event(), count: 4)
        var limit = timespec(tv_sec: 0, tv_nsec: 1_500_000)
        let start = MonotonicTime.now()
        #expect(clinux_epoll_wait_by_poll(epoll.fd, &events, 4, &limit) == 0)
        #expect(MonotonicTime.now() - start >= 1_500_000)
        eventfd_write(ready.fd, 1)
        #expect(clinux_epoll_wait_by_poll(epoll.fd, &events, 4, &limit) == 1)
        #expect(events[0].data.u64 == 7)
    }
}
