# SPDX-License-Identifier: MIT
# Completion of tracedb for fish. Commands and options, with what they do, are read from --help; below are the values that it does
# not list.

# The program as it was typed, and the command.
function __tracedb_typed
    commandline -opc
end

function __tracedb_help
    set -l typed (__tracedb_typed)
    $typed[1] $argv --help 2>/dev/null
end

# The first column of what it prints as CSV, without the heading.
function __tracedb_names
    set -l typed (__tracedb_typed)
    $typed[1] $argv -f csv 2>/dev/null | sed -e 1d -e 's/,.*//'
end

function __tracedb_commands
    __tracedb_help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __tracedb_options
    __tracedb_help (__tracedb_typed)[2] | sed -n \
        -e 's/^  \(-[A-Za-z]\), \(--[a-z-]*\)\( [^ ][^ ]*\)\{0,1\}  *\(.*\)/\1\t\4\n\2\t\4/p' \
        -e 's/^      \(--[a-z-]*\)\( [^ ][^ ]*\)\{0,1\}  *\(.*\)/\1\t\3/p' \
        -e 's/^      \(--[a-z-]*\) [^ ][^ ]*$/\1/p'
end

# What the value of the option is called: FILE, TIME, ...; nothing if it takes none.
function __tracedb_value
    __tracedb_help $argv[1] | sed -n "s/^  *\(-[A-Za-z], \)\{0,1\}$argv[2]\(, --[a-z-]*\)\{0,1\} \([^ ][^ ]*\)\( .*\)\{0,1\}\$/\3/p"
end

function __tracedb_sets
    __tracedb_help record | sed -n '/^Event sets/,$s/^  [* ] \([a-z_]*\) .*/\1/p'
end

# The names that the help of a command lists below a heading.
function __tracedb_listed
    __tracedb_help $argv[1] | sed -n "/^$argv[2]/,\$s/^  \([a-z]*\) .*/\1/p"
end

# Files with this end, and folders.
function __tracedb_files
    __fish_complete_suffix $argv[1]
end

# The last one of 'NAME,NAME'.
function __tracedb_list
    set -l before (commandline -ct | string match -r '.*,')
    printf "$before%s\n" $argv
end

function __tracedb_values
    switch "$argv[1]:$argv[2]:$argv[3]"
        case 'import:--format:*'
            __tracedb_names formats
        case 'analyze:-r:*' 'analyze:--rule:*'
            __tracedb_list (__tracedb_names analyze --list)
        case 'flame:--what:*'
            __tracedb_listed flame Stacks
        case 'timeline:--lanes:*'
            __tracedb_list (__tracedb_listed timeline Lanes)
        case 'record:--user:*'
            __fish_complete_users
        case '*:PID'
            __fish_complete_pids
        case '*:SETS'
            __tracedb_list all (__tracedb_sets)
        case '*:FORMAT'
            printf '%s\n' table csv tsv json ndjson md html
        case '*:LEVEL'
            printf '%s\n' info warning critical
        case '*:UNIT'
            printf '%s\n' ns us ms s
        case '*:WHAT'
            printf '%s\n' file template directory process class device gpu time
        case '*:nsys'
            echo nsys
        case '*:FILE.bt*'
            __tracedb_files .bt
        case '*:FILE' '*:PATH'
            __fish_complete_path (commandline -ct)
        case '*:DIR'
            __fish_complete_directories (commandline -ct)
    end
end

function __tracedb_words
    set -l typed (__tracedb_typed)
    set -l value (__tracedb_value $typed[2] $typed[-1])
    if test -n "$value"
        __tracedb_values $typed[2] $typed[-1] $value
        return
    end
    if string match -q -- '-*' (commandline -ct)
        __tracedb_options
        return
    end
    switch $typed[2]
        case report
            __tracedb_list (__tracedb_names report --list)
            __tracedb_files .db
        case import
            __fish_complete_path (commandline -ct)
        case check
            __fish_complete_directories (commandline -ct)
        case formats trigger
        case record
            __fish_complete_subcommand
        case '*'
            __tracedb_files .db
    end
end

complete -c tracedb -f
complete -c tracedb -n 'test (count (commandline -opc)) -eq 1' -a '(__tracedb_commands)'
complete -c tracedb -n 'test (count (commandline -opc)) -gt 1' -a '(__tracedb_words)'
