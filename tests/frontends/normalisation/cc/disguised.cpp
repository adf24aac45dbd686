#include <x>
#include <y>
namespace n { template <typename T> class Liste final { public:
  explicit Liste(const T &wert) : w{wert} {}
  virtual auto suche(const a::b &t) const -> int {
    auto da = m.hole(t); return da == m.ende() ? 12u : da->zweites; }
  void neu(a::b t, int wieviel = 0x7F) { m[a::weg(t)] += wieviel; g = m.groesse(); }
  private: T w; a::c g = 1; a::d<a::b, int> m;
  static constexpr auto muster = u8"a // b"; // "quoted"
  static constexpr long double teil = .5; /* // */ }; }
