/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "common/cleanup.h"
#include "importers/strace_names.h"

/* As <errno.h> numbers them, sorted by name for the search. A log of another architecture (MIPS,
 * Alpha, PA-RISC, SPARC) has other numbers under the same names; ours are kept for them too. */
static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "E2BIG", E2BIG },
	{ "EACCES", EACCES },
	{ "EADDRINUSE", EADDRINUSE },
	{ "EADDRNOTAVAIL", EADDRNOTAVAIL },
	{ "EADV", EADV },
	{ "EAFNOSUPPORT", EAFNOSUPPORT },
	{ "EAGAIN", EAGAIN },
	{ "EALREADY", EALREADY },
	{ "EBADE", EBADE },
	{ "EBADF", EBADF },
	{ "EBADFD", EBADFD },
	{ "EBADMSG", EBADMSG },
	{ "EBADR", EBADR },
	{ "EBADRQC", EBADRQC },
	{ "EBADSLT", EBADSLT },
	{ "EBFONT", EBFONT },
	{ "EBUSY", EBUSY },
	{ "ECANCELED", ECANCELED },
	{ "ECHILD", ECHILD },
	{ "ECHRNG", ECHRNG },
	{ "ECOMM", ECOMM },
	{ "ECONNABORTED", ECONNABORTED },
	{ "ECONNREFUSED", ECONNREFUSED },
	{ "ECONNRESET", ECONNRESET },
	{ "EDEADLK", EDEADLK },
	{ "EDEADLOCK", EDEADLOCK },
	{ "EDESTADDRREQ", EDESTADDRREQ },
	{ "EDOM", EDOM },
	{ "EDOTDOT", EDOTDOT },
	{ "EDQUOT", EDQUOT },
	{ "EEXIST", EEXIST },
	{ "EFAULT", EFAULT },
	{ "EFBIG", EFBIG },
	{ "EHOSTDOWN", EHOSTDOWN },
	{ "EHOSTUNREACH", EHOSTUNREACH },
	{ "EHWPOISON", EHWPOISON },
	{ "EIDRM", EIDRM },
	{ "EILSEQ", EILSEQ },
	{ "EINPROGRESS", EINPROGRESS },
	{ "EINTR", EINTR },
	{ "EINVAL", EINVAL },
	{ "EIO", EIO },
	{ "EISCONN", EISCONN },
	{ "EISDIR", EISDIR },
	{ "EISNAM", EISNAM },
	{ "EKEYEXPIRED", EKEYEXPIRED },
	{ "EKEYREJECTED", EKEYREJECTED },
	{ "EKEYREVOKED", EKEYREVOKED },
	{ "EL2HLT", EL2HLT },
	{ "EL2NSYNC", EL2NSYNC },
	{ "EL3HLT", EL3HLT },
	{ "EL3RST", EL3RST },
	{ "ELIBACC", ELIBACC },
	{ "ELIBBAD", ELIBBAD },
	{ "ELIBEXEC", ELIBEXEC },
	{ "ELIBMAX", ELIBMAX },
	{ "ELIBSCN", ELIBSCN },
	{ "ELNRNG", ELNRNG },
	{ "ELOOP", ELOOP },
	{ "EMEDIUMTYPE", EMEDIUMTYPE },
	{ "EMFILE", EMFILE },
	{ "EMLINK", EMLINK },
	{ "EMSGSIZE", EMSGSIZE },
	{ "EMULTIHOP", EMULTIHOP },
	{ "ENAMETOOLONG", ENAMETOOLONG },
	{ "ENAVAIL", ENAVAIL },
	{ "ENETDOWN", ENETDOWN },
	{ "ENETRESET", ENETRESET },
	{ "ENETUNREACH", ENETUNREACH },
	{ "ENFILE", ENFILE },
	{ "ENOANO", ENOANO },
	{ "ENOBUFS", ENOBUFS },
	{ "ENOCSI", ENOCSI },
	{ "ENODATA", ENODATA },
	{ "ENODEV", ENODEV },
	{ "ENOENT", ENOENT },
	{ "ENOEXEC", ENOEXEC },
	{ "ENOKEY", ENOKEY },
	{ "ENOLCK", ENOLCK },
	{ "ENOLINK", ENOLINK },
	{ "ENOMEDIUM", ENOMEDIUM },
	{ "ENOMEM", ENOMEM },
	{ "ENOMSG", ENOMSG },
	{ "ENONET", ENONET },
	{ "ENOPKG", ENOPKG },
	{ "ENOPROTOOPT", ENOPROTOOPT },
	{ "ENOSPC", ENOSPC },
	{ "ENOSR", ENOSR },
	{ "ENOSTR", ENOSTR },
	{ "ENOSYS", ENOSYS },
	{ "ENOTBLK", ENOTBLK },
	{ "ENOTCONN", ENOTCONN },
	{ "ENOTDIR", ENOTDIR },
	{ "ENOTEMPTY", ENOTEMPTY },
	{ "ENOTNAM", ENOTNAM },
	{ "ENOTRECOVERABLE", ENOTRECOVERABLE },
	{ "ENOTSOCK", ENOTSOCK },
	{ "ENOTSUP", ENOTSUP },
	{ "ENOTTY", ENOTTY },
	{ "ENOTUNIQ", ENOTUNIQ },
	{ "ENXIO", ENXIO },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "EOVERFLOW", EOVERFLOW },
	{ "EOWNERDEAD", EOWNERDEAD },
	{ "EPERM", EPERM },
	{ "EPFNOSUPPORT", EPFNOSUPPORT },
	{ "EPIPE", EPIPE },
	{ "EPROTO", EPROTO },
	{ "EPROTONOSUPPORT", EPROTONOSUPPORT },
	{ "EPROTOTYPE", EPROTOTYPE },
	{ "ERANGE", ERANGE },
	{ "EREMCHG", EREMCHG },
	{ "EREMOTE", EREMOTE },
	{ "EREMOTEIO", EREMOTEIO },
	{ "ERESTART", ERESTART },
	/* within the kernel only: the call begins anew or fails with EINTR when the signal is handled */
	{ "ERESTARTNOHAND", 514 },
	{ "ERESTARTNOINTR", 513 },
	{ "ERESTARTSYS", 512 },
	{ "ERESTART_RESTARTBLOCK", 516 },
	{ "ERFKILL", ERFKILL },
	{ "EROFS", EROFS },
	{ "ESHUTDOWN", ESHUTDOWN },
	{ "ESOCKTNOSUPPORT", ESOCKTNOSUPPORT },
	{ "ESPIPE", ESPIPE },
	{ "ESRCH", ESRCH },
	{ "ESRMNT", ESRMNT },
	{ "ESTALE", ESTALE },
	{ "ESTRPIPE", ESTRPIPE },
	{ "ETIME", ETIME },
	{ "ETIMEDOUT", ETIMEDOUT },
	{ "ETOOMANYREFS", ETOOMANYREFS },
	{ "ETXTBSY", ETXTBSY },
	{ "EUCLEAN", EUCLEAN },
	{ "EUNATCH", EUNATCH },
	{ "EUSERS", EUSERS },
	{ "EWOULDBLOCK", EWOULDBLOCK },
	{ "EXDEV", EXDEV },
	{ "EXFULL", EXFULL },
};

/* Signal n is names[n - 1], as on x86 and ARM (signal(7)). */
static const char *const signals[] = {
	"SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",  "SIGFPE",
	"SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
	"SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",  "SIGXCPU",
	"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

/* Order of the two texts, as strcmp() would say. */
static int compare(struct td_str name, const char *text)
{
	size_t len = strlen(text);
	int c = memcmp(name.p, text, TD_MIN(name.len, len));

	return c ? c : (name.len > len) - (name.len < len);
}

int td_strace_errno(struct td_str name)
{
	size_t lo = 0, hi = TD_ARRAY_SIZE(errors);
	struct td_scan s = td_scan_of(name.p, name.len);
	uint64_t number;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = compare(name, errors[mid].name);

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

int td_strace_signal(struct td_str name)
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
