/* SPDX-License-Identifier: MIT */
/* Tools of bpftrace and bcc whose rows become marks, spans, values and waits. */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

static void add_who(struct td_strbuf *b, const struct td_imported *in, uint32_t process_id)
{
	const struct td_process *p = td_process_of(in, process_id);

	if (p)
		td_strbuf_addf(b, " %lld '%s'", (long long)p->pid, td_text_of(in, p->name_id));
}

static void add_rows(struct td_strbuf *b, const struct td_imported *in)
{
	for (size_t i = 0; i < in->nmarks; i++) {
		const struct td_mark *m = &in->marks[i];

		td_strbuf_addf(b, "mark %s @", td_text_of(in, m->name_id));
		td_add_ns(b, m->ts_ns);
		add_who(b, in, m->process_id);
		td_strbuf_addf(b, " %s\n", td_text_of(in, m->args_id));
	}
	for (size_t i = 0; i < in->nspans; i++) {
		const struct td_span *s = &in->spans[i];

		td_strbuf_addf(b, "span %s %s @", td_text_of(in, s->kind_id),
			       td_text_of(in, s->name_id));
		td_add_ns(b, s->start_ns);
		td_strbuf_adds(b, "+");
		td_add_ns(b, s->dur_ns);
		add_who(b, in, s->process_id);
		td_strbuf_addf(b, " %s\n", td_text_of(in, s->args_id));
	}
	for (size_t i = 0; i < in->nsamples; i++)
		td_add_sample(b, in, &in->samples[i], 0);
	for (size_t i = 0; i < in->nscheds; i++) {
		const struct td_sched *s = &in->scheds[i];
		const struct td_thread *t = td_store_thread_at(in->st, s->thread_id);

		td_strbuf_addf(b, "%s %lld '%s' @", td_text_of(in, s->state_id), (long long)t->tid,
			       td_text_of(in, t->name_id));
		td_add_ns(b, s->start_ns);
		td_strbuf_adds(b, "+");
		td_add_ns(b, s->dur_ns);
		td_strbuf_adds(b, "\n");
	}
	for (size_t i = 0; i < in->ncalls; i++) {
		const struct td_call *c = &in->calls[i];

		td_strbuf_addf(b, "call %s = %lld {%s}", td_op_name_of(in, c),
			       c->ret == TD_NULL ? -1 : (long long)c->ret,
			       td_text_of(in, c->args_id));
		add_who(b, in, c->process_id);
		td_strbuf_adds(b, "\n");
	}
	for (size_t i = 0; i < in->has->nsummaries; i++) {
		const struct td_summary *s = &in->has->summaries[i];

		td_strbuf_addf(b, "sum %s[%s] = %g %s\n", s->name, s->key ? s->key : "", s->value,
			       s->unit ? s->unit : "");
	}
}

/* 10:00:00 is 36000 s */
static const struct {
	const char *text, *want;
	enum td_clock clock;
} cases[] = {
	/* --- marks --- */
	{ "Tracing connect ... Hit Ctrl-C to end\n"
	  "TIME(s)  PID    COMM         IP SADDR            DADDR            DPORT QUERY\n"
	  "1.250    4711   node 18      4  10.0.0.2         10.0.0.9         443   a.example "
	  "(1.2ms)\n"
	  "2.000    4711   node 18      6  ::1              ::1              80    \n",
	  "mark tcpconnect @1.250000000 4711 'node 18' {\"ip\":4,\"saddr\":\"10.0.0.2\",\"daddr\":"
	  "\"10.0.0.9\",\"dport\":443,\"query\":\"a.example (1.2ms)\"}\n"
	  "mark tcpconnect @2 4711 'node 18' "
	  "{\"ip\":6,\"saddr\":\"::1\",\"daddr\":\"::1\",\"dport\":80,"
	  "\"query\":\"\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "Tracing tcp connections. Hit Ctrl-C to end.\n"
	  "TIME     PID      COMM             SADDR                                   SPORT  DADDR "
	  "    "
	  "                              DPORT \n"
	  "10:00:01 4711     curl             10.0.0.2                                4000   "
	  "10.0.0.9  "
	  "                              80    \n",
	  "mark tcpconnect @36001 4711 'curl' {\"saddr\":\"10.0.0.2\",\"sport\":4000,\"daddr\":"
	  "\"10.0.0.9\",\"dport\":80}\n",
	  TD_CLOCK_LOCAL_TOD },
	/* the stack of the event is not read */
	{ "TIME     PID     IP SADDR:SPORT          > DADDR:DPORT          STATE (FLAGS)        "
	  "REASON (CODE)\n"
	  "10:00:01 0       4  10.0.0.2:80          > 10.0.0.9:4000        SYN_SENT (SYN|ACK)   "
	  "NO_SOCKET (3)\n"
	  "\tb'tcp_drop+0x1'\n\tb'tcp_v4_rcv+0x99'\n\n",
	  "mark tcpdrop @36001 0 '' {\"ip\":4,\"saddr_sport\":\"10.0.0.2:80\",\"daddr_dport\":"
	  "\"10.0.0.9:4000\",\"state_flags\":\"SYN_SENT (SYN|ACK)\",\"reason_code\":\"NO_SOCKET "
	  "(3)\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME     PID    IP LADDR:LPORT          T> RADDR:RPORT          STATE        SEQ\n"
	  "10:00:01 0      4  10.0.0.2:22          R> 10.0.0.9:4000        SYN_SENT     28793\n",
	  "mark tcpretrans @36001 0 '' {\"ip\":4,\"laddr_lport\":\"10.0.0.2:22\",\"t\":\"R>\","
	  "\"raddr_rport\":\"10.0.0.9:4000\",\"state\":\"SYN_SENT\",\"seq\":28793}\n",
	  TD_CLOCK_LOCAL_TOD },
	/* a C++ name has blanks in it */
	{ "TIME                PID COMM             FUNC\n"
	  "10:00:01.500000    4711 python3          start_thread(void*, int)\n",
	  "mark threadsnoop @36001.500000000 4711 'python3' {\"func\":\"start_thread(void*, "
	  "int)\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME(ms)   PID    COMM             FUNC\n1938       28549  dockerd          "
	  "threadentry\n",
	  "mark threadsnoop @1.938000000 28549 'dockerd' {\"func\":\"threadentry\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME     PID    COMM             T FILE\n1938     20279  node 18          M net/dev\n",
	  "mark dcsnoop @1.938000000 20279 'node 18' {\"t\":\"M\",\"file\":\"net/dev\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME      PID    COMMAND\n10:00:01  2176   df -h\n10:00:02  2176   ps -ef | grep x\n",
	  "mark bashreadline @36001 2176 '' {\"command\":\"df -h\"}\n"
	  "mark bashreadline @36002 2176 '' {\"command\":\"ps -ef | grep x\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME      UID    PID    COMM             CAP  NAME                 AUDIT\n"
	  "10:00:01  114    2676   snmpd            12   CAP_NET_ADMIN        1\n",
	  "mark capable @36001 2676 'snmpd' "
	  "{\"uid\":114,\"cap\":12,\"name\":\"CAP_NET_ADMIN\",\"audit\":1}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "PCOMM            PID    PPID   TID    AGE(s)  EXIT_CODE\n"
	  "sleep            19004  19003  19004  1.65    signal 9 (KILL)\n",
	  "mark exit @0 19004 'sleep' {\"ppid\":19003,\"age_s\":1.65,\"exit_code\":\"signal 9 "
	  "(KILL)\"}\n",
	  TD_CLOCK_RELATIVE },
	/* libbpf-tools call it TIME(s), too */
	{ "TIME(s)  PCOMM            PID     PPID    TID     AGE(s)  EXIT_CODE\n"
	  "10:00:01 sleep            19004   19003   19004   1.65    0\n",
	  "mark exit @36001 19004 'sleep' {\"ppid\":19003,\"age_s\":1.65,\"exit_code\":0}\n",
	  TD_CLOCK_LOCAL_TOD },
	/* the header of old versions was wrong about its columns */
	{ "TIME     PCOMM  PPID             COMM   PID              SECONDS\n"
	  "10:00:01 4388   tmux: server     25250  sleep            5.000\n",
	  "mark naptime @36001 25250 'sleep' {\"ppid\":4388,\"pcomm\":\"tmux: "
	  "server\",\"seconds\":5.000}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "PID    COMM         FUNC             -\n4402   bash         sys_execve       "
	  "/usr/bin/man ls\n",
	  "mark trace @0 4402 'bash' {\"func\":\"sys_execve\",\"text\":\"/usr/bin/man ls\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "FUNC         TIME(s)            COMM             PID    LEN   \n"
	  "WRITE/SEND   0.500000000        curl             12915  75    \n"
	  "----- DATA -----\nPID    COMM               FD ERR PATH\n1 a 3 0 /secret\n\n"
	  "----- END DATA -----\n",
	  "mark sslsniff @0.500000000 12915 'curl' {\"func\":\"WRITE/SEND\",\"len\":75}\n",
	  TD_CLOCK_RELATIVE },
	{ "Tracing oom_kill_process()... Ctrl-C to end.\n"
	  "10:00:01 Triggered by PID 3297 (\"ntpd\"), OOM kill of PID 22516 (\"my perl\"), 3850642 "
	  "pages, loadavg: 0.99 0.39 0.30 3/282 22724\n",
	  "mark oomkill @36001 22516 'my perl' {\"pages\":3850642,\"triggered_by\":3297}\n",
	  TD_CLOCK_LOCAL_TOD },
	/* --- spans --- */
	{ "TIME     PID   COMM       LADDR           LPORT RADDR           RPORT TX_KB RX_KB MS\n"
	  "10:00:01 22597 recordProg 127.0.0.1       46644 127.0.0.1       28527     0    12 "
	  "250.5\n",
	  "span tool tcplife @36000.749500000+0.250500000 22597 'recordProg' "
	  "{\"laddr\":\"127.0.0.1\","
	  "\"lport\":46644,\"raddr\":\"127.0.0.1\",\"rport\":28527,\"tx_kb\":0,\"rx_kb\":12}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "PID,COMM,IP,LADDR,LPORT,RADDR,RPORT,TX_KB,RX_KB,MS\n"
	  "22597,record Prog,4,127.0.0.1,46644,127.0.0.1,28527,0,12,250.5\n",
	  "span tool tcplife @0+0.250500000 22597 'record Prog' {\"ip\":4,\"laddr\":\"127.0.0.1\","
	  "\"lport\":46644,\"raddr\":\"127.0.0.1\",\"rport\":28527,\"tx_kb\":0,\"rx_kb\":12}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME(s)  SKADDR           C-PID C-COMM     LADDR           LPORT RADDR           RPORT "
	  "OLDSTATE    -> NEWSTATE    MS\n"
	  "0.5      ffff9fd7e8192000 22384 curl       10.0.0.2        0     10.0.0.9        80    "
	  "SYN_SENT    -> ESTABLISHED 100\n",
	  "span tool tcpstates @0.400000000+0.100000000 22384 'curl' "
	  "{\"skaddr\":\"ffff9fd7e8192000\","
	  "\"laddr\":\"10.0.0.2\",\"lport\":0,\"raddr\":\"10.0.0.9\",\"rport\":80,\"oldstate\":"
	  "\"SYN_SENT\","
	  "\"newstate\":\"ESTABLISHED\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME      PID    COMM          LATms HOST\n10:00:02  28011  wget          90.00 "
	  "www.example\n",
	  "span tool gethostlatency @36001.910000000+0.090000000 28011 'wget' "
	  "{\"host\":\"www.example\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME     PID    COMM             AGE(s)  FILE\n10:00:02 8556   cc1 plus         0.50    "
	  "a b.s\n",
	  "span tool filelife @36001.500000000+0.500000000 8556 'cc1 plus' {\"file\":\"a b.s\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME       COMM           PID    LAT(us)             RVAL FUNC\n"
	  "0.500000   less           27074   100.00 ffffffffffffffff c:open\n"
	  "    main(int, char**)\n",
	  "span tool funcslower @0.499900000+0.000100000 27074 'less' "
	  "{\"rval\":\"ffffffffffffffff\","
	  "\"func\":\"c:open\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME      DEVICE   PAGES    REASON           ms\n10:00:02  253:1    61       background "
	  "      0.250\n",
	  "span tool writeback @36001.999750000+0.000250000 "
	  "{\"device\":\"253:1\",\"pages\":61,\"reason\":"
	  "\"background\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	/* --- a wait, calls --- */
	{ "TIME     COMM             TID           LAT(us)\n10:00:02 cc1 plus         12924        "
	  "   500000\n",
	  "runnable 12924 'cc1 plus' @36001.500000000+0.500000000\n", TD_CLOCK_LOCAL_TOD },
	{ "TIME     PID    COMM             UID    SYSCALL   ARGS (RET)\n"
	  "10:00:02 3821   apache           0      setuid    uid=33 (0)\n",
	  "call setuid = -1 {uid=33 (0)} 3821 'apache'\n", TD_CLOCK_LOCAL_TOD },
	{ "PID    COMM                SYS              RET ARGs\n"
	  "19813  server           SHMGET            10000 key: 0x78, size: 20\n"
	  "19813  server            SHMAT     7f1cf8b1f000 shmid: 0x10000\n",
	  /* 0x10000 and 0x7f1cf8b1f000 */
	  "call shmget = 65536 {key: 0x78, size: 20} 19813 'server'\n"
	  "call shmat = 139762408222720 {shmid: 0x10000} 19813 'server'\n",
	  TD_CLOCK_RELATIVE },
	/* --- values: at the time above the table, or in its row, or without any --- */
	{ "10:00:01 loadavg: 0.91 0.33 0.23 3/286 26635\n\n"
	  "PID    COMM             READS  WRITES R_Kb    W_Kb    T FILE\n"
	  "26628  ld               161    2      3       1       R built in.o\n\n"
	  "10:00:03 loadavg: 0.91 0.33 0.23 3/286 26635\n\n"
	  "PID    COMM             READS  WRITES R_Kb    W_Kb    T FILE\n"
	  "26628  ld               5      0      0       0       R built in.o\n",
	  "filetop.reads[R, built in.o] - 26628 'ld' @36001+- = 161\n"
	  "filetop.writes[R, built in.o] - 26628 'ld' @36001+- = 2\n"
	  "filetop.read_bytes[R, built in.o] - 26628 'ld' @36001+- = 3072 bytes\n"
	  "filetop.written_bytes[R, built in.o] - 26628 'ld' @36001+- = 1024 bytes\n"
	  "filetop.reads[R, built in.o] - 26628 'ld' @36003+2 = 5\n"
	  "filetop.writes[R, built in.o] - 26628 'ld' @36003+2 = 0\n"
	  "filetop.read_bytes[R, built in.o] - 26628 'ld' @36003+2 = 0 bytes\n"
	  "filetop.written_bytes[R, built in.o] - 26628 'ld' @36003+2 = 0 bytes\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME      DISK     %RND  %SEQ    COUNT     KBYTES\n"
	  "10:00:01  vdb         1    99      788          4\n10:00:02  vdb         0   100        "
	  "1          0\n",
	  "biopattern.random vdb @36001+- = 1 %\nbiopattern.sequential vdb @36001+- = 99 %\n"
	  "biopattern.count vdb @36001+- = 788\nbiopattern.bytes vdb @36001+- = 4096 bytes\n"
	  "biopattern.random vdb @36002+1 = 0 %\nbiopattern.sequential vdb @36002+1 = 100 %\n"
	  "biopattern.count vdb @36002+1 = 1\nbiopattern.bytes vdb @36002+1 = 0 bytes\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "10:00:01 Buffers MB: 76 / Cached MB: 114 / Sort: HITS / Order: ascending\n"
	  "PID      UID      CMD              HITS     MISSES   DIRTIES  READ_HIT%  WRITE_HIT%\n"
	  "     567 syslog   rs:main Q:Reg          10        4        2      57.1%      21.4%\n",
	  "page_cache.hits[syslog] - 567 'rs:main Q:Reg' @36001+- = 10\n"
	  "page_cache.misses[syslog] - 567 'rs:main Q:Reg' @36001+- = 4\n"
	  "page_cache.dirties[syslog] - 567 'rs:main Q:Reg' @36001+- = 2\n"
	  "page_cache.read_hit_ratio[syslog] - 567 'rs:main Q:Reg' @36001+- = 57.1 %\n"
	  "page_cache.write_hit_ratio[syslog] - 567 'rs:main Q:Reg' @36001+- = 21.4 %\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "HARDIRQ                    TOTAL_usecs\neth0                             11441\n",
	  "sum hardirqs.total[eth0] = 11441 us\n", TD_CLOCK_RELATIVE },
	{ "PID    COMM             TYPE     COUNT\n4058   file slower      prog     4\n"
	  "4058   file slower      map      2\n",
	  "sum bpflist.count[4058, file slower, prog] = 4 \n"
	  "sum bpflist.count[4058, file slower, map] = 2 \n",
	  TD_CLOCK_RELATIVE },
	{ "LADDR:LPORT           RADDR:RPORT             RETRANSMITS\n"
	  "10.0.0.2:22      <-> 10.0.0.9:443         700\n",
	  "sum tcpretrans.retransmits[10.0.0.2:22, 10.0.0.9:443] = 700 \n", TD_CLOCK_RELATIVE },
	{ "Reading load averages... Hit Ctrl-C to end.\n10:00:01 load averages: 2.091 2.048 "
	  "1.947\n",
	  "load.1min - @36001+- = 2.091\nload.5min - @36001+- = 2.048\nload.15min - @36001+- = "
	  "1.947\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "Tracing... Ctrl-C to end.\n10:00:01: PIDs/sec: 4\n", "pids_per_second - @36001+- = 4\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "Tracing task NUMA switch...\nTIME     PID      TID      SRC_NID     DST_NID  COMM    \n"
	  "10:00:01 355842   355843   0        -> 1        b'my yes'\n",
	  "mark numasched @36001 355842 'my yes' {\"src_nid\":0,\"dst_nid\":1}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "Timestamp Event            Family Local                 Remote\n"
	  "10:00:01  connect request  IPv4   192.0.2.1:6379        192.0.2.2:41498\n"
	  "b'10:00:02' established      IPv4   192.0.2.1:6379        192.0.2.2:41498\n",
	  "mark rdmaucma @36001 {\"event\":\"connect request\",\"family\":\"IPv4\",\"local\":"
	  "\"192.0.2.1:6379\",\"remote\":\"192.0.2.2:41498\"}\n"
	  "mark rdmaucma @36002 {\"event\":\"established\",\"family\":\"IPv4\",\"local\":"
	  "\"192.0.2.1:6379\",\"remote\":\"192.0.2.2:41498\"}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "TIME(s)       ACTION TID    COMM             SOCKET                    FD    NAME\n"
	  "0.000000000   SEND   2576   Web Content      24:socket:[39763]         51    /dev/shm/x "
	  "(deleted)\n"
	  "0.000413000   RECV   2577   Web Content      49:/dev/shm/x (deleted)   7     \n",
	  "mark sofdsnoop @0 {\"action\":\"SEND\",\"socket\":\"24:socket:[39763]\",\"fd\":51,"
	  "\"name\":\"/dev/shm/x (deleted)\"}\n"
	  "mark sofdsnoop @0.000413000 {\"action\":\"RECV\",\"socket\":\"49:/dev/shm/x (deleted)\","
	  "\"fd\":7,\"name\":\"\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME     STAGE                SOFTIRQ  LAT(us)        CPU    COMM  \n"
	  "10:00:02 irq(hard) to softirq net_rx   500000         3      my cat\n",
	  "span tool softirqslower @36001.500000000+0.500000000 {\"stage\":\"irq(hard) to "
	  "softirq\","
	  "\"softirq\":\"net_rx\",\"cpu\":3}\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "Tracing method calls in ruby process 27245... Ctrl-C to quit.\n"
	  "CPU PID    TID    TIME(us) METHOD\n3   27245  27246  4.536      -> IO.gets all\n",
	  "mark uflow @4.536000000 27245 '' {\"cpu\":3,\"method\":\"-> IO.gets all\"}\n",
	  TD_CLOCK_RELATIVE },
	/* START is when it was printed, which is when it was over: 1.5 s less 0.25 s */
	{ "START    TIME (ms) DESCRIPTION\n1.500    250.00   GC scavenge\n",
	  "span tool ugc @1.250000000+0.250000000 {\"description\":\"GC scavenge\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "TIME     ID               TYPE     DESCRIPTION\n"
	  "0.924    R=9/N=0          start    SIGINT handler\n",
	  "mark uthreads @0.924000000 "
	  "{\"id\":\"R=9/N=0\",\"type\":\"start\",\"description\":\"SIGINT "
	  "handler\"}\n",
	  TD_CLOCK_RELATIVE },
	{ "12:18:26 loadavg: 0.27 0.11 0.04 2/336 26455\n\n"
	  "PID    CMDLINE              METHOD/s   GC/s   OBJNEW/s   CLOAD/s  EXC/s  THR/s \n"
	  "26439  java -XX:+ExtendedDT 2776045    1      2          3        4      5     \n",
	  "ustat.method - 26439 'java -XX:+ExtendedDT' @44306+- = 2.77604e+06 1/s\n"
	  "ustat.gc - 26439 'java -XX:+ExtendedDT' @44306+- = 1 1/s\n"
	  "ustat.objnew - 26439 'java -XX:+ExtendedDT' @44306+- = 2 1/s\n"
	  "ustat.cload - 26439 'java -XX:+ExtendedDT' @44306+- = 3 1/s\n"
	  "ustat.exc - 26439 'java -XX:+ExtendedDT' @44306+- = 4 1/s\n"
	  "ustat.thr - 26439 'java -XX:+ExtendedDT' @44306+- = 5 1/s\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "METHOD                                              # CALLS TIME (ms)\n"
	  "slowy/App.isPrime                                      8969 4841.17\n",
	  "sum ucalls.calls[slowy/App.isPrime] = 8969 \n"
	  "sum ucalls.time[slowy/App.isPrime] = 4.84117e+06 us\n",
	  TD_CLOCK_RELATIVE },
	{ "NAME/TYPE                      # ALLOCS      # BYTES\n"
	  "block size 64                        22         1408\n",
	  "sum uobjnew.allocs[block size 64] = 22 \nsum uobjnew.bytes[block size 64] = 1408 "
	  "bytes\n",
	  TD_CLOCK_RELATIVE },
	/* counts by time and probe; histograms between them */
	{ "[10:00:01]\np:c:write(int fd):int:fd\n\tCOUNT      EVENT\n\t3          fd = 1, len = "
	  "2\n"
	  "[10:00:03]\nmy title\n\tCOUNT      EVENT\n\t4          fd = 1, len = 2\n"
	  "p:c:read(int fd):int:fd\n     fd                  : count     distribution\n"
	  "         0 -> 1          : 758      |****************|\n",
	  "argdist.count[p:c:write(int fd):int:fd, fd = 1, len = 2] - @36001+- = 3\n"
	  "argdist.count[my title, fd = 1, len = 2] - @36003+2 = 4\nsum fd[] = 758 count\n",
	  TD_CLOCK_LOCAL_TOD },
	{ "[10:00:01]\n     query latency (ms)  : count     distribution\n"
	  "         0 -> 1          : 758      |****************|\n",
	  "sum query latency (ms)[] = 758 count\n", TD_CLOCK_RELATIVE },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].text);
		td_import_text(&in, NULL, cases[i].text, NULL);
		TD_CHECK_STR(in.source->importer ? in.source->importer : "", "bpftrace-tools");
		add_rows(&got, &in);
		td_check_lines(&got, cases[i].want);
		TD_CHECK_INT(in.source->clock, cases[i].clock);
		TD_CHECK_INT(in.source->issues, 0);
	}
}

/* What is not read, or not a table of these tools. */
static const struct {
	const char *text, *kind;
	bool claimed;
	uint64_t issues;
} others[] = {
	{ "Tracing blocked time (us) by user + kernel stack... Hit Ctrl-C to end.\n^C\n"
	  "    schedule\n    -                bash (4711)\n        64\n",
	  "unused-tool", true, 0 },
	{ "Attaching to pid 5193, Ctrl+C to quit.\n[11:16:33] Top 2 stacks with outstanding "
	  "allocations:\n\t80 bytes in 5 allocations from stack\n\t\tmain+0x6d [allocs]\n",
	  "unused-tool", true, 0 },
	{ "COUNT EVENT\n3 boot = 1\n", "", false, 0 },
	/* prose under a table whose first column is a number: 'be' is one to some */
	{ "PID    COMM         FUNC             -\n2740   bash         readline         echo "
	  "hi!\n\n"
	  "The special word stands for the return value, and can\nbe used only in a retprobe, "
	  "specified by the prefix.\n",
	  "not-a-row", true, 0 },
	{ "TIME(s)  PID    COMM         IP SADDR            DADDR            DPORT\n"
	  "1.250    4711   curl         4  10.0.0.2         10.0.0.9         443\n"
	  "1.250    4711   curl         4  10.0.0.2 \n",
	  "not-a-row", true, 1 },
	{ "PID   COMM       LADDR           LPORT RADDR           RPORT TX_KB RX_KB MS\n"
	  "22597 recordProg 127.0.0.1       46644 127.0.0.1       28527     0    12 250.5\n"
	  "22597 recordProg 127.0.0.1       46644 127.0.0.1       28527     0    12 25",
	  "cut-line", true, 1 },
	{ "PID    COMM         IP SADDR            DADDR            DPORT FLAVOUR\n"
	  "4711   curl         4  10.0.0.2         10.0.0.9         443   sweet\n",
	  "", false, 0 },
	{ "  TIME   PID COMMAND\n00:00:05     1 init\n00:00:00     2 kthreadd\n", "", false, 0 },
};

static void test_others(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		const char *importer;

		TD_CASE(others[i].text);
		td_import_text(&in, NULL, others[i].text, NULL);
		importer = in.source->importer ? in.source->importer : "";
		TD_CHECK_INT(strcmp(importer, "bpftrace-tools") == 0, others[i].claimed);
		TD_CHECK_INT(in.source->issues, others[i].issues);
		if (others[i].claimed && others[i].kind[0] == 'u')
			TD_CHECK_INT(td_issues_of(&in, others[i].kind), 1);
	}
}

int main(void)
{
	test_cases();
	test_others();
	return td_check_result();
}
