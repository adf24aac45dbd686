/* other */
module meter #(parameter int BITS = 16) (
	input  logic tick,
	input  logic clear,
	output logic [BITS-1:0] q
);
	typedef enum logic [1:0] {OFF, ON} mode_t;
	mode_t mode;
	always_ff @(posedge tick) begin
		if (clear || q > 12) begin
			q <= '0;
			mode <= OFF;
		end else begin
			q <= q + 1;
		end
	end
	// x
	initial begin
		$display("go", q);
		assert (mode != ON) else $error("no");
	end
endmodule
