C     A table of squares
      PROGRAM SQUARE
      INTEGER I, N, TOTAL
      REAL MEAN
      DATA N /10/
      TOTAL = 0
      DO 20 I = 1, N
        IF (I .GT. 5) THEN
          TOTAL = TOTAL * I + I
        ELSE
          WRITE (*, *) 'SMALL', I
        END IF
   20 CONTINUE
*     the mean
      MEAN = TOTAL / 1.5E0
      PRINT *, MEAN
      END
