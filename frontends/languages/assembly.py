"""Assembly languages: what counts is which instruction follows which.

Mnemonics and directives stand for themselves; registers, labels and constants are names and numbers, so that other
registers and labels hide nothing.
"""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import DOUBLE_QUOTED, HASH_LINE, SINGLE_QUOTED, SLASH_LINE, SLASH_STAR
from frontends.lexing.scanner import Lexicon, comment, number, scanner

_X86 = """
aaa aad aam aas adc add and arpl bound bsf bsr bswap bt btc btr bts call cbw cdq cdqe clc cld cli clts cmc cmova
cmovae cmovb cmovbe cmovc cmove cmovg cmovge cmovl cmovle cmovne cmovns cmovnz cmovs cmovz cmp cmps cmpsb cmpsd cmpsw
cmpxchg cpuid cqo cwd cwde daa das dec div enter esc fabs fadd faddp fchs fcom fcomp fcos fdiv fdivp fild fist fistp
fld fld1 fldpi fldz fmul fmulp fninit fsin fsqrt fst fstp fsub fsubp fxch hlt idiv imul in inc ins insb insw int into
iret iretd ja jae jb jbe jc jcxz je jecxz jg jge jl jle jmp jna jnae jnb jnbe jnc jne jng jnge jnl jnle jno jnp jns
jnz jo jp jpe jpo jrcxz js jz lahf lds lea leave les lock lods lodsb lodsd lodsw loop loope loopne loopnz loopz mov
movabs movaps movd movl movq movs movsb movsd movss movsw movsx movsxd movups movzx mul neg nop not or out outs outsb
outsw pop popa popad popf popl popq push pusha pushad pushf pushl pushq rcl rcr rdtsc rep repe repne repnz repz ret
retf retn rol ror sahf sal sar sbb scas scasb scasd scasw seta setae setb setbe setc sete setg setge setl setle setne
setns setnz sets setz shl shld shr shrd stc std sti stos stosb stosd stosq stosw sub syscall sysenter test wait xadd
xchg xlat xlatb xor addl addq subl subq cmpl cmpq leal leaq callq retq imull imulq incl incq decl decq andl andq orl
orq xorl xorq testl testq shll shlq sarl sarq align assume bits byte db dd dq dt dup dw dword else elseif end endif
endm endp ends equ even extern extrn far global globl group if ifdef ifndef include invoke macro model near offset org
proc ptr public qword resb resd resq resw section segment short struc struct times use16 use32 word
"""

_MIPS = """
abs add addi addiu addu and andi b bal bc1f bc1t beq beqz bge bgeu bgez bgezal bgt bgtu bgtz ble bleu blez blt bltu
bltz bltzal bne bnez break clo clz cvt cvtd div divu eret j jal jalr jr la lb lbu ld ldc1 lh lhu li ll lui lw lwc1 lwl
lwr madd maddu mfc0 mfc1 mfhi mflo mov move movf movn movt movz msub msubu mtc0 mtc1 mthi mtlo mul mulo mulou mult
multu neg negu nop nor not or ori rem remu rol ror sb sc sd sdc1 seq sge sgeu sgt sgtu sh sle sleu sll sllv slt slti
sltiu sltu sne sra srav srl srlv sub subi subiu subu sw swc1 swl swr syscall teq teqi tge tlt tne trap ulh ulhu ulw
ush usw xor xori align ascii asciiz byte data double end_macro ent eqv extern float globl half include kdata ktext
macro space word
"""

_NUMBER = number("0-9", r"\w*+(?:\.[0-9]\w*+)?+")  # 0FFh and 3.14

X86 = Lexicon(
    vocabulary="a8086",
    keywords=frozenset(_X86.split()),
    letters="@%$?",
    fold_case=True,
    rules=(
        comment(";", r"[^\n\r]*+"),  # mov ax, 1 ; one → keyword name , number comment
        HASH_LINE,  # movl %eax, %ebx # copy → keyword name , name comment
        SLASH_LINE,
        SLASH_STAR,
        SINGLE_QUOTED,  # db 'hello, world' → keyword string
        DOUBLE_QUOTED,
        _NUMBER,  # dd 3.14, 0FFh → keyword number , number
    ),
)

MIPS = Lexicon(
    vocabulary="mips",
    keywords=frozenset(_MIPS.split()),
    letters="$",
    fold_case=True,
    rules=(
        HASH_LINE,  # li $t0, 5 # five → keyword name , number comment
        SINGLE_QUOTED,
        DOUBLE_QUOTED,  # .asciiz "a # b" → . keyword string
        _NUMBER,  # .float 2.5 → . keyword number
    ),
)

FRONTENDS = (
    Frontend(
        "a8086",
        scanner(X86),
        "own scanner",
        endings=(".asm", ".nasm", ".a86", ".masm"),
        aliases=("8086", "x86", "asm", "assembly", "nasm", "masm", "tasm"),
    ),
    Frontend("mips", scanner(MIPS), "own scanner", endings=(".s", ".mips"), aliases=("mars", "spim")),
)
