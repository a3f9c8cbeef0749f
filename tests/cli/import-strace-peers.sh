# Without -y or -yy a socket is called by the peer that connect or accept names, until its descriptor is another one
. "$LIB"
cat >log <<END
100 1795717251.000000 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3 <0.000010>
100 1795717251.000100 sendto(3, "x", 1, 0, NULL, 0) = 1 <0.000010>
100 1795717251.001000 connect(3, {sa_family=AF_INET, sin_port=htons(2049), sin_addr=inet_addr("10.0.0.5")}, 16) = 0 <0.001000>
100 1795717251.002000 sendto(3, "hello", 5, MSG_NOSIGNAL, NULL, 0) = 5 <0.000010>
100 1795717251.003000 recvfrom(3, "world!", 100, 0, NULL, NULL) = 6 <0.002000>
100 1795717251.006000 close(3) = 0 <0.000010>
100 1795717251.007000 socket(AF_INET6, SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3 <0.000010>
100 1795717251.008000 connect(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "fd00::5", &sin6_addr), sin6_scope_id=0}, 28) = -1 EINPROGRESS (Operation now in progress) <0.000100>
100 1795717251.009000 dup(3)      = 5 <0.000010>
100 1795717251.010000 write(5, "ab", 2) = 2 <0.000010>
100 1795717251.011000 socket(AF_UNIX, SOCK_STREAM, 0) = 4 <0.000010>
100 1795717251.012000 connect(4, {sa_family=AF_UNIX, sun_path="/run/x y"}, 110) = 0 <0.000100>
100 1795717251.013000 read(4, "abc", 100) = 3 <0.000100>
100 1795717251.014000 socket(AF_UNIX, SOCK_STREAM, 0) = 6 <0.000010>
100 1795717251.015000 connect(6, {sa_family=AF_LOCAL, sun_path=@"/tmp/.X11-unix/X0"}, 20) = 0 <0.000100>
100 1795717251.016000 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 7 <0.000010>
100 1795717251.017000 connect(7, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.6")}, 16) = -1 ECONNREFUSED (Connection refused) <0.000100>
100 1795717251.018000 listen(7, 5) = 0 <0.000010>
100 1795717251.019000 accept4(7, {sa_family=AF_INET, sin_port=htons(51234), sin_addr=inet_addr("10.0.0.7")}, [112 => 16], SOCK_CLOEXEC) = 8 <0.010000>
100 1795717251.030000 accept(7, NULL, NULL) = 9 <0.000100>
100 1795717251.031000 read(8, "abcd", 100) = 4 <0.000100>
100 1795717251.032000 read(9, "abcde", 100) = 5 <0.000100>
100 1795717251.033000 connect(3, {sa_family=AF_UNSPEC, sa_data="\0\0"}, 16) = 0 <0.000100>
100 1795717251.034000 connect(10<socket:[77]>, {sa_family=AF_INET, sin_port=htons(81), sin_addr=inet_addr("10.0.0.8")}, 16) = 0 <0.000100>
END
"$TRACEDB" import -q -o s.db log
"$TRACEDB" report socket_sum --columns peer,protocol,connects,sends,sent_bytes,receives,received_bytes,errors -f csv s.db | sort
sqlite3 s.db "SELECT op, fd, file FROM calls WHERE file LIKE '%->%' OR file LIKE 'socket%' ORDER BY id"
