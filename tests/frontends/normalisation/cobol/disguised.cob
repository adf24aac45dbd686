       IDENTIFICATION DIVISION.
       PROGRAM-ID. SUMS.
      * other words
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 COST PIC 9(4) VALUE 25.
       01 AMOUNT PIC 9(6).
       PROCEDURE DIVISION.
       MAIN-PART.
           MOVE 0 TO AMOUNT.
           ADD COST TO AMOUNT.
           SUBTRACT 3 FROM AMOUNT.
           IF AMOUNT > 50
               DISPLAY 'BIG'
           END-IF.
           MULTIPLY 2 BY AMOUNT.
           DISPLAY "SUM" AMOUNT.
           STOP RUN.
