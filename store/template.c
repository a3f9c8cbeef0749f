/* SPDX-License-Identifier: MIT */
/*
 * What is random in a name. A program that makes up names takes letters, too, of which a word could
 * be made: each rule asks for something that names given by people do not have. What is missed
 * costs a row in a table, what is taken wrongly puts unlike files into one.
 */
#include "common/cleanup.h"
#include "store/template.h"

enum kind { OTHER, LOWER, UPPER, DIGIT };

/* Names are gone through several times, byte by byte. */
static const uint8_t kinds[256] = {
	['a' ... 'z'] = LOWER,
	['A' ... 'Z'] = UPPER,
	['0' ... '9'] = DIGIT,
};

static enum kind kind_of(char c)
{
	return kinds[(unsigned char)c];
}

static bool is_letter(char c)
{
	return kind_of(c) == LOWER || kind_of(c) == UPPER;
}

static bool is_alnum(char c)
{
	return kind_of(c) != OTHER;
}

/* Could what stands before or behind c belong to one word with it? The braces are those of a template. */
static bool is_in_word(char c)
{
	return is_alnum(c) || c == '_' || c == '{' || c == '}' || (unsigned char)c >= 0x80;
}

/* --- what is random? --- */

/* A digit, and a letter somewhere behind it: numbers that people give stand at the end. */
static bool has_digit_inside(struct td_str s)
{
	bool digit = false;

	for (size_t i = 0; i < s.len; i++) {
		if (digit && is_letter(s.p[i]))
			return true;
		digit |= td_is_digit(s.p[i]);
	}
	return false;
}

/* The most letters in a row of which none is a vowel; 'y' counts as one. */
static size_t longest_consonants(struct td_str s)
{
	size_t longest = 0, n = 0;

	for (size_t i = 0; i < s.len; i++) {
		n = kind_of(s.p[i]) == LOWER && !strchr("aeiouy", s.p[i]) ? n + 1 : 0;
		longest = TD_MAX(longest, n);
	}
	return longest;
}

/* How often letters change between small and large; that of a capital at the begin does not count. */
static size_t case_changes(struct td_str s)
{
	size_t n = 0;

	for (size_t i = 2; i < s.len; i++)
		n += is_letter(s.p[i]) && is_letter(s.p[i - 1]) &&
		     kind_of(s.p[i]) != kind_of(s.p[i - 1]);
	return n + (s.len > 1 && kind_of(s.p[0]) == LOWER && kind_of(s.p[1]) == UPPER);
}

/* Letters and digits as of mkstemp(): not a word, of one case or with a capital, and a number. 1 of
 * 60 random names is like one. */
static bool is_mixed(struct td_str s)
{
	return has_digit_inside(s) || case_changes(s) > 0;
}

/* The same where people give names, too: nor one made of words (OpenCV, myRun). 1 of 5 is like one. */
static bool is_well_mixed(struct td_str s)
{
	return has_digit_inside(s) || case_changes(s) > 2;
}

/* Small letters, digits and '_' as of Python's tempfile: not words and a number. 1 of 20 is like that. */
static bool is_scrambled(struct td_str s)
{
	return has_digit_inside(s) || longest_consonants(s) >= 4;
}

/* Any. */
static bool is_any(struct td_str s)
{
	return s.len > 0;
}

static bool is_hex(char c)
{
	return td_is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_python(char c)
{
	return td_is_digit(c) || kind_of(c) == LOWER || c == '_';
}

/* --- names that programs make up --- */

/* What stands for random characters in a pattern. */
static const struct {
	char letter;
	size_t len;
	bool (*has)(char c);
	bool (*is_random)(struct td_str s);
} classes[] = {
	{ 'h', 8, is_hex, is_any }, /* Python's secrets.token_hex(4) */
	{ 'm', 6, is_alnum, is_mixed }, /* the XXXXXX of mkstemp(3), mkdtemp(3) */
	{ 'M', 10, is_alnum, is_mixed }, /* the XXXXXXXXXX of mktemp(1) and of Perl's File::Temp */
	{ 'p', 8, is_python,
	  is_any }, /* _RandomNameSequence of Python's tempfile, where the rest is clear */
	{ 'P', 8, is_python, is_scrambled }, /* the same where it is not */
};

/* Directories in which programs put files without names of their own. */
enum place { ANYWHERE, TMP, SHM };

static const struct {
	const char *path;
	enum place place;
} places[] = {
	{ "/tmp/", TMP },
	{ "/var/tmp/", TMP },
	{ "/dev/shm/", SHM },
};

/* Names, or their beginnings, by who makes them. '<': from here on it is {}. %d is a number, the
 * others are the classes above. */
static const struct {
	const char *pattern;
	enum place place; /* only there */
} known[] = {
	/* glibc's sem_open() makes sem.XXXXXX, before 2.35 XXXXXX, which it links to sem.NAME. NAME
	 * is mp-... in Python's multiprocessing (SemLock._make_name), loky-PID-... in joblib's
	 * loky. */
	{ "sem.<%m", ANYWHERE },
	{ "sem.<mp-%p", ANYWHERE },
	{ "sem.<loky-%d-%p", ANYWHERE },
	{ "<%m", SHM },
	/* Python: multiprocessing.shared_memory, .heap, .util.get_temp_dir(), .connection, and tempfile */
	{ "psm_<%h", ANYWHERE },
	{ "pym-<%d-%p", ANYWHERE },
	{ "pymp-<%p", ANYWHERE },
	{ "listener-<%P", ANYWHERE },
	{ "tmp<%P", ANYWHERE },
	/* PyTorch: at::NewProcessWideShmHandle() (process, random number, count; the count since
	 * 1.13), torch_shm_manager */
	{ "torch_<%d_%d_%d", ANYWHERE },
	{ "torch_<%d_%d", ANYWHERE },
	{ "torch-shm-dir-<%m", ANYWHERE },
	{ "torch-shm-file-<%m", ANYWHERE },
	/* NCCL's shared memory (ncclShmOpen()) and that of Ray's object store */
	{ "nccl-<%m", ANYWHERE },
	{ "plasma<%m", SHM },
	/* mktemp(1), and what GCC gives to its passes */
	{ "tmp.<%M", ANYWHERE },
	{ "cc<%m", TMP },
};

/* Takes what stands for the letter behind a '%' off the text. */
static bool take_class(char letter, struct td_str *text)
{
	size_t n = 0;

	if (letter == 'd') {
		while (n < text->len && td_is_digit(text->p[n]))
			n++;
		*text = (struct td_str){ text->p + n, text->len - n };
		return n > 0;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(classes); i++) {
		if (classes[i].letter != letter || text->len < classes[i].len)
			continue;
		while (n < classes[i].len && classes[i].has(text->p[n]))
			n++;
		if (n < classes[i].len || !classes[i].is_random((struct td_str){ text->p, n }))
			return false;
		*text = (struct td_str){ text->p + n, text->len - n };
		return true;
	}
	return false;
}

/* Does the name begin with the pattern, as a whole word? Then *ret is the part that is random. */
static bool match(const char *pattern, struct td_str name, struct td_str *ret)
{
	struct td_str rest = name;

	*ret = name;
	for (const char *c = pattern; *c; c++) {
		if (*c == '<') {
			ret->p = rest.p;
		} else if (*c == '%') {
			if (!take_class(*++c, &rest))
				return false;
		} else if (rest.len && *rest.p == *c) {
			rest = (struct td_str){ rest.p + 1, rest.len - 1 };
		} else {
			return false;
		}
	}
	ret->len = (size_t)(rest.p - ret->p);
	return !rest.len || !is_in_word(*rest.p);
}

/* Does it end, behind a separator, in something random? Then *ret is that. */
static bool ends_randomly(struct td_str name, struct td_str *ret)
{
	static const struct {
		size_t len;
		bool (*is_random)(struct td_str s);
	} ends[] = {
		{ 6, is_well_mixed }, /* mkstemp(3) */
		{ 8, has_digit_inside }, /* Python's tempfile, but for those with a '_' */
		{ 10, is_well_mixed }, /* mktemp(1) */
	};
	size_t at = name.len;

	while (at && is_alnum(name.p[at - 1]))
		at--;
	*ret = (struct td_str){ name.p + at, name.len - at };
	if (!at || (name.p[at - 1] != '-' && name.p[at - 1] != '_' && name.p[at - 1] != '.'))
		return false;
	for (size_t i = 0; i < TD_ARRAY_SIZE(ends); i++)
		if (ret->len == ends[i].len)
			return ends[i].is_random(*ret);
	return false;
}

/* A name whose prefix we do not know, where such names are: foo-XXXXXX, foo_xxxxxxxx.json, .foo.XXXXXX (deleted). */
static bool match_end(struct td_str name, struct td_str *ret)
{
	const char *blank = td_str_find(name, " "), *dot;

	if (blank)
		name.len = (size_t)(blank - name.p);
	if (ends_randomly(name, ret))
		return true;
	dot = td_str_rchr(name, '.');
	return dot && ends_randomly((struct td_str){ name.p, (size_t)(dot - name.p) }, ret);
}

/* Of a million names hardly one begins so. */
static bool may_match(const char *pattern, struct td_str name)
{
	return *pattern == '<' || (name.len && *name.p == *pattern);
}

static bool find_random(struct td_str name, enum place place, struct td_str *ret)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++)
		if (may_match(known[i].pattern, name) &&
		    (known[i].place == ANYWHERE || known[i].place == place) &&
		    match(known[i].pattern, name, ret))
			return true;
	return place != ANYWHERE && match_end(name, ret);
}

/* --- what stands for itself --- */

static size_t word_length(struct td_str s)
{
	size_t n = 0;

	while (n < s.len && is_alnum(s.p[n]))
		n++;
	return n;
}

/* Digits of hexadecimal numbers, all in small letters or all in capitals? */
static bool is_hex_number(struct td_str s)
{
	bool small = true, large = true;

	for (size_t i = 0; i < s.len; i++) {
		small &= is_hex(s.p[i]);
		large &= td_is_digit(s.p[i]) || (s.p[i] >= 'A' && s.p[i] <= 'F');
	}
	return small || large;
}

/* RFC 9562: 8-4-4-4-12 digits. Returns the length, 0: there is none. word: the length of the first word. */
static size_t uuid_length(struct td_str s, size_t word)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	size_t at = 0;
	bool digit = false;

	if (word != groups[0])
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(groups); i++) {
		struct td_str rest = { s.p + at, s.len - at };
		size_t n = word_length(rest);

		if (n != groups[i] || !is_hex_number((struct td_str){ rest.p, n }))
			return 0;
		for (size_t k = 0; k < n; k++)
			digit |= td_is_digit(rest.p[k]);
		at += n;
		if (i + 1 < TD_ARRAY_SIZE(groups) && (at == s.len || s.p[at++] != '-'))
			return 0;
	}
	return digit ? at : 0;
}

/* How often digits and letters take turns. */
static size_t turns(struct td_str s)
{
	size_t n = 0;

	for (size_t i = 1; i < s.len; i++)
		n += td_is_digit(s.p[i]) != td_is_digit(s.p[i - 1]);
	return n;
}

/* A whole word: 8 or more digits of a hexadecimal number (CRC-32 to SHA-512), or of base 32, 36 or
 * 62 as caches of compilers take them for their keys. One in thousands of such has fewer turns. */
static bool is_hash(struct td_str word)
{
	return word.len >= 8 && turns(word) >= (is_hex_number(word) ? 2 : 6) &&
	       (word.len >= 26 || is_hex_number(word));
}

/* --- templates --- */

struct out {
	char *p;
	size_t n;
};

static void put(struct out *out, const char *p, size_t n)
{
	if (n)
		memcpy(out->p + out->n, p, n);
	out->n += n;
}

static void put_hole(struct out *out)
{
	put(out, "{}", 2);
}

static void put_numbers(struct out *out, struct td_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!td_is_digit(s.p[i]))
			put(out, s.p + i, 1);
		else if (i == 0 || !td_is_digit(s.p[i - 1]))
			put_hole(out);
	}
}

/* Word by word, and what is between them as it is. */
static void put_words(struct out *out, struct td_str s)
{
	while (s.len) {
		size_t word = word_length(s), n = word ? uuid_length(s, word) : 1;

		if (n > 1 || (word && is_hash((struct td_str){ s.p, word })))
			put_hole(out);
		else
			put_numbers(out, (struct td_str){ s.p, word ? word : 1 });
		n = n ? n : word;
		s = (struct td_str){ s.p + n, s.len - n };
	}
}

/* name: of a file or a directory. */
static void put_name(struct out *out, struct td_str name, enum place place)
{
	struct td_str random;
	const char *end;

	if (!find_random(name, place, &random)) {
		put_words(out, name);
		return;
	}
	end = random.p + random.len;
	put_words(out, (struct td_str){ name.p, (size_t)(random.p - name.p) });
	put_hole(out);
	put_words(out, (struct td_str){ end, (size_t)(name.p + name.len - end) });
}

static enum place place_of(struct td_str directory)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		if (td_str_eq(directory, places[i].path))
			return places[i].place;
	return ANYWHERE;
}

size_t td_template_of(struct td_str text, char *out)
{
	struct out o = { .p = out };
	size_t at = 0;

	while (at < text.len) {
		const char *slash = memchr(text.p + at, '/', text.len - at);
		size_t end = slash ? (size_t)(slash - text.p) : text.len;

		put_name(&o, (struct td_str){ text.p + at, end - at },
			 place_of((struct td_str){ text.p, at }));
		if (slash)
			put(&o, slash, 1);
		at = end + (slash != NULL);
	}
	return o.n;
}

/* Where eight characters differ, are there digits in both? */
static bool same_but_digits(const char *a, const char *b)
{
	uint64_t x = td_digits_at(a), y = td_digits_at(b), differ = x ^ y;
	uint64_t others = td_digits_all_others(x) | td_digits_all_others(y);

	/* bit 7 of each byte that is not 0 */
	differ |= (differ & TD_BYTES(0x7f)) + TD_BYTES(0x7f);
	return !(differ & others);
}

bool td_template_is_same(struct td_str a, struct td_str b)
{
	char tail_a[8] = { 0 }, tail_b[8] = { 0 };
	size_t i = 0;

	if (a.len != b.len)
		return false;
	for (; i + 8 <= a.len; i += 8)
		if (!same_but_digits(a.p + i, b.p + i))
			return false;
	if (a.len >= 8)
		return same_but_digits(a.p + a.len - 8, b.p + b.len - 8);
	memcpy(tail_a, a.p, a.len);
	memcpy(tail_b, b.p, b.len);
	return same_but_digits(tail_a, tail_b);
}
