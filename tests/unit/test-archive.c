/* SPDX-License-Identifier: MIT */
/* Archives made by GNU tar and Python's zipfile, and by libarchive where no tool would make such ones. */
#include "common/libarchive.h" /* first, as the header of the library uses what is banned here */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/archive.h"
#include "common/stream.h"
#include "common/strbuf.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"

static char dir[] = "/tmp/td-test-archive-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* In the folder of the test. false: the tool is not there. */
static bool run(const char *command)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addf(&b, "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(td_strbuf_str(&b)) == 0;
}

/* "name size 'text'\n" per file, the text up to 20 bytes, and what ended it. */
static int add_files(struct td_strbuf *b, struct td_archive *a, struct td_err *err)
{
	const char *name;
	int r;

	while ((r = td_archive_next(a, &name, err)) > 0) {
		_cleanup_close_ int fd = memfd_create("member", MFD_CLOEXEC);
		char text[21] = "";
		struct stat st;

		r = td_archive_unpack(a, fd, NULL, 0, err);
		TD_CHECK(fstat(fd, &st) == 0 && pread(fd, text, sizeof(text) - 1, 0) >= 0);
		if (r < 0 && r != -ENOTSUP)
			break;
		td_strbuf_addf(b, "%s %lld '%s'", name, (long long)st.st_size, text);
		td_strbuf_addf(b, "%s%s\n", r ? ": " : "", r ? err->msg : "");
	}
	return r;
}

static void add_all(struct td_strbuf *b, const char *path, const struct td_archive_limits *limits)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_archive_closep) struct td_archive *a = NULL;
	struct td_err err = { "" };
	int r;

	TD_CHECK_INT(td_stream_open(path, &in, &err), 0);
	r = td_archive_open(in, limits, &a, &err);
	if (r == 0)
		r = add_files(b, a, &err);
	if (a && td_archive_left_out(a))
		td_strbuf_addf(b, "left out: %u\n", td_archive_left_out(a));
	if (r < 0)
		td_strbuf_addf(b, "%s: %s\n", strerrorname_np(-r), err.msg);
	if (a && r < 0) /* and so it stays */
		TD_CHECK_INT(td_archive_next(a, &(const char *){ NULL }, &err), r);
}

static void check_all(const char *name, const struct td_archive_limits *limits, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	TD_CASE(name);
	add_all(&got, in_dir(name), limits);
	TD_CHECK_STR(td_strbuf_str(&got), want);
}

static void test_tools(void)
{
	static const char files[] = "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n";
	static const char with_links[] = "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n"
					 "left out: 4\n"; /* .git/x, fifo, link, z-hard */

	TD_CHECK(run("mkdir -p run1/sub run1/.git && printf 'text a' >run1/a.out && "
		     "printf 'text b' >'run1/sub/b c.out' && printf x >run1/.git/x && "
		     "ln -s a.out run1/link && ln run1/a.out run1/z-hard && mkfifo run1/fifo"));
	TD_CHECK(run("tar --sort=name -cf plain.tar run1 && gzip -k plain.tar"));
	check_all("plain.tar", NULL, with_links);
	check_all("plain.tar.gz", NULL, with_links);
	TD_CHECK(run("tar --sort=name --format=v7 --exclude=fifo --exclude=.git --exclude=link "
		     "--exclude=z-hard -cf v7.tar ./run1"));
	check_all("v7.tar", NULL, files);
	TD_CHECK(run("cat v7.tar v7.tar >two.tar"));
	check_all("two.tar", NULL,
		  "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n"
		  "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n");
}

/* z: a Python program that writes the open ZipFile z. */
static bool make_zip(const char *name, const char *z)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_addf(&b,
		       "python3 -c \"import zipfile\nwith zipfile.ZipFile('%s', 'w') as z: %s\"",
		       name, z);
	return run(td_strbuf_str(&b));
}

static void test_zip(void)
{
	TD_CHECK(make_zip("x.zip",
			  "[z.write(n, compress_type=t) for n, t in "
			  "(('run1/sub/b c.out', 0), ('run1/a.out', 8), ('run1/sub', 0))]"));
	check_all("x.zip", NULL, "run1/sub/b c.out 6 'text b'\nrun1/a.out 6 'text a'\n");
	/* a wrong byte in the stored file: its check sum tells, and the next one is good */
	TD_CHECK(run("sed 's/text b/text c/' x.zip >crc.zip"));
	/* CRC-32 of the two texts, as Python's zlib.crc32() has them */
	check_all("crc.zip", NULL,
		  "run1/sub/b c.out 6 'text c': ZIP bad CRC: 0xccef4af6 should be 0xbbe87a60\n"
		  "run1/a.out 6 'text a'\n");
	/* bit 0 of the flags, at 6 of the header: encrypted; a text as long as the key's 12 bytes */
	TD_CHECK(make_zip("y.zip", "z.writestr('secret', 'x' * 12); z.write('run1/a.out')"));
	TD_CHECK(run("{ head -c 6 y.zip; printf '\\001'; tail -c +8 y.zip; } >encrypted.zip"));
	check_all("encrypted.zip", NULL,
		  "secret 0 '': encrypted: unpack it and import the folder\n"
		  "run1/a.out 6 'text a'\n");
	/* the method, at 8: 6 is one of PKZIP 1 */
	TD_CHECK(run("{ head -c 8 y.zip; printf '\\006'; tail -c +10 y.zip; } >method.zip"));
	check_all("method.zip", NULL,
		  "secret 0 '': Unsupported ZIP compression method (6: imploded)\n"
		  "run1/a.out 6 'text a'\n");
	TD_CHECK(make_zip("empty.zip", "pass"));
	check_all("empty.zip", NULL, "");
}

/* What is no archive, and what is one too often. Not every system has the programs xz and bzip2. */
static void test_others(void)
{
	char twice[128];
	struct stat st = { 0 }; /* how far times of files can be packed differs */

	TD_CHECK(run(
		"for m in lzma bz2; do "
		"printf 'import %s, sys\\nsys.stdout.buffer.write(%s.compress(open("
		"sys.argv[1], \"rb\").read()))\\n' $m $m >to-$m.py; done; "
		"python3 to-lzma.py v7.tar >v7.tar.xz && python3 to-bz2.py v7.tar >v7.tar.bz2 && "
		"python3 to-lzma.py v7.tar.xz >twice.xz"));
	check_all("v7.tar.xz", NULL, "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n");
	check_all("v7.tar.bz2", NULL, "run1/a.out 6 'text a'\nrun1/sub/b c.out 6 'text b'\n");
	TD_CHECK_INT(stat(in_dir("twice.xz"), &st), 0);
	(void)snprintf(twice, sizeof(twice),
		       "EBADMSG: truncated or corrupt xz data after %lld bytes (compressed over "
		       "and over)\n",
		       (long long)st.st_size);
	check_all("twice.xz", NULL, twice);
}

struct made {
	const char *name;
	size_t zeros; /* bytes; 0: the text is its name */
};

static void make(const char *name, const struct made *files, size_t n, bool zstd)
{
	struct archive *ar = archive_write_new();
	static char zeros[1 << 20];

	TD_CHECK_INT(archive_write_set_format_pax_restricted(ar), ARCHIVE_OK);
	if (zstd)
		TD_CHECK_INT(archive_write_add_filter_zstd(ar), ARCHIVE_OK);
	TD_CHECK_INT(archive_write_open_filename(ar, in_dir(name)), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++) {
		struct archive_entry *e = archive_entry_new();
		size_t len = files[i].zeros ? files[i].zeros : strlen(files[i].name);

		archive_entry_set_pathname(e, files[i].name);
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_size(e, (la_int64_t)len);
		TD_CHECK_INT(archive_write_header(ar, e), ARCHIVE_OK);
		for (size_t done = 0; files[i].zeros && done < len; done += sizeof(zeros))
			TD_CHECK(archive_write_data(ar, zeros, sizeof(zeros)) > 0);
		if (!files[i].zeros)
			TD_CHECK_INT(archive_write_data(ar, files[i].name, len), len);
		archive_entry_free(e);
	}
	TD_CHECK_INT(archive_write_free(ar), ARCHIVE_OK);
}

/* No name of the archive is one on the disk, but they should not look like one either. */
static void test_names(void)
{
	static const struct made files[] = {
		{ "../../etc/passwd", 0 },
		{ "/abs//x", 0 },
		{ "a/../b/./c", 0 },
		{ "a\nb", 0 },
		{ "..", 0 },
	};

	make("names.tar.zst", files, 5, true);
	check_all("names.tar.zst", NULL,
		  "etc/passwd 16 '../../etc/passwd'\nabs/x 7 '/abs//x'\na/b/c 10 'a/../b/./c'\n"
		  "a?b 3 'a\nb'\n(unnamed) 2 '..'\n");
	TD_CHECK(access("/tmp/etc/passwd", F_OK) != 0);
}

/* Whatever the locale of the program; what is no UTF-8 is replaced. */
static void test_utf8_names(void)
{
	TD_CHECK(run("python3 -c \"import tarfile, zipfile, io\n"
		     "for f in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):\n"
		     "  with tarfile.open('utf8-%d.tar' % f, 'w', format=f) as t:\n"
		     "    t.addfile(tarfile.TarInfo('l\u00e4ufe/\u00fc.out'))\n"
		     "with zipfile.ZipFile('utf8.zip', 'w') as z:\n"
		     "  z.writestr('l\u00e4ufe/\u00fc.out', '')\n\""));
	check_all("utf8-1.tar", NULL, "l\u00e4ufe/\u00fc.out 0 ''\n");
	check_all("utf8-2.tar", NULL, "l\u00e4ufe/\u00fc.out 0 ''\n");
	check_all("utf8.zip", NULL, "l\u00e4ufe/\u00fc.out 0 ''\n");
}

static void check_refused(const char *name, const struct td_archive_limits *limits,
			  const char *before, const char *why)
{
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT;

	td_strbuf_addf(&want,
		       "%sE2BIG: refused: %s; if you trust it, unpack it and import the folder\n",
		       before, why);
	check_all(name, limits, td_strbuf_str(&want));
}

static void test_limits(void)
{
	static const struct made bomb[] = { { "small", 0 }, { "zeros", 8 << 20 } };
	static const struct made hidden[] = { { ".zeros", 8 << 20 } };
	static const struct made deep[] = { { "a/b/c/d", 0 }, { "e", 0 } };
	struct td_archive_limits l = td_archive_default_limits;

	make("bomb.tar.zst", bomb, 2, true);
	make("hidden.tar.zst", hidden, 1, true);
	make("deep.tar", deep, 2, false);
	check_all("bomb.tar.zst", NULL, "small 5 'small'\nzeros 8388608 ''\n");
	l.free_bytes = 1 << 20;
	l.ratio = 100;
	check_refused("bomb.tar.zst", &l, "small 5 'small'\n",
		      "more than 100 times its size when it is unpacked");
	check_refused("hidden.tar.zst", &l, "left out: 1\n",
		      "more than 100 times its size when it is unpacked");
	l = td_archive_default_limits;
	l.total_bytes = 1000000;
	check_refused("bomb.tar.zst", &l, "small 5 'small'\n",
		      "more than 1000000 bytes when it is unpacked");
	l = td_archive_default_limits;
	l.depth = 2;
	check_refused("deep.tar", &l, "", "folders more than 2 deep");
	l = td_archive_default_limits;
	l.name_len = 6;
	check_refused("deep.tar", &l, "", "a name of more than 6 bytes");
	l = td_archive_default_limits;
	l.members = 1;
	check_refused("deep.tar", &l, "a/b/c/d 7 'a/b/c/d'\n", "more than 1 members");
}

/* A file of 1 GiB less one byte that is all hole, in 10 KiB of tar. */
static void test_sparse(void)
{
	struct td_archive_limits l = td_archive_default_limits;

	TD_CHECK(run("truncate -s 1073741823 hole && tar --sparse -cf hole.tar hole"));
	check_refused("hole.tar", &l, "", "more than 500 times its size when it is unpacked");
	l.ratio = 1000000;
	check_all("hole.tar", &l, "hole 1073741823 ''\n");
}

/* A tar has 512 bytes of header per file: the first file is in the bytes up to 1024, the second one begins
 * at 1024 and has its data from 1536 on. */
static void test_cut(void)
{
	static const struct made files[] = { { "a", 0 }, { "b", 1 << 20 }, { "c", 0 } };

	make("whole.tar", files, 3, false);
	TD_CHECK(run(
		"head -c 2000 whole.tar >in-data.tar; head -c 1200 whole.tar >in-header.tar; "
		"head -c 1024 whole.tar >between.tar; "
		"gzip -n <whole.tar | head -c 300 >cut.tar.gz; gzip -n <between.tar >between.tgz"));
	check_all("in-data.tar", NULL,
		  "a 1 'a'\nb 464 '': cut or damaged (Truncated tar archive)\nEBADMSG: cut or "
		  "damaged (Truncated tar archive)\n");
	check_all("in-header.tar", NULL,
		  "a 1 'a'\nEBADMSG: cut or damaged (Truncated tar archive), behind 'a'\n");
	check_all("between.tar", NULL,
		  "a 1 'a'\nEBADMSG: cut, or without an end-of-archive mark, behind 'a'\n");
	check_all("between.tgz", NULL,
		  "a 1 'a'\nEBADMSG: cut, or without an end-of-archive mark, behind 'a'\n");
}

/* The size of b is what could be unpacked. */
static void check_cut(const char *name, const char *why)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT, want = TD_STRBUF_INIT;
	long long size = 0;
	const char *b;

	TD_CASE(name);
	add_all(&got, in_dir(name), NULL);
	b = strstr(td_strbuf_str(&got), "\nb ");
	if (b)
		size = strtoll(b + 3, NULL, 10);
	TD_CHECK(size > 0 && size < 1 << 20);
	td_strbuf_addf(&want, "a 1 'a'\nb %lld '': %s\nEBADMSG: %s\n", size, why, why);
	TD_CHECK_STR(td_strbuf_str(&got), td_strbuf_str(&want));
}

static void test_cut_compressed(void)
{
	TD_CHECK(run("python3 to-lzma.py whole.tar | head -c 240 >cut.tar.xz"));
	check_cut("cut.tar.gz", "truncated gzip data after 300 bytes");
	check_cut("cut.tar.xz",
		  "truncated or corrupt xz data after 240 bytes (and up to 64 KiB of text "
		  "before that)");
}

/* The names of the members whose text is whole, and how it ended. */
static int whole_members(const char *text, size_t len, char *ret)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_archive_closep) struct td_archive *a = NULL;
	struct td_err err;
	const char *name;
	int r;

	TD_CHECK_INT(td_stream_open_mem(text, len, &in), 0);
	r = td_archive_open(in, NULL, &a, &err);
	while (r == 0 && (r = td_archive_next(a, &name, &err)) > 0) {
		_cleanup_close_ int fd = memfd_create("member", MFD_CLOEXEC);
		char c = '\0';

		(void)td_archive_unpack(a, fd, NULL, 0, &err);
		if (pread(fd, &c, 1, 0) == 1 && c == name[0])
			*ret++ = c;
		r = 0;
	}
	*ret = '\0';
	return r;
}

/* Members of one byte each: header at 1024 * i, the byte 512 behind it, the end-of-archive mark at 3072. */
static void test_every_cut(void)
{
	static const struct made files[] = { { "a", 0 }, { "b", 0 }, { "c", 0 } };
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	make("abc.tar", files, 3, false);
	text = td_read_whole(in_dir("abc.tar"), &len);
	TD_CASE("every cut");
	TD_CHECK_INT(len, 4096);
	for (size_t cut = 0; text && cut <= len; cut++) {
		char want[4] = "abc", got[4];
		int r = whole_members(text, cut, got);

		want[cut < 513 ? 0 : TD_MIN((cut - 513) / 1024 + 1, 3)] = '\0';
		TD_CHECK_STR(got, want);
		TD_CHECK_INT(r, cut < 3072 + 512 ? -EBADMSG : cut % 512 ? -EBADMSG : 0);
	}
}

/* A header that is damaged costs its file, not those behind it: the second header is at 1024. */
static void test_damaged(void)
{
	static const struct made files[] = { { "a", 0 }, { "b", 0 }, { "c", 0 } };

	make("three.tar", files, 3, false);
	TD_CHECK(
		run("{ head -c 1030 three.tar; printf X; tail -c +1032 three.tar; } >damaged.tar"));
	check_all("damaged.tar", NULL,
		  "a 1 'a'\nc 1 'c'\nEBADMSG: Damaged tar archive, behind 'a'\n");
}

static void test_is(void)
{
	static const char *const archives[] = { "plain.tar", "v7.tar", "x.zip", "deep.tar" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(archives); i++) {
		size_t len = 0;
		_cleanup_free_ char *text = td_read_whole(in_dir(archives[i]), &len);

		TD_CASE(archives[i]);
		TD_CHECK(text && td_archive_is(text, len));
		TD_CHECK(text && !td_archive_is(text, 3));
		if (text && len > 512)
			text[200] ^= 1;
		TD_CHECK(text && (td_archive_is(text, len) == (text[0] == 'P')));
	}
	TD_CASE("text");
	TD_CHECK(!td_archive_is("TIMESTAMP PID", 13));
	TD_CHECK(!td_archive_is((const char[1024]){ 0 }, 1024));
}

static void test_suffix(void)
{
	TD_CASE("suffix");
	TD_CHECK_INT(td_archive_suffix("a/run1.tar.gz"), 7);
	TD_CHECK_INT(td_archive_suffix("run1.TGZ"), 4);
	TD_CHECK_INT(td_archive_suffix("run1.tar.gz.out"), 0);
	TD_CHECK_INT(td_archive_suffix("x.npz"), 0);
	TD_CHECK_INT(td_archive_suffix("tar"), 0);
}

int main(void)
{
	if (!td_libarchive_load() || !mkdtemp(dir))
		return 1;
	test_tools();
	test_zip();
	test_others();
	test_names();
	test_utf8_names();
	test_limits();
	test_sparse();
	test_cut();
	test_cut_compressed();
	test_every_cut();
	test_damaged();
	test_is();
	test_suffix();
	TD_CHECK(run("rm -r -- *"));
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
