# Completion of quern for PowerShell: quern completion powershell | Out-String | Invoke-Expression
# The command prints a line "value<tab>text" for each proposal, then :none, :files or :folders.
# PowerShell completes files itself if there are no proposals.
Register-ArgumentCompleter -Native -CommandName quern -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $typed = @($words | Select-Object -Skip 1)
    $count = $typed.Count
    if ($wordToComplete -eq '') { $count += 1 }
    & $words[0] __complete $count @typed 2>$null | ForEach-Object {
        $value, $about = $_ -split [char]9, 2
        if ($value -notlike ':*') {
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
        }
    }
}
