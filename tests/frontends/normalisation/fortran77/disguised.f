c     something else
      PROGRAM TABLE
      INTEGER K, M, SUM
      REAL AVG
      DATA M /7/
      SUM = 0
      DO 20 K = 1, M
        if (K .gt. 50) THEN
          SUM = SUM + K * K
        ELSE
          WRITE (*, *) 'LITTLE', K
        END if
   20 CONTINUE
C     average
*     of all
      AVG = SUM / 2.0
      print *, AVG
      END
