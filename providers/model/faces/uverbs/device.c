// SPDX-License-Identifier: BSD-2-Clause
/*
 * The cards: which there are (MLXO_MODEL), the model behind each, and the thread that does what hardware does by
 * itself.
 *
 *   MLXO_MODEL="profile=connectx-7,port=pair:a port=pair:a"     words are cards, options are the model's own
 *
 * A program rings by a store into a mapped page, which nobody sees. Every driver writes the doorbell record before, so
 * the thread looks at the records of the queues it was told of: busily while there is work, then with growing pauses
 * of up to a millisecond, or until a frame comes. Without queues it sleeps until one is made.
 *
 * Ownership: a card is made at start and opened by its first context; it stays open until the process ends, so that
 * its counters do, or until a test asks for a fresh one (control.c). The thread blocks all signals.
 */
#include "uverbs.h"

#include "providers/model/queue.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPINS = 200, PAUSE_NS = 20000, MAX_PAUSE_NS = 1000000 };

struct uv_card uv_cards[UV_MAX_CARDS];
unsigned int uv_ncards;

/* -- which ------------------------------------------------------------------------------------------------- */

static char *full_spec(const char *word)
{
	char *spec;

	if (strcmp(word, "model") == 0 || strncmp(word, "model:", 6) == 0)
		return strdup(word);
	return asprintf(&spec, "model:%s", word) < 0 ? NULL : spec;
}

/* netdev=NAME of the options, as the model reads them. */
static int check_spec(struct uv_card *card, char *why, size_t whylen)
{
	struct model_spec s;
	int err = model_spec_parse(&s, card->spec, why, whylen);

	if (!err && s.netdev)
		snprintf(card->netdev, sizeof(card->netdev), "%s", s.netdev);
	model_spec_fini(&s);
	return err;
}

static void init_locks(struct uv_card *card)
{
	pthread_mutex_init(&card->lock, NULL);
	pthread_mutex_init(&card->turn, NULL);
	pthread_mutex_init(&card->work, NULL);
	pthread_mutex_init(&card->events, NULL);
	pthread_cond_init(&card->more, NULL);
	sem_init(&card->slots, 0, UV_COMMANDS_AT_ONCE);
}

static int card_init(struct uv_card *card, unsigned int index, const char *word, char *why,
		     size_t whylen)
{
	memset(card, 0, sizeof(*card));
	card->index = index;
	card->number = uv_first + index;
	card->pages = -1;
	snprintf(card->name, sizeof(card->name), "mlx5_%u", card->number);
	card->guid = UINT64_C(0x0c42a10300000000) | (uint64_t)(index + 1) << 8;
	card->spec = full_spec(word);
	if (!card->spec) {
		snprintf(why, whylen, "device '%s': out of memory", word);
		return -ENOMEM;
	}
	init_locks(card);
	return check_spec(card, why, whylen);
}

int uv_cards_init(char *why, size_t whylen)
{
	const char *env = getenv("MLXO_MODEL");
	char *copy = strdup(env && *env ? env : "model"), *save = NULL;
	int err = copy ? uv_host_init(why, whylen) : -ENOMEM;

	if (!err)
		err = uv_inject_init(why, whylen);
	if (!err)
		err = uv_trace_init(why, whylen);
	for (char *w = copy ? strtok_r(copy, " \t\n", &save) : NULL; w && !err;
	     w = strtok_r(NULL, " \t\n", &save)) {
		if (uv_ncards == UV_MAX_CARDS) {
			snprintf(why, whylen, "MLXO_MODEL names more devices than the %d allowed",
				 UV_MAX_CARDS);
			err = -EINVAL;
		} else {
			err = card_init(&uv_cards[uv_ncards], uv_ncards, w, why, whylen);
			uv_ncards++;
		}
	}
	free(copy);
	return err;
}

/* -- the thread ---------------------------------------------------------------------------------------------- */

static bool sq_has_work(struct model_dev *m, uint32_t sqn)
{
	struct model_sq *sq;
	bool work = false;

	pthread_rwlock_rdlock(&m->objs);
	sq = (struct model_sq *)model_obj_find(m, MODEL_SQ, sqn);
	if (sq) {
		pthread_mutex_lock(&sq->lock);
		work = (uint16_t)model_dbrec(sq->dbrec, 1) != sq->ci &&
		       (atomic_load(&sq->state) == MODEL_Q_RDY ||
			(atomic_load(&sq->state) == MODEL_Q_ERR && sq->flush_in_error &&
			 !atomic_load(&sq->cq->overrun))); /* else it has stopped for good */
		pthread_mutex_unlock(&sq->lock);
	}
	pthread_rwlock_unlock(&m->objs);
	return work;
}

/* Once: whoever has it open is told, and whoever waits wakes. With card->work. */
static void tell_death(struct uv_card *card)
{
	if (card->fatal)
		return;
	card->fatal = true;
	uv_events_fatal(card);
	uv_channels_end(card);
}

/* Look at everything once. How much was done. With card->work. */
static int look(struct uv_card *card)
{
	struct model_dev *m = uv_model(card);
	int n = 0;

	if (atomic_load(&m->dead)) {
		tell_death(card);
		return 0;
	}
	for (struct uv_watch *w = card->watches; w; w = w->next) {
		if (w->what == UV_WATCH_CQ) {
			n += uv_watch_cq(card, w);
		} else if (w->what == UV_WATCH_UAR) {
			n += uv_watch_uar(card, w);
		} else if (w->what == UV_WATCH_SQ && sq_has_work(m, w->number)) {
			model_sq_ring(m, w->uar, w->number);
			n++;
		}
	}
	return n;
}

static void wait_for_frames(struct uv_card *card, long ns)
{
	struct pollfd p = {.fd = model_port_fd(uv_model(card)->port), .events = POLLIN};
	struct timespec t = {.tv_nsec = ns};

	ppoll(&p, p.fd >= 0, &t, NULL);
}

/* Pages alone are nothing to look at. With card->work. */
static bool has_queues(const struct uv_card *card)
{
	for (const struct uv_watch *w = card->watches; w; w = w->next)
		if (w->what != UV_WATCH_UAR)
			return true;
	return false;
}

static void wait_for_queues(struct uv_card *card)
{
	pthread_mutex_lock(&card->work);
	while (!has_queues(card) && !atomic_load(&card->stop))
		pthread_cond_wait(&card->more, &card->work);
	pthread_mutex_unlock(&card->work);
}

/* Everything that can be done now. How much it was. */
static int take_turn(struct uv_card *card)
{
	int n;

	pthread_mutex_lock(&card->turn);
	pthread_mutex_lock(&card->work);
	n = look(card);
	pthread_mutex_unlock(&card->work);
	n += prov_ops(card->prov)->progress(card->prov);
	pthread_mutex_unlock(&card->turn);
	return n;
}

int uv_settle(struct uv_card *card)
{
	int n, sum = 0;

	if (!card->prov)
		return 0;
	while ((n = take_turn(card)) > 0)
		sum += n;
	return sum;
}

static void *serve(void *arg)
{
	struct uv_card *card = arg;
	struct model_dev *m = uv_model(card);
	unsigned int idle = 0;
	long pause = PAUSE_NS;

	while (!atomic_load(&card->stop)) {
		int n;

		wait_for_queues(card);
		n = take_turn(card);
		if (m->time == MODEL_TIME_VIRTUAL)
			prov_ops(card->prov)->wait(card->prov, 1);
		if (n) {
			idle = 0;
			pause = PAUSE_NS;
		} else if (++idle > SPINS) {
			wait_for_frames(card, pause);
			pause = pause * 2 > MAX_PAUSE_NS ? MAX_PAUSE_NS : pause * 2;
		}
	}
	return NULL;
}

static int start_thread(struct uv_card *card)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&card->thread, NULL, serve, card);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	card->running = !err;
	return -err;
}

/* What the program did not open it cannot close. */
static void hide_descriptors(struct prov_device *prov, bool hide)
{
	int port = model_port_fd(prov->m.port);

	uv_hide_here(prov->epoll, hide);
	uv_hide_here(prov->event, hide);
	uv_hide_here(prov->timer, hide);
	if (port >= 0)
		uv_hide_here(port, hide);
}

int uv_card_open(struct uv_card *card, char *why, size_t whylen)
{
	int err;

	if (card->prov)
		return 0;
	if (!card->spec) {
		snprintf(why, whylen, "the program has ended");
		return -ENODEV;
	}
	err = model_prov_ops.open(card->spec, &card->prov, why, whylen);
	if (err) {
		card->prov = NULL;
		return err;
	}
	hide_descriptors(card->prov, true);
	card->prov->m.host = (struct model_host){.ctx = card, .event = uv_events_raise};
	err = start_thread(card);
	if (err) {
		snprintf(why, whylen, "no thread: %s", strerror(-err));
		hide_descriptors(card->prov, false);
		model_prov_ops.close(card->prov);
		card->prov = NULL;
	}
	return err;
}

int uv_card_start(struct uv_card *card)
{
	char why[512] = "";

	if (uv_card_open(card, why, sizeof(why)) == 0)
		return 0;
	if (card->spec) /* else it is too late to tell anybody */
		fprintf(stderr, "libmlx5-model-uverbs: %s: %s\n", card->name, why);
	return -ENODEV;
}

int uv_watch_add(struct uv_card *card, const struct uv_watch *what)
{
	struct uv_watch *w = malloc(sizeof(*w));

	if (!w)
		return -ENOMEM;
	*w = *what;
	pthread_mutex_lock(&card->work);
	w->next = card->watches;
	card->watches = w;
	pthread_cond_signal(&card->more);
	pthread_mutex_unlock(&card->work);
	return 0;
}

void uv_watch_remove(struct uv_ctx *ctx, enum uv_watched what, uint32_t number)
{
	struct uv_card *card = ctx->card;

	if (uv_ctx_is_stale(ctx))
		return;
	pthread_mutex_lock(&card->work);
	for (struct uv_watch **p = &card->watches; *p;) {
		struct uv_watch *w = *p;

		if (w->what != what || w->number != number) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		free(w);
	}
	pthread_mutex_unlock(&card->work);
}

/* Who has one mapped keeps it, and rings for nobody. */
static void forget_pages(struct uv_card *card)
{
	if (card->pages >= 0)
		uv_real_close(card->pages);
	card->pages = -1;
}

static void watch_nothing(struct uv_card *card)
{
	while (card->watches) {
		struct uv_watch *w = card->watches;

		card->watches = w->next;
		free(w);
	}
}

/*
 * The kernel's driver goes through this by itself when a card dies, or an operator asks for it: IB_EVENT_DEVICE_FATAL, the
 * RDMA device is taken from its users (disassociated), the card starts again, and there is a new RDMA device.
 */
int uv_card_reset(struct uv_card *card)
{
	int err;

	pthread_mutex_lock(&card->lock);
	pthread_mutex_lock(&card->turn);
	pthread_mutex_lock(&card->work);
	tell_death(card);
	watch_nothing(card);
	forget_pages(card);
	err = model_controls.reset(card->prov);
	card->fatal = false;
	pthread_mutex_unlock(&card->work);
	pthread_mutex_unlock(&card->turn);
	pthread_mutex_unlock(&card->lock);
	return err;
}

void uv_card_stop(struct uv_card *card)
{
	pthread_mutex_lock(&card->work);
	atomic_store(&card->stop, true);
	pthread_cond_signal(&card->more);
	pthread_mutex_unlock(&card->work);
	if (card->running)
		pthread_join(card->thread, NULL);
	card->running = false;
	atomic_store(&card->stop, false);
	card->fatal = false;
	watch_nothing(card);
	if (card->prov) {
		hide_descriptors(card->prov, false);
		model_prov_ops.close(card->prov);
	}
	card->prov = NULL;
	forget_pages(card);
	free(card->spec);
	card->spec = NULL;
}

void uv_cards_forked(void)
{
	for (unsigned int i = 0; i < uv_ncards; i++) {
		struct uv_card *card = &uv_cards[i];

		init_locks(card);
		card->prov = NULL;
		card->ctxs = NULL;
		card->channels = NULL;
		card->watches = NULL;
		card->running = card->fatal = card->reserved = false;
		forget_pages(card);
	}
}

void uv_cards_fini(void)
{
	for (unsigned int i = 0; i < uv_ncards; i++) {
		struct uv_card *card = &uv_cards[i];

		pthread_mutex_lock(&card->lock);
		if (!card->ctxs)
			uv_card_stop(card);
		pthread_mutex_unlock(&card->lock);
	}
}

/* -- commands -------------------------------------------------------------------------------------------------- */

int uv_exec(struct uv_ctx *ctx, const void *in, size_t inlen, void *out, size_t outlen)
{
	int err;

	if (uv_ctx_is_stale(ctx))
		return ctx->closing ? 0 : -EIO;
	while (sem_wait(&ctx->card->slots) && errno == EINTR)
		;
	err = model_fw_exec(uv_model(ctx->card), ctx->uid, in, inlen, out, outlen);
	sem_post(&ctx->card->slots);
	if (err == -EIO && atomic_load(&uv_model(ctx->card)->dead)) {
		pthread_mutex_lock(&ctx->card->work);
		tell_death(ctx->card);
		pthread_mutex_unlock(&ctx->card->work);
	}
	if (!err && prm_out_status(out))
		err = -EREMOTEIO;
	uv_trace_command(in, inlen, out, outlen, err);
	return err;
}

int uv_status_errno(const void *out)
{
	switch (prm_out_status(out)) {
	case PRM_CMD_STAT_OK: return 0;
	case PRM_CMD_STAT_RES_BUSY: return -EBUSY;
	case PRM_CMD_STAT_LIM_ERR: return -ENOMEM;
	case PRM_CMD_STAT_NO_RES_ERR: return -EAGAIN;
	case PRM_CMD_STAT_INT_ERR:
	case PRM_CMD_STAT_BAD_SYS_STATE_ERR:
	case PRM_CMD_STAT_BAD_INP_LEN_ERR:
	case PRM_CMD_STAT_BAD_OUTP_LEN_ERR: return -EIO;
	default: return -EINVAL;
	}
}
