; other words
.model small
.stack 200h
.data
table  dw 10h, 5, 6, 0Fh
result   dw ?
note    db "other$"
.code
start proc
		MOV cx, @data
		MOV ds, cx
		MOV ax, 4
		xor dx, dx
		lea di, table
next:
		Add dx, [di]
		inc di
		inc di
		loop next
		cmp dx, 12
		jne quit
		MOV result, dx
quit:
		MOV ah, 4Ch
		int 21h
start endp
end start
