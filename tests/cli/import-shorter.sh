# A copy that was taken while a log grew counts once, too, when what it became was read before it from where it cannot be
# read again: an archive, standard input, the database that is appended to
. "$LIB"
total() { sqlite3 "$1" 'SELECT count(*), sum(done_bytes) FROM call'; }
piped() { cat "$1"; }
why() { sqlite3 "$1" "SELECT path, detail FROM source WHERE state = 'duplicate' ORDER BY id"; }

# 900 calls of 4,096 bytes. The third line on there is nothing but calls, of which part.log has 500 and cut.log 300 and
# the half of one
mkdir grown
trace 900 >grown/whole.log
head -n 503 grown/whole.log >grown/part.log
{ head -n 303 grown/whole.log; sed -n 304p grown/whole.log | head -c 20; } >grown/cut.log

# in an archive, and beside one
mkdir members
tar -C grown -cf members/a.tar whole.log part.log
cp grown/cut.log members/z.log
try "$TRACEDB" import -q members
sources members.db
total members.db
why members.db

# standard input, of which nothing is left to compare with
piped grown/whole.log | try "$TRACEDB" import -q -o stdin.db - grown/part.log
total stdin.db

piped grown/part.log | try "$TRACEDB" import -q -o stdin-last.db grown/whole.log -
sources stdin-last.db
total stdin-last.db
piped grown/whole.log | try "$TRACEDB" import --append -o stdin-last.db -
piped grown/cut.log | try "$TRACEDB" import --append -o stdin-last.db -
sources stdin-last.db
total stdin-last.db

# what was imported before, packed or not, and what is added to it
for name in whole.log whole.log.gz; do
    [ -e "grown/$name" ] || gzip -n grown/whole.log
    try "$TRACEDB" import -q --force -o old.db "grown/$name"
    [ -e grown/whole.log ] || gzip -d grown/whole.log.gz
    try "$TRACEDB" import --append -o old.db grown/part.log grown/cut.log
    (cd grown && tar -cf ../copies.tar cut.log part.log)
    try "$TRACEDB" import --append -o old.db copies.tar
    total old.db
done

# the other way round: a packed log that grew takes the place of what was read of it
gzip -nk grown/part.log
try "$TRACEDB" import -q -o grows.db grown/part.log.gz
total grows.db
gzip -nk grown/whole.log
try "$TRACEDB" import --append -o grows.db grown/whole.log.gz
sources grows.db
total grows.db

# a log that goes on in another way than the one before: the 500 lines that they share count twice, but nothing is lost
{ cat grown/part.log; trace 950 | tail -n 40; } >grown/other.log
try "$TRACEDB" import -q --force -o old.db grown/whole.log
try "$TRACEDB" import -q --append -o old.db grown/other.log
total old.db
