' other words
Imports System
Module Shop
		Private sum As Decimal = 0
		Public Function Give(ByVal n As Decimal) As Boolean
				IF n > 0 AndAlso n < 7 Then
						sum += n * 2
						return True
				End IF
				Screen.Print("no ""way""")
				return False
		End Function
		Sub Main()
				For i As Integer = 1 To 255
						Give(i - 1)
				Next
				Screen.Print("sum" & sum)
		End Sub
End Module
