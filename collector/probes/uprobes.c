/* SPDX-License-Identifier: MIT */
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "collector/probes/libraries.h"
#include "collector/probes/uprobes.h"
#include "collector/sets/provider.h"

#define VERSION_HIDDEN 0x8000 /* of .gnu.version: kept for old programs, elf.h does not name it */

struct td_library {
	dev_t device;
	ino_t inode;
	const struct td_functions *functions;
	uint64_t offsets
		[TD_UPROBE_FUNCTIONS_MAX]; /* of functions in the file; 0: it has it not, or under another name */
	char path[PATH_MAX];
};

/* --- where the functions are --- */

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

/* The section of that type, or NULL. */
static Elf_Scn *section_of_type(Elf *elf, uint32_t type, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, ret) && ret->sh_type == type)
			return section;
	return NULL;
}

static void note_symbol(struct td_library *library, Elf *elf, const GElf_Sym *symbol,
			const char *name)
{
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	GElf_Shdr header;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !section ||
	    !gelf_getshdr(section, &header))
		return;
	for (size_t i = 0; i < library->functions->n; i++)
		if (strcmp(name, library->functions->names[i]) == 0)
			library->offsets[i] = symbol->st_value - header.sh_addr + header.sh_offset;
}

/* One function under two names is hooked once. */
static void drop_aliases(struct td_library *library)
{
	for (size_t i = 0; i < library->functions->n; i++)
		for (size_t k = 0; k < i; k++)
			if (library->offsets[i] == library->offsets[k])
				library->offsets[i] = 0;
}

static void find_functions(struct td_library *library, Elf *elf)
{
	GElf_Shdr header, version_header;
	Elf_Scn *section = section_of_type(elf, SHT_DYNSYM, &header);
	Elf_Scn *versions = section_of_type(elf, SHT_GNU_versym, &version_header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	Elf_Data *version_data = versions ? elf_getdata(versions, NULL) : NULL;
	GElf_Versym version;
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		bool hidden = version_data && gelf_getversym(version_data, i, &version) &&
			      version & VERSION_HIDDEN;

		if (name && !hidden && symbol.st_shndx != SHN_UNDEF)
			note_symbol(library, elf, &symbol, name);
	}
	drop_aliases(library);
}

/* Does the kernel do without a single step what is there, as it does for push of any register
 * (arch/x86/kernel/uprobes.c)? */
static bool is_push(const uint8_t *code)
{
	return (code[0] & 0xf8) == 0x50 || (code[0] == 0x41 && (code[1] & 0xf8) == 0x50);
}

/*
 * Where indirect branches are checked (-fcf-protection) functions begin with endbr64, which the
 * kernel steps over with a second trap:
 * that takes longer than all the rest. Behind it nothing has changed but the program counter, and
 * nobody jumps there, so that arguments and the return address are where they were.
 */
static void skip_landing_pads(struct td_library *library, Elf *elf, int fd)
{
	static const uint8_t endbr64[4] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[sizeof(endbr64) + 2];
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
		return;
	for (size_t i = 0; i < library->functions->n; i++)
		if (library->offsets[i] &&
		    pread(fd, code, sizeof(code), (off_t)library->offsets[i]) == sizeof(code) &&
		    memcmp(code, endbr64, sizeof(endbr64)) == 0 && is_push(code + sizeof(endbr64)))
			library->offsets[i] += sizeof(endbr64);
}

static int read_library(struct td_library *library)
{
	_cleanup_close_ int fd = open(library->path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_endp) Elf *elf = NULL;

	if (fd < 0)
		return -errno;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOTSUP;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return -ENOEXEC;
	find_functions(library, elf);
	skip_landing_pads(library, elf, fd);
	return 0;
}

/* --- attaching --- */

/* How many functions, or -errno. */
static int attach_one(struct td_uprobes *u, const struct td_uprobe *p,
		      const struct td_library *library)
{
	int n = 0, r;

	if (library->functions != p->hook->functions)
		return 0;
	for (uint32_t i = p->hook->functions_from; i < p->hook->functions_to; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = i, .retprobe = p->at_return);
		struct bpf_link *link;

		if (!library->offsets[i] ||
		    (p->at_return && i < p->hook->counted_to && !u->times_counted))
			continue;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		r = td_grow(&u->links, &u->links_cap, u->nlinks);
		if (r < 0)
			return r;
		link = bpf_program__attach_uprobe_opts(p->prog, -1, library->path,
						       library->offsets[i], &opts);
		if (!link)
			return -errno;
		u->links[u->nlinks++] = link;
		n++;
	}
	return n;
}

static bool is_known(const struct td_uprobes *u, const struct stat *st)
{
	for (size_t i = 0; i < u->nlibraries; i++)
		if (u->libraries[i].device == st->st_dev && u->libraries[i].inode == st->st_ino)
			return true;
	return false;
}

/* A new one is attached to. 0 or -errno. */
static int add_library(struct td_uprobes *u, const struct td_functions *functions, const char *path)
{
	struct td_library *library;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return -errno;
	if (is_known(u, &st))
		return 0;
	r = td_grow(&u->libraries, &u->libraries_cap, u->nlibraries);
	if (r < 0)
		return r;
	library = &u->libraries[u->nlibraries];
	*library = (struct td_library){ .device = st.st_dev,
					.inode = st.st_ino,
					.functions = functions };
	(void)snprintf(library->path, sizeof(library->path), "%s", path);
	r = read_library(library);
	if (r < 0)
		return r;
	u->nlibraries++;
	for (size_t i = 0; r >= 0 && i < u->nprograms; i++)
		r = attach_one(u, &u->programs[i], library);
	return r < 0 ? r : 0;
}

/* --- finding libraries --- */

/* Those that any program is to be attached to; NULL: the file has none. */
static const struct td_functions *functions_in(const struct td_uprobes *u, struct td_str path)
{
	for (size_t i = 0; i < u->nwanted; i++)
		if (td_library_is(u->wanted[i], path.p, (int)path.len))
			return u->wanted[i];
	return NULL;
}

/* "7f5c1c228000-7f5c1c37d000 r-xp 00026000 fe:00 2887  /usr/lib/x86_64-linux-gnu/libc.so.6": the path, if there is code
 * in it; see proc_pid_maps(5). */
static bool scan_code(struct td_scan s, struct td_str *ret)
{
	struct td_str range, rights, offset, device, inode;

	if (!td_scan_token(&s, &range) || !td_scan_blanks(&s) || !td_scan_token(&s, &rights) ||
	    !td_scan_blanks(&s) || !td_scan_token(&s, &offset) || !td_scan_blanks(&s) ||
	    !td_scan_token(&s, &device) || !td_scan_blanks(&s) || !td_scan_token(&s, &inode))
		return false;
	td_scan_blanks(&s);
	*ret = td_scan_rest(&s);
	return ret->len && ret->p[0] == '/' && rights.len > 2 && rights.p[2] == 'x';
}

/* Attaches to what the process has. 0 or the error of the last one that could not be. */
static int add_libraries_of(struct td_uprobes *u, pid_t pid)
{
	char maps[64], path[PATH_MAX];
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int r = 0, failed = 0;

	(void)snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	f = fopen(maps, "re");
	if (!f)
		return -errno;
	while ((len = getline(&line, &cap, f)) > 0) {
		const struct td_functions *functions;
		struct td_str name;

		len -= line[len - 1] == '\n';
		functions = scan_code(td_scan_of(line, (size_t)len), &name) ? functions_in(u, name)
									    : NULL;
		if (!functions)
			continue;
		/* as the process sees it */
		(void)snprintf(path, sizeof(path), "/proc/%d/root%.*s", (int)pid, (int)name.len,
			       name.p);
		r = add_library(u, functions, path);
		if (r < 0)
			failed = r;
	}
	return failed;
}

void td_uprobes_process(struct td_uprobes *u, pid_t pid)
{
	if (u->nprograms)
		(void)add_libraries_of(u, pid);
}

void td_uprobes_all_processes(struct td_uprobes *u)
{
	DIR *d = u->nprograms ? opendir("/proc") : NULL;
	struct dirent *e;
	uint64_t pid;

	while (d && (e = readdir(d))) {
		struct td_scan s = td_scan_of(e->d_name, strlen(e->d_name));

		if (td_scan_u64(&s, &pid) && td_scan_done(&s) && pid <= INT_MAX)
			(void)add_libraries_of(u, (pid_t)pid);
	}
	if (d)
		closedir(d);
}

/* --- programs --- */

static bool is_in(const struct bpf_program *prog, const char *section)
{
	return strcmp(bpf_program__section_name(prog), section) == 0;
}

bool td_uprobes_takes(const struct bpf_program *prog)
{
	return is_in(prog, "uprobe") || is_in(prog, "uretprobe");
}

struct adding {
	struct td_uprobes *u;
	const struct td_functions *functions;
};

/* What cannot be read or attached to does not keep us from the others. */
static int add_found(void *arg, const char *path)
{
	const struct adding *a = arg;

	(void)add_library(a->u, a->functions, path);
	return 0;
}

/* The libraries with these functions, as far as they are known already. 0 or -errno. */
static int want(struct td_uprobes *u, const struct td_functions *functions)
{
	struct adding a = { u, functions };

	for (size_t i = 0; i < u->nwanted; i++)
		if (u->wanted[i] == functions)
			return 0;
	if (u->nwanted == TD_ARRAY_SIZE(u->wanted) || functions->n > TD_UPROBE_FUNCTIONS_MAX)
		return -E2BIG;
	u->wanted[u->nwanted++] = functions;
	if (functions->found_later)
		return td_libraries_find(functions, add_found, &a);
	/* this program has the one that others have, too */
	return add_libraries_of(u, getpid());
}

static bool has_library(const struct td_uprobes *u, const struct td_functions *functions)
{
	for (size_t i = 0; i < u->nlibraries; i++)
		if (u->libraries[i].functions == functions)
			return true;
	return false;
}

int td_uprobes_add(struct td_uprobes *u, const struct bpf_program *prog, const struct td_hook *hook)
{
	struct td_uprobe p = { prog, hook, .at_return = is_in(prog, "uretprobe") };
	int n = 0, r;

	if (u->nprograms == TD_ARRAY_SIZE(u->programs))
		return -E2BIG;
	r = want(u, hook->functions);
	if (r < 0)
		return r;
	if (!has_library(u, hook->functions) && !hook->functions->found_later)
		return -ELIBACC;
	for (size_t i = 0; r >= 0 && i < u->nlibraries; i++) {
		r = attach_one(u, &p, &u->libraries[i]);
		n += r;
	}
	if (r < 0)
		return r;
	if (!n && !hook->functions->found_later)
		return -ENOSYS;
	u->programs[u->nprograms++] = p;
	return 0;
}

bool td_uprobes_missed(struct td_uprobes *u, const char *path, size_t len, uint64_t inode)
{
	const struct td_functions *functions = functions_in(u, (struct td_str){ path, len });

	if (!functions || !functions->found_later || u->nmissed == TD_ARRAY_SIZE(u->missed))
		return false;
	for (size_t i = 0; i < u->nlibraries; i++)
		if (u->libraries[i].inode == inode)
			return false;
	for (size_t i = 0; i < u->nmissed; i++)
		if (u->missed[i] == inode)
			return false;
	u->missed[u->nmissed++] = inode;
	return true;
}

void td_uprobes_done(struct td_uprobes *u)
{
	while (u->nlinks)
		bpf_link__destroy(u->links[--u->nlinks]);
	free(u->links);
	free(u->libraries);
	*u = (struct td_uprobes){ .times_counted = u->times_counted };
}
