import Foundation

/// A race. /* Not nested in a line. */
public struct Race {
    let name: String
    private(set) var times: [Double] = []

    /* Adds /* all */ times. */
    mutating func add(_ time: Double, lap: Int = 0x10) throws -> String {
        guard time > 0.5e-3, lap < 1_000 else {
            throw RaceError.invalid("time \(time) in \(format("lap", lap))")
        }
        times.append(time + 2 * 1)
        let pattern = #"^"\d+"$"#
        let title = """
            Race "\(name)"
            """
        for index in 0..<times.count {
            print(index, times[index])
        }
        log(pattern)
        return title + "\n"
    }

    private func log(_ text: String?) {
        if let text = text ?? nil {
            print("// \(text)")
        }
    }
}
