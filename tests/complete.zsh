# SPDX-License-Identifier: MIT
# What zsh offers for the line, sorted: the words that it would insert, one a line.
# usage: zsh complete.zsh FOLDER-OF-COMPLETION LINE
# An interactive zsh on a pseudo terminal is asked, with compadd replaced by one that notes the words.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "
PROMPT= ; stty -echo 2>/dev/null
fpath=($1 \$fpath)
autoload -Uz compinit && compinit -u -d \$HOME/zcompdump
note_words() {
	local -a __noted
	builtin compadd -O __noted \"\$@\"
	((\$#__noted)) && print -rl -- \${__noted/#/OFFER:}
	builtin compadd \"\$@\"
}
compadd() { [[ \${@[(I)-[OAD]]} -gt 0 ]] && { builtin compadd \"\$@\"; return }; note_words \"\$@\" }
compfinish() { print -r -- DONE: ; exit }
zle -C note complete-word _main_complete
comppostfuncs=(compfinish)
bindkey '^I' note
print REA\"\"DY:"
zpty -r shell out '*READY:*'
zpty -n -w shell "$2"$'\t'
zpty -r shell out '*DONE:*'
print -r -- ${out//$'\r'} | sed -n 's/.*OFFER://p' | LC_ALL=C sort -u
