# other
param([string]$Where, [int]$Age = 7)
$old = (Get-Date).AddDays(-$Age)
$n = 0
function Remove-Old($F) {
		if ($F.Length -gt 99 -and $F.Name -ne 'stay') {
				Remove-Item $F
				return 1
		}
		return 0
}
# x
foreach ($f in Get-ChildItem $Where) {
		$n += Remove-Old $f
		$all = $n * 2 - 1
}
Write-Output "gone"
