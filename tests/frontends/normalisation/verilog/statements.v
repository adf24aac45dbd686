// an adder
`timescale 1ns / 1ps
module adder (a, b, carry, sum);
  input [3:0] a, b;
  output carry;
  output [3:0] sum;
  reg [4:0] result;
  wire odd;

  assign {carry, sum} = result;
  assign odd = a[0] ^ b[0];

  /* every change */
  always @(a or b) begin
    if (a > 4'b1010 && odd)
      result = a + b;
    else
      result = a - b;
  end

  initial $display("ready %b", result);
endmodule
