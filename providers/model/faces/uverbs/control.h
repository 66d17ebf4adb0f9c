/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program that knows of the model may ask the preloaded library for, by dlsym(): fresh cards, and the controls of
 * a card's model. For tests that run the same on the model and, through libibverbs and libmlx5, on its cards.
 *
 *	mlxo_face_card_open("port=pair:a", name) ──▶ "mlx5_3" ──▶ ibv_open_device() ...
 *	mlxo_face_controls("mlx5_3", &prov)      ──▶ faults, reset, census, statistics
 *	mlxo_face_settle("mlx5_3")               ──▶ what was rung is done
 *	mlxo_face_port("mlx5_3", false)          ──▶ the event of a cable that was pulled
 *
 * Cards are those of MLXO_MODEL; a card is free when no program has it open.
 */
#ifndef FACES_UVERBS_CONTROL_H
#define FACES_UVERBS_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "providers/model/control.h"

enum { MLXO_FACE_NAME = 16 };

/*
 * A free card becomes one of these options (the part after "model:"), as after power-on, and is kept for who opens it
 * next by its name. 0; -EBUSY: no card is free; or what the model says of the options, with a sentence in why.
 */
typedef int (*mlxo_face_card_open_fn)(const char *options, char name[MLXO_FACE_NAME], char *why,
				      size_t whylen);
int mlxo_face_card_open(const char *options, char name[MLXO_FACE_NAME], char *why, size_t whylen);

/* The controls of the card's model, to be called with *prov. NULL: no such card, or it was never opened. */
typedef const struct model_controls *(*mlxo_face_controls_fn)(const char *name,
							      struct prov_device **prov);
const struct model_controls *mlxo_face_controls(const char *name, struct prov_device **prov);

/* Do now what the card's thread would do a moment later: doorbells, frames. How much was done. */
typedef int (*mlxo_face_settle_fn)(const char *name);
int mlxo_face_settle(const char *name);

/* The port tells that it went up or down; frames go on. 0, or -ENODEV: no such card. */
typedef int (*mlxo_face_port_fn)(const char *name, bool up);
int mlxo_face_port(const char *name, bool up);

#endif
