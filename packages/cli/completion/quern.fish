# Completion of quern for fish: quern completion fish | source
# The command prints a line "value<tab>text" for each proposal, then :none, :files or :folders.
function __quern_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l typed $words
    set -e typed[1]
    set -l kind none
    for line in (command $words[1] __complete (count $words) $typed $current 2>/dev/null)
        switch $line
            case ':*'
                set kind (string sub -s 2 -- $line)
            case '*'
                printf '%s\n' $line
        end
    end
    set -l path (string replace -r '^[^=]*=' '' -- $current)
    set -l prefix (string replace -r '[^=]*$' '' -- $current)
    switch $kind
        case files
            for file in (__fish_complete_path $path)
                printf '%s%s\n' $prefix $file
            end
        case folders
            for folder in (__fish_complete_directories $path '')
                printf '%s%s\n' $prefix $folder
            end
    end
end
complete --command quern --no-files --keep-order --arguments '(__quern_complete)'
