/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "common/cleanup.h"
#include "importers/core/error_names.h"

/* As <errno.h> numbers them, sorted by name for the search. A log of another architecture (MIPS,
 * Alpha, PA-RISC, SPARC) has other numbers under the same names; ours are kept for them too. */
#define N(text, number)                                                                            \
	{                                                                                          \
		text, sizeof(text) - 1, number                                                     \
	}
#define E(name) N(#name, name)
static const struct {
	const char *name;
	uint8_t len;
	int number;
} errors[] = {
	E(E2BIG),
	E(EACCES),
	E(EADDRINUSE),
	E(EADDRNOTAVAIL),
	E(EADV),
	E(EAFNOSUPPORT),
	E(EAGAIN),
	E(EALREADY),
	E(EBADE),
	E(EBADF),
	E(EBADFD),
	E(EBADMSG),
	E(EBADR),
	E(EBADRQC),
	E(EBADSLT),
	E(EBFONT),
	E(EBUSY),
	E(ECANCELED),
	E(ECHILD),
	E(ECHRNG),
	E(ECOMM),
	E(ECONNABORTED),
	E(ECONNREFUSED),
	E(ECONNRESET),
	E(EDEADLK),
	E(EDEADLOCK),
	E(EDESTADDRREQ),
	E(EDOM),
	E(EDOTDOT),
	E(EDQUOT),
	E(EEXIST),
	E(EFAULT),
	E(EFBIG),
	E(EHOSTDOWN),
	E(EHOSTUNREACH),
	E(EHWPOISON),
	E(EIDRM),
	E(EILSEQ),
	E(EINPROGRESS),
	E(EINTR),
	E(EINVAL),
	E(EIO),
	E(EISCONN),
	E(EISDIR),
	E(EISNAM),
	E(EKEYEXPIRED),
	E(EKEYREJECTED),
	E(EKEYREVOKED),
	E(EL2HLT),
	E(EL2NSYNC),
	E(EL3HLT),
	E(EL3RST),
	E(ELIBACC),
	E(ELIBBAD),
	E(ELIBEXEC),
	E(ELIBMAX),
	E(ELIBSCN),
	E(ELNRNG),
	E(ELOOP),
	E(EMEDIUMTYPE),
	E(EMFILE),
	E(EMLINK),
	E(EMSGSIZE),
	E(EMULTIHOP),
	E(ENAMETOOLONG),
	E(ENAVAIL),
	E(ENETDOWN),
	E(ENETRESET),
	E(ENETUNREACH),
	E(ENFILE),
	E(ENOANO),
	E(ENOBUFS),
	E(ENOCSI),
	E(ENODATA),
	E(ENODEV),
	E(ENOENT),
	E(ENOEXEC),
	E(ENOKEY),
	E(ENOLCK),
	E(ENOLINK),
	E(ENOMEDIUM),
	E(ENOMEM),
	E(ENOMSG),
	E(ENONET),
	E(ENOPKG),
	E(ENOPROTOOPT),
	E(ENOSPC),
	E(ENOSR),
	E(ENOSTR),
	E(ENOSYS),
	E(ENOTBLK),
	E(ENOTCONN),
	E(ENOTDIR),
	E(ENOTEMPTY),
	E(ENOTNAM),
	E(ENOTRECOVERABLE),
	E(ENOTSOCK),
	E(ENOTSUP),
	E(ENOTTY),
	E(ENOTUNIQ),
	E(ENXIO),
	E(EOPNOTSUPP),
	E(EOVERFLOW),
	E(EOWNERDEAD),
	E(EPERM),
	E(EPFNOSUPPORT),
	E(EPIPE),
	E(EPROTO),
	E(EPROTONOSUPPORT),
	E(EPROTOTYPE),
	E(ERANGE),
	E(EREMCHG),
	E(EREMOTE),
	E(EREMOTEIO),
	E(ERESTART),
	/* within the kernel only: the call begins anew or fails with EINTR when the signal is handled */
	N("ERESTARTNOHAND", 514),
	N("ERESTARTNOINTR", 513),
	N("ERESTARTSYS", 512),
	N("ERESTART_RESTARTBLOCK", 516),
	E(ERFKILL),
	E(EROFS),
	E(ESHUTDOWN),
	E(ESOCKTNOSUPPORT),
	E(ESPIPE),
	E(ESRCH),
	E(ESRMNT),
	E(ESTALE),
	E(ESTRPIPE),
	E(ETIME),
	E(ETIMEDOUT),
	E(ETOOMANYREFS),
	E(ETXTBSY),
	E(EUCLEAN),
	E(EUNATCH),
	E(EUSERS),
	E(EWOULDBLOCK),
	E(EXDEV),
	E(EXFULL),
};

/* Signal n is names[n - 1], as on x86 and ARM (signal(7)). */
static const char *const signals[] = {
	"SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",  "SIGFPE",
	"SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
	"SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",  "SIGXCPU",
	"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

/* Order of the two texts, as strcmp() would say. */
static int compare(struct td_str name, const char *text, size_t len)
{
	int c = memcmp(name.p, text, TD_MIN(name.len, len));

	return c ? c : (name.len > len) - (name.len < len);
}

int td_error_number(struct td_str name)
{
	size_t lo = 0, hi = TD_ARRAY_SIZE(errors);
	struct td_scan s = td_scan_of(name.p, name.len);
	uint64_t number;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = compare(name, errors[mid].name, errors[mid].len);

		if (c == 0)
			return errors[mid].number;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (td_scan_literal(&s, "ERRNO_") && td_scan_u64(&s, &number) && number < 4096)
		return (int)number;
	return 0;
}

int td_signal_number(struct td_str name)
{
	struct td_scan s = td_scan_of(name.p, name.len);
	uint64_t number;

	for (size_t i = 0; i < TD_ARRAY_SIZE(signals); i++)
		if (td_str_eq(name, signals[i]))
			return (int)i + 1;
	if (td_str_eq(name, "SIGRTMIN"))
		return 32;
	/* strace counts real-time signals from the kernel's first one, 32 */
	if (td_scan_literal(&s, "SIGRT_") && td_scan_u64(&s, &number) && number <= 32)
		return 32 + (int)number;
	return 0;
}
