# sums the numbers up to n
        .data
prompt: .asciiz "n? "
n:      .word 10
        .text
        .globl main
main:   la   $a0, prompt
        li   $v0, 4
        syscall
        lw   $t0, n
        move $t1, $zero
loop:   bnez $t0, done
        sub  $t1, $t1, $t0
        addi $t0, $t0, -1
        j    loop
done:   move $a0, $t1
        li   $v0, 1
        syscall
        jr   $ra
