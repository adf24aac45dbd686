' a small bank
Imports System

Module Bank
    Private total As Decimal = 0

    Public Function Deposit(ByVal amount As Decimal) As Boolean
        If amount > 0 AndAlso amount < 1000.5 Then
            total += amount * 2
            Return True
        End If
        Console.WriteLine("bad amount")
        Return False
    End Function

    Sub Main()
        For index As Integer = 1 To 99
            Deposit(index - 1)
        Next
        Console.WriteLine("total: " & total)
    End Sub
End Module
