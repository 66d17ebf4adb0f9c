// SPDX-License-Identifier: BSD-2-Clause
/* The tool's reading of lines and words: quoting, continuation, numbers, abbreviations, what may be a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <mlx5_offload/error.h>

#include "tools/line.h"
#include "tools/words.h"

/* The library has no part in this. */
const struct mlxo_error *mlxo_error_last(void)
{
	static const struct mlxo_error none;

	return &none;
}

static struct line_reader *reader(const char *text, size_t len)
{
	struct line_reader *r;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], text, len), (ssize_t)len);
	close(fd[1]);
	r = line_reader_create(fd[0], NULL, NULL);
	assert_non_null(r);
	return r; /* the descriptor goes with the process */
}

static void expect(struct line_reader *r, unsigned int number, const char *const *words)
{
	struct problem p;
	struct line line;

	assert_int_equal(line_reader_next(r, &line, &p), 1);
	assert_int_equal(line.number, number);
	for (int i = 0; i < line.n; i++) {
		assert_non_null(words[i]);
		assert_string_equal(line.word[i], words[i]);
	}
	assert_null(words[line.n]);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void lines_split_as_a_shell_does(void **state)
{
	static const char text[] = "# comment with 'quote\n"
				   "\n"
				   "show-sa\tsrc  1.2.3.4 # behind\n"
				   "aead 'rfc4106(gcm(aes))' \\\n"
				   "   128 \\\n"
				   "last\r\n"
				   "a\"b c\"d 'x\\y' \"q\\\"q\\\\\" e\\ f '' g#h\n"
				   "show-\\\nsa\n"
				   "no newline";
	struct line_reader *r = reader(text, sizeof(text) - 1);
	struct problem p;
	struct line line;

	expect(r, 3, WORDS("show-sa", "src", "1.2.3.4"));
	expect(r, 4, WORDS("aead", "rfc4106(gcm(aes))", "128", "last"));
	expect(r, 7, WORDS("ab cd", "x\\y", "q\"q\\", "e f", "", "g#h"));
	expect(r, 8, WORDS("show-sa"));
	expect(r, 10, WORDS("no", "newline"));
	assert_int_equal(line_reader_next(r, &line, &p), 0);
	assert_int_equal(line_reader_next(r, &line, &p), 0);
	line_reader_destroy(r);
}

static void bad_line(const char *text, size_t len, unsigned int number, const char *why)
{
	struct line_reader *r = reader(text, len);
	struct problem p;
	struct line line;

	assert_int_equal(line_reader_next(r, &line, &p), -1);
	assert_int_equal(line.number, number);
	assert_int_equal(p.exit, TOOL_USAGE);
	assert_string_equal(p.text, why);
	expect(r, number + 1, WORDS("next"));
	line_reader_destroy(r);
}

static void bad_lines_say_why_and_the_next_is_read(void **state)
{
	static char longer[LINE_MAX_BYTES + 16], many[2 * LINE_MAX_WORDS + 16];

	bad_line("a 'b\nnext\n", 10, 1, "a quote is not closed");
	bad_line("a \"b\nnext\n", 10, 1, "a quote is not closed");
	bad_line("a \0 b\nnext\n", 11, 1, "the line has a NUL byte in it");
	memset(longer, 'x', sizeof(longer));
	memcpy(longer + sizeof(longer) - 6, "\nnext\n", 6);
	bad_line(longer, sizeof(longer), 1, "the line is too long");
	for (size_t i = 0; i < sizeof(many); i++)
		many[i] = i % 2 ? ' ' : 'w';
	memcpy(many + sizeof(many) - 6, "\nnext\n", 6);
	bad_line(many, sizeof(many), 1, "the line has too many words");
}

/* What comes behind a line without an end is not read: it may have none either. */
static void a_line_without_an_end_is_the_last(void **state)
{
	static const char *const begins[] = {"", "#", "a ", " ", "a '", "\\\n"};
	static char text[2 * LINE_MAX_INPUT];
	struct problem p;
	struct line line;

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		struct line_reader *r;
		int fd = memfd_create("batch", MFD_CLOEXEC);

		for (size_t n = 0; n < sizeof(text); n++)
			text[n] = begins[i][0] ? begins[i][n % strlen(begins[i])] : '\0';
		memcpy(text + sizeof(text) - 6, "\nnext\n", 6);
		assert_int_equal(write(fd, "first\n", 6), 6);
		assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		r = line_reader_create(fd, NULL, NULL);
		assert_non_null(r);
		expect(r, 1, WORDS("first"));
		assert_int_equal(line_reader_next(r, &line, &p), -1);
		assert_int_equal(line.number, 2);
		assert_non_null(strstr(p.text, "does not end within 65536 bytes"));
		assert_int_equal(line_reader_next(r, &line, &p), 0);
		line_reader_destroy(r);
		close(fd);
	}
}

static void a_line_may_have_a_long_comment(void **state)
{
	static char text[LINE_MAX_INPUT + 5];
	struct line_reader *r;
	int fd = memfd_create("batch", MFD_CLOEXEC);

	memset(text, 'x', sizeof(text));
	memcpy(text, "a #", 3);
	memcpy(text + LINE_MAX_INPUT - 1, "\nnext\n", 6);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	r = line_reader_create(fd, NULL, NULL);
	assert_non_null(r);
	expect(r, 1, WORDS("a"));
	expect(r, 2, WORDS("next"));
	line_reader_destroy(r);
	close(fd);
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {{"0", 0},
		    {"7", 7},
		    {"0x07", 7},
		    {"010", 8},
		    {"0XfF", 255},
		    {"4294967295", UINT32_MAX},
		    {"0xffffffffffffffff", UINT64_MAX}};
	static const char *const bad[] = {"",	  "-1", "+1", " 1",  "1 ",
					  "0x",	  "08", "1k", "0xg", "18446744073709551616",
					  "seven"};
	uint64_t value;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(number_parse(good[i].text, &value));
		assert_int_equal(value, good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(number_parse(bad[i], &value));
}

static void lookup_takes_unique_abbreviations(void **state)
{
	static const char *const table[] = {"mode", "mark", "auth", "auth-trunc", NULL};

	assert_int_equal(words_lookup("mode", table, sizeof(*table), false), 0);
	assert_int_equal(words_lookup("mo", table, sizeof(*table), false), 0);
	assert_int_equal(words_lookup("m", table, sizeof(*table), false), -2);
	assert_int_equal(words_lookup("auth", table, sizeof(*table), false), 2);
	assert_int_equal(words_lookup("auth-", table, sizeof(*table), false), 3);
	assert_int_equal(words_lookup("modes", table, sizeof(*table), false), -1);
	assert_int_equal(words_lookup("", table, sizeof(*table), false), -1);
	assert_int_equal(words_lookup("mo", table, sizeof(*table), true), -1);
}

#define KEY "0x44434241343332312423222114131211f4f3f2f1"

static void hide(const char *line, const char *hidden)
{
	char text[256], shown[256] = "", *word[32];
	int n = 0;

	strcpy(text, line);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		word[n++] = w;
	words_hide_keys(word, n);
	for (int i = 0; i < n; i++) {
		strcat(shown, i ? " " : "");
		strcat(shown, word[i][0] == '*' ? "*" : word[i]);
	}
	assert_string_equal(shown, hidden);
}

static void keys_are_hidden_where_they_can_stand(void **state)
{
	hide("x s add aead n " KEY " 128", "x s add aead n * 128");
	hide("aead n 0x12 128 auth m secret", "aead n * 128 auth m *");
	hide("aead n file aead 128 sel src", "aead n file aead 128 sel src");
	hide("aead n fd 3 128 enc c stdin", "aead n fd 3 128 enc c stdin");
	hide("aead n file " KEY " 128", "aead n file * 128");
	hide("dev enc dir out", "dev enc dir out");
	/* A forgotten name, or a key on its own. */
	hide("aead " KEY " 128", "aead * *");
	hide("44434241343332312423222114131211f4f3f2f1", "*");
	hide("0x4443424134333231242322211413121zf4f3f2f1", "*");
	hide("spi 0xffffffff limit byte-hard 0xffffffffffffffff",
	     "spi 0xffffffff limit byte-hard 0xffffffffffffffff");
	hide("file 44434241343332312423222114131211f4f3f2f1",
	     "file 44434241343332312423222114131211f4f3f2f1");
	assert_string_equal(words_show(KEY), "(hidden)");
	assert_string_equal(words_show("pr"
				       "4434424134333231242322211413121"
				       "1f4f3f2f1"),
			    "(hidden)");
	assert_string_equal(words_show("eth4"), "eth4");
	assert_string_equal(words_show("2001:db8:1111:2222:3333:4444:5555:6666"),
			    "2001:db8:1111:2222:3333:4444:5555:6666");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_split_as_a_shell_does),
		cmocka_unit_test(bad_lines_say_why_and_the_next_is_read),
		cmocka_unit_test(a_line_without_an_end_is_the_last),
		cmocka_unit_test(a_line_may_have_a_long_comment),
		cmocka_unit_test(numbers),
		cmocka_unit_test(lookup_takes_unique_abbreviations),
		cmocka_unit_test(keys_are_hidden_where_they_can_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
