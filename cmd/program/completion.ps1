# Lets PowerShell complete kontor's commands and options:
# kontor completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName kontor -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $arguments = @($words | Select-Object -Skip 1)
    if ($wordToComplete.StartsWith('-')) { $arguments += $wordToComplete }
    & $words[0] @arguments --generate-shell-completion 2>$null | ForEach-Object {
        $name, $meaning = $_ -split ':', 2
        if ($name -and $name.StartsWith($wordToComplete)) {
            if (-not $meaning) { $meaning = $name }
            [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $meaning)
        }
    }
}
