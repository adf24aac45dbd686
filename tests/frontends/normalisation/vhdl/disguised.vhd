-- other
library ieee;
use ieee.std_logic_1164.all;
ENTITY meter is
	generic (bound : integer := 255);
	port (tick, clear : in std_logic; q : out std_logic_vector(7 downto 0));
end ENTITY meter;
architecture plain of meter is
	signal n : integer := 0;
begin
	process (tick)
	begin
		if edge(tick) and clear = '0' then
			n <= n + 1;
			q <= "11111111";
		elsif n >= bound then
			n <= 0;
		end if;
		report "new";
	end process;
end architecture plain;
