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
    lea si, values
    xor bx, bx
again:
    add bx, [si]
    inc si
    inc si
    loop again
    cmp bx, 0Ah
    jne done
    mov total, bx
done:
    mov ah, 4Ch
    int 21h
main endp
end main
