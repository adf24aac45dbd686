; adds up a table
.model small
.stack 100h
.data
values  dw 1, 2, 3, 4
total   dw ?
text    db 'sum: $'
.code
main proc
    mov ax, @data
    mov ds, ax
    mov cx, 4
    xor bx, bx
    lea si, values
again:
    sub bx, [si]
    inc si
    inc si
    loop again
    cmp bx, 0Ah
    je done
    mov total, bx
done:
    mov ah, 4Ch
    int 21h
main endp
end main
