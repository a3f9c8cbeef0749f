# Reports as nsys stats prints them, from an export of nsys 2022, which had other titles, and one of 2025
. "$LIB"
sqlite3 two.sqlite <"$TESTDATA/nsys/schema-2.sql"
sqlite3 three.sqlite <"$TESTDATA/nsys/schema-3.sql"
"$TRACEDB" import -q two.sqlite -o two.db
"$TRACEDB" import -q three.sqlite -o three.db
sources two.db
sources three.db
try "$TRACEDB" report --compat nsys two.db
try "$TRACEDB" report --compat nsys three.db
# names of before 2023, and csv
try "$TRACEDB" report gpumemtimesum,gpumemsizesum --compat nsys -f csv two.db
try "$TRACEDB" report gpukernsum -f csv two.db
# what nsys does not have
try "$TRACEDB" report overview --compat nsys two.db
try "$TRACEDB" report cuda_api_sum --compat nsys -f md two.db
try "$TRACEDB" report cuda_api_sum --compat nsys --timeunit ms two.db
try "$TRACEDB" report cuda_api_sum --compat vtune two.db
