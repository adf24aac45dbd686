-- a flip-flop with a counter
library ieee;
use ieee.std_logic_1164.all;

entity counter is
  generic (limit : integer := 16#FF#);
  port (clock, reset : in std_logic; output : out std_logic_vector(7 downto 0));
end entity counter;

architecture simple of counter is
  signal count : integer := 0;
begin
  process (clock)
  begin
    if rising_edge(clock) and reset = '1' then
      count <= 0;
      output <= "00000000";
    elsif count >= limit then
      count <= count + 1;
    end if;
    report "changed";
  end process;
end architecture simple;
