#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that check-readme.py finds what a README says and the program does not.
#
#     tests/check-readme-test.sh CHECK
set -eu
check=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
mkdir examples
cat >tracedb <<'EOF'
#!/bin/sh
case $1 in
report) printf 'Title\n\nName  Left out  Reads\n----  --------  -----\na            1     20\nb b          2      3\n' ;;
*) echo "tracedb: warning: $*" >&2 ;;
esac
EOF
chmod +x tracedb

# readme READS WARNING
readme()
{
	printf '%s\n' 'Text' '```' '$ tracedb import x' "tracedb: warning: $2" '' '$ tracedb report | cat' 'Title' '' \
		'Name  ...  Reads' '----  ---  -----' "a     ...     $1" 'b b   ...      3' '```' '```python' '$ not run' '```' >README.md
}

readme 20 'import x'
python3 "$check" . tracedb
readme 21 'import x'
if python3 "$check" . tracedb >out; then
	echo 'a wrong number was not found'
	exit 1
fi
grep -q '^-a     ...     21$' out
readme 20 'import y'
if python3 "$check" . tracedb >out; then
	echo 'a wrong warning was not found'
	exit 1
fi
python3 "$check" --update . tracedb
mv README.md updated
readme 20 'import x'
cmp updated README.md
: >README.md
if python3 "$check" . tracedb >out; then
	echo 'that nothing is shown was not found'
	exit 1
fi
