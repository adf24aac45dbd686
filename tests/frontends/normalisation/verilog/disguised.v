/* other */
`timescale 1ns / 1ps
module summer (x, y, over, total);
	input [3:0] x, y;
	output over;
	output [3:0] total;
	reg [9:0] out;
	wire flag;
	assign flag = x[0] ^ y[0];
	assign {over, total} = out;
	// x
	always @(x or y) begin
		if (x > 10 && flag)
			out = x + y;
		else
			out = x - y;
	end
	initial $display("go", out);
endmodule
