package cinema

import kotlin.math.max

/** A hall. /* Comments nest. */ */
data class Hall(val name: String, private var seats: Int = 0x40) {

    val price: Double
        get() = seats * 0.25 + 7

    // Sells seats while there are any.
    fun sell(count: Int, mark: Char = '\''): String? {
        if (count !in 1..seats || mark == 'x') {
            return null
        }
        seats -= count
        log("sold $count of ${max(seats, count)} in ${"hall $name"}")
        return when (seats) {
            0 -> "sold out"
            else -> """
                left: "$seats"
            """
        }
    }

    private fun log(text: String) {
        println(text)
        total += 1_000L
    }

    companion object {
        var total = 1.5e+3f
    }
}
