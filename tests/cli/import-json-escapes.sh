# JSON of mpstat and iostat that another program has written again: slashes and what is not ASCII are escaped, the times are the same
. "$LIB"
values='"usr": 1.50, "nice": 0.00, "sys": 1.00, "iowait": 0.00, "irq": 0.00, "soft": 0.00, "steal": 0.00, "guest": 0.00, "gnice": 0.00, "idle": 97.50'
host='"sysname": "Linux", "release": "6.1.0", "machine": "x86_64", "number-of-cpus": 1'
mpstat() # mpstat DATE
{
	echo "{\"sysstat\": {\"hosts\": [{\"nodename\": \"n\\u00fc\", $host, \"date\": \"$1\", \"statistics\": [
{\"timestamp\": \"10:00:01\", \"cpu-load\": [{\"cpu\": \"all\", $values}]},
{\"timestamp\": \"10:00:02\", \"cpu-load\": [{\"cpu\": \"all\", $values}]}]}]}}"
}
iostat() # iostat DATE
{
	echo "{\"sysstat\": {\"hosts\": [{\"nodename\": \"n\\u00fc\", $host, \"date\": \"$1\", \"statistics\": [
{\"timestamp\": \"$1 10:00:01\", \"disk\": [{\"disk_device\": \"sda\", \"r/s\": 1.00, \"util\": 3.00}]},
{\"timestamp\": \"$1 10:00:02\", \"disk\": [{\"disk_device\": \"sda\", \"r/s\": 2.00, \"util\": 4.00}]}]}]}}"
}
for date in '11/20/2026' '11\/20\/2026' '2026\u5e7411\u670820\u65e5'; do
	for tool in mpstat iostat; do
		$tool "$date" >log.json
		rm -f log.db
		"$TRACEDB" import -q --tz +00:00 -o log.db log.json
		"$TRACEDB" query -f csv log.db "SELECT importer, host, clock, strftime('%Y-%m-%d %H:%M:%S', last_ns / 1000000000, 'unixepoch') AS last FROM source" | tail -n +2
	done
done
