# The shipped example: what was planted in it is what the database says
. "$LIB"
try "$TRACEDB" import -o stall.db "$EXAMPLES/stall/run" 2>/dev/null
python3 "$(dirname "$LIB")/truth.py" stall.db "$EXAMPLES/stall/truth.json"
