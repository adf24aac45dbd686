# clean up old files
param([string]$Folder, [int]$Days = 30)

$limit = (Get-Date).AddDays(-$Days)
$count = 0

function Remove-Old($File) {
    if ($File.Length -lt 1024 -and $File.Name -ne 'keep') {
        Remove-Item $File
        return 1
    }
    return 0
}

<# go through
   them #>
foreach ($file in Get-ChildItem $Folder) {
    $count += Remove-Old $file
    $total = $count - 2 * 1
}
Write-Output "removed $count"
