package harbour

import scala.collection.mutable

/** Ships at the quay. /* Comments nest. */ */
final case class Ship(name: String, tons: Double = 1.5e3)

object Quay {
  private val ships = mutable.Map.empty[String, Ship]
  val kind = 'cargo

  // Docks a ship, if there is room.
  def dock(ship: Ship, mark: Char = '\''): Option[Int] = {
    if (ships.size >= 0x10 || mark == 'x') {
      None
    } else {
      ships += ship.name -> ship
      println(s"docked ${ship.name} with ${ships("none")} as $mark")
      Some(ships.size * 2 + 1)
    }
  }

  def report(): String = {
    val total = ships.values.map(_.tons).sum / 2.0
    total match {
      case 0.0 => "empty"
      case _ => """left: "\d+" """ + f"$total%.2f"
    }
  }
}
