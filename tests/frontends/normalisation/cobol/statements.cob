       IDENTIFICATION DIVISION.
       PROGRAM-ID. TOTALS.
      * adds prices
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 PRICE PIC 9(4) VALUE 10.
       01 TOTAL PIC 9(6).
       PROCEDURE DIVISION.
       MAIN-PART.
           MOVE 0 TO TOTAL.
           SUBTRACT 3 FROM TOTAL.
           ADD PRICE TO TOTAL.
           IF TOTAL > 5
               DISPLAY "LARGE"
           END-IF.
           MULTIPLY 2 BY TOTAL.
           DISPLAY "TOTAL" TOTAL.
           STOP RUN.
