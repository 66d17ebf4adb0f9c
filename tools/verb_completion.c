// SPDX-License-Identifier: BSD-2-Clause
/*
 * completion bash: a script made from the table of verbs, so that it knows what this tool knows. The words of a verb
 * are the literal ones of its synopsis and of the parts that this names:
 *
 *   "SELECTOR dir in|out [tmpl TMPL]"  ─▶  src dst proto tcp udp sport dport dir in out tmpl …
 *
 * What a word stands for decides the rest: a file behind send, a netdev behind dev.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verbs.h"

struct text {
	FILE *file; /* into: */
	char *all;
	size_t len, list; /* list: where the words of this case begin */
};

static const char begin[] =
	"# bash completion for mlx5-offload-tool, printed by `mlx5-offload-tool completion bash`\n"
	"_mlx5_offload_tool()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' words='' "
	"i\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t-d | --device | -b | --batch) ((i++)) ;;\n"
	"\t\t-* | : | =) ;;\n"
	"\t\t*) verb=${COMP_WORDS[i]} && break ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tcase $prev in\n"
	"\t-b | --batch | file | --wireshark | decode | send)\n"
	"\t\tcompopt -o filenames 2>/dev/null || :\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\t\treturn ;;\n"
	"\tdev | forward)\n"
	"\t\tmapfile -t COMPREPLY < <(cd /sys/class/net && compgen -f -- \"$cur\")\n"
	"\t\treturn ;;\n"
	"\t-d | --device)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W model -- \"$cur\")\n"
	"\t\treturn ;;\n"
	"\tesac\n"
	"\tcase $verb in\n";

static const char end[] = "\tesac\n"
			  "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
			  "}\n"
			  "complete -F _mlx5_offload_tool mlx5-offload-tool\n";

static bool is_literal(const char *word)
{
	const char *letters = word + strspn(word, "-");

	return *letters >= 'a' && *letters <= 'z' &&
	       !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789+-")];
}

static void put_once(struct text *t, const char *word)
{
	const char *seen;
	size_t len = strlen(word);

	fflush(t->file);
	for (seen = t->all + t->list; (seen = strstr(seen, word)); seen += len)
		if (seen[-1] == ' ' && (seen[len] == ' ' || !seen[len]))
			return;
	fprintf(t->file, " %s", word);
}

/* The literal words of a synopsis; with this first byte, if there is one. */
static void put_literals(struct text *t, const char *synopsis, char first)
{
	char *copy = strdup(synopsis), *at = copy, *word;

	while (at && (word = strsep(&at, " \n,:;|[]")))
		if (is_literal(word) && (!first || *word == first))
			put_once(t, word);
	free(copy);
}

/* Behind a ';' it is prose. */
static void put_part(struct text *t, const char *means)
{
	char *copy = strdup(means);

	if (copy) {
		copy[strcspn(copy, ";")] = '\0';
		put_literals(t, copy, 0);
	}
	free(copy);
}

static void put_verbs(struct text *t)
{
	for (const struct verb *v = verbs; v->name; v++)
		put_once(t, v->name);
}

/* What stands behind a verb; none: in its place. */
static void put_case(struct text *t, const struct verb *v)
{
	fprintf(t->file, "\t%s) words='", v ? v->name : "''");
	fflush(t->file);
	t->list = t->len;
	if (!v)
		put_literals(t, verb_usage, '-');
	if (!v || strstr(v->words, "VERB"))
		put_verbs(t);
	if (v)
		put_literals(t, v->words, 0);
	for (const struct verb_part *p = verb_parts; v && p->name; p++)
		if (p->words && strstr(v->words, p->name))
			put_part(t, p->means);
	if (v)
		put_once(t, "help");
	fprintf(t->file, "' ;;\n");
}

/* Allocated; NULL: no memory. */
static char *script(void)
{
	struct text t = {0};
	bool bad;

	t.file = open_memstream(&t.all, &t.len);
	if (!t.file)
		return NULL;
	fputs(begin, t.file);
	put_case(&t, NULL);
	for (const struct verb *v = verbs; v->name; v++)
		put_case(&t, v);
	fputs(end, t.file);
	bad = ferror(t.file);
	if (fclose(t.file) || bad) {
		free(t.all);
		return NULL;
	}
	return t.all;
}

int verb_completion(struct session *s, struct words *w)
{
	char *text, *shell;
	int rc = words_value(w, "completion", &shell);

	if (!rc)
		rc = words_end(w);
	if (!rc && strcmp(shell, "bash") != 0)
		rc = problem_usage(&s->problem, "completion: %s is not known, allowed is bash",
				   words_show(shell));
	if (rc)
		return rc;
	text = script();
	if (!text)
		return problem_errno(&s->problem, ENOMEM, "completion: no memory");
	out_begin(s->out);
	out_object(s->out, NULL);
	out_str(s->out, "script", "", text);
	out_close(s->out);
	out_end(s->out);
	free(text);
	return 0;
}
