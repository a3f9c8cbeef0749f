/* SPDX-License-Identifier: MIT */
/*
 * The thread that writes the frames of a spool in order, and syncs. Some room in front of the end of the file is
 * always allocated before it is needed, so that a recording that a full disk ends can still be closed.
 */
#pragma once

#include "collector/spool/frame.h"
#include "common/strbuf.h"

struct td_spool_writer;

/* Without its thread yet: what is added waits. fd: an empty file, borrowed until
 * td_spool_writer_close(). 0, -ENOSPC (not even the room to close), or another -errno. */
int td_spool_writer_new(int fd, struct td_spool_writer **ret);

/* Begins to write, if that was not done yet. 0 or -errno. */
int td_spool_writer_start(struct td_spool_writer *w);

/* Takes the frame. Waits while TD_SPOOL_QUEUE_MAX bytes are not written yet. */
#define TD_SPOOL_QUEUE_MAX ((size_t)64 * 1024 * 1024)
void td_spool_writer_add(struct td_spool_writer *w, struct td_spool_frame *f);

/* What was added so far is to reach the disk soon. */
void td_spool_writer_sync(struct td_spool_writer *w);

/* Waits until all that was added is written, or lost. */
void td_spool_writer_wait(struct td_spool_writer *w);

/* 0 or what was the first to go wrong. */
int td_spool_writer_error(struct td_spool_writer *w);
/* Events in frames that could not be written. */
uint64_t td_spool_writer_lost(struct td_spool_writer *w);
/* Adds what was said of loss in these to ret, once. */
void td_spool_writer_take_losses(struct td_spool_writer *w, struct td_strbuf *ret);

/* Writes and syncs the rest, gives back the room that was not used and frees w. */
int td_spool_writer_close(struct td_spool_writer *w);
/* The same without the rest. NULL is fine. */
void td_spool_writer_abandon(struct td_spool_writer *w);
