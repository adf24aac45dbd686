// a counter with a limit
module counter #(parameter int WIDTH = 8) (
  input  logic clock,
  input  logic reset,
  output logic [WIDTH-1:0] value
);
  typedef enum logic [1:0] {IDLE, RUN} state_t;
  state_t state;

  always_ff @(posedge clock) begin
    if (reset || value > 8'hF0) begin
      value <= '0;
      state <= IDLE;
    end else begin
      value <= value + 1;
    end
  end

  /* check */
  initial begin
    $display("start %d", value);
    assert (state != RUN) else $error("bad");
  end
endmodule
