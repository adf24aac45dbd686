# other
				.data
question: .asciiz "how many?\n"
limit:      .word 0x20
				.text
				.globl start
start:   la   $a1, question
				li   $v1, 4
				syscall
				lw   $s3, limit
				move $s4, $zero
again:   beqz $s3, out
				add  $s4, $s4, $s3
				addi $s3, $s3, -2
				j    again
out:   move $a1, $s4
				li   $v1, 1
				syscall
				jr   $ra
