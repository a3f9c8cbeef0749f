/* SPDX-License-Identifier: MIT */
/* Numbers that one query tells, and the traffic on PCIe and NVLink. */
#include <limits.h>

#include "collector/samplers/nvml_private.h"

#define PCIE_WATCH_NS UINT64_C(20000000)

/* --- one number per query --- */

static int read_engine(int (*f)(td_nvml_device, unsigned int *, unsigned int *), td_nvml_device d,
		       double *ret)
{
	unsigned int v = 0, period_us;
	int e = f ? f(d, &v, &period_us) : TD_NVML_FUNCTION_NOT_FOUND;

	*ret = td_nvml_percent(v);
	return e;
}

static int read_enc(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	return read_engine(n->api.enc, d, ret);
}

static int read_dec(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	return read_engine(n->api.dec, d, ret);
}

static int read_jpg(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	return read_engine(n->api.jpg, d, ret);
}

static int read_ofa(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	return read_engine(n->api.ofa, d, ret);
}

/* As nvidia-smi since 510: what programs use, without what the driver keeps for itself. */
static int read_fb(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	struct td_nvml_memory_v2 v2 = { .version = (unsigned int)sizeof(v2) | 2u << 24 };
	struct td_nvml_memory v1 = { 0 };
	int e = TD_NVML_CALL(n, memory_v2, d, &v2);

	*ret = (double)v2.used;
	if (e) {
		e = TD_NVML_CALL(n, memory, d, &v1);
		*ret = (double)v1.used;
	}
	return e;
}

static int read_bar1(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	struct td_nvml_bar1 v = { 0 };
	int e = TD_NVML_CALL(n, bar1, d, &v);

	*ret = (double)v.used;
	return e;
}

static int read_pwr(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned int mw = 0;
	int e = TD_NVML_CALL(n, power, d, &mw);

	*ret = mw / 1000.0;
	return e;
}

static int read_gtemp(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned int v = 0;
	int e = TD_NVML_CALL(n, temperature, d, TD_NVML_TEMPERATURE_GPU, &v);

	*ret = v;
	return e;
}

static int read_mtemp(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	struct td_nvml_field f = { .id = TD_NVML_FIELD_MEMORY_TEMP };
	int e = TD_NVML_CALL(n, fields, d, 1, &f);

	*ret = f.value.u;
	return e ? e : f.error;
}

static int read_mclk(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned int v = 0;
	int e = TD_NVML_CALL(n, clock, d, TD_NVML_CLOCK_MEM, &v);

	*ret = v;
	return e;
}

static int read_pclk(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned int v = 0;
	int e = TD_NVML_CALL(n, clock, d, TD_NVML_CLOCK_SM, &v);

	*ret = v;
	return e;
}

static int read_sbecc(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned long long v = 0;
	int e = TD_NVML_CALL(n, ecc, d, TD_NVML_ECC_CORRECTED, TD_NVML_ECC_SINCE_LOADED, &v);

	*ret = (double)v;
	return e;
}

static int read_dbecc(const struct td_nvml *n, td_nvml_device d, double *ret)
{
	unsigned long long v = 0;
	int e = TD_NVML_CALL(n, ecc, d, TD_NVML_ECC_UNCORRECTED, TD_NVML_ECC_SINCE_LOADED, &v);

	*ret = (double)v;
	return e;
}

struct query {
	enum td_nvml_metric metric;
	int (*read)(const struct td_nvml *n, td_nvml_device d, double *ret);
};

static const struct query fast[] = {
	{ TD_NVML_FB, read_fb },
	{ TD_NVML_PWR, read_pwr },
	{ TD_NVML_MCLK, read_mclk },
	{ TD_NVML_PCLK, read_pclk },
};

static const struct query slow[] = {
	{ TD_NVML_ENC, read_enc },     { TD_NVML_DEC, read_dec },     { TD_NVML_JPG, read_jpg },
	{ TD_NVML_OFA, read_ofa },     { TD_NVML_BAR1, read_bar1 },   { TD_NVML_GTEMP, read_gtemp },
	{ TD_NVML_MTEMP, read_mtemp }, { TD_NVML_SBECC, read_sbecc }, { TD_NVML_DBECC, read_dbecc },
};

/* since_ns 0: the first time. */
static int run_queries(const struct td_nvml_reading *rd, const struct query *queries,
		       size_t nqueries, uint64_t since_ns)
{
	for (size_t i = 0; i < nqueries; i++) {
		const struct query *q = &queries[i];
		double value = 0;
		int r = 0;

		if (!td_nvml_is_missing(rd->g, q->metric) &&
		    td_nvml_answered(rd->g, q->metric, q->read(rd->n, rd->g->device, &value),
				     &value) &&
		    since_ns)
			r = td_nvml_put(rd, q->metric, 0, rd->now.boot_ns,
					rd->now.boot_ns - since_ns, value);
		if (r < 0)
			return r;
	}
	return 0;
}

int td_nvml_read_numbers(const struct td_nvml_reading *rd)
{
	return run_queries(rd, slow, TD_ARRAY_SIZE(slow), rd->g->slow_ns);
}

/* --- clocks that give way --- */

/* since_ns 0: the first time. */
static int read_throttle(const struct td_nvml_reading *rd, uint64_t since_ns)
{
	static const struct {
		enum td_nvml_metric metric;
		unsigned mask, unless;
	} reasons[] = {
		{ TD_NVML_THROTTLE_POWER, TD_NVML_REASON_SW_POWER | TD_NVML_REASON_HW_POWER, 0 },
		{ TD_NVML_THROTTLE_THERMAL, TD_NVML_REASON_SW_THERMAL | TD_NVML_REASON_HW_THERMAL,
		  0 },
		{ TD_NVML_THROTTLE_HW, TD_NVML_REASON_HW,
		  TD_NVML_REASON_HW_THERMAL | TD_NVML_REASON_HW_POWER },
	};
	unsigned long long bits = 0;
	int e, r = 0;

	if (td_nvml_is_missing(rd->g, reasons[0].metric))
		return 0;
	e = TD_NVML_CALL(rd->n, throttle, rd->g->device, &bits);
	for (size_t i = 0; r == 0 && i < TD_ARRAY_SIZE(reasons); i++) {
		double value = bits & reasons[i].mask && !(bits & reasons[i].unless) ? 100 : 0;

		if (td_nvml_answered(rd->g, reasons[i].metric, e, &value) && since_ns)
			r = td_nvml_put(rd, reasons[i].metric, 0, rd->now.boot_ns,
					rd->now.boot_ns - since_ns, value);
	}
	return r;
}

/* --- PCIe and NVLink ---
 *
 * nvmlDeviceGetPcieThroughput() watches for 20 ms and misses what is in between: it is asked only where there are
 * no byte counters. Those have 32 bits: traffic of more than 4 GiB from one reading to the next wraps them. */

/* Counters of what was received and sent. */
static const struct link {
	enum td_nvml_metric metrics[2];
	unsigned int fields[2], scope;
	unsigned int unit; /* bytes */
} pcie = { { TD_NVML_RXPCI, TD_NVML_TXPCI },
	   { TD_NVML_FIELD_PCIE_RX_BYTES, TD_NVML_FIELD_PCIE_TX_BYTES },
	   0,
	   1 },
  nvlink = { { TD_NVML_RXNVL, TD_NVML_TXNVL },
	     { TD_NVML_FIELD_NVLINK_RX, TD_NVML_FIELD_NVLINK_TX },
	     TD_NVML_ALL_LINKS,
	     1024 };

/* false: the driver has none. */
static bool count_bytes(const struct td_nvml_reading *rd, const struct link *link,
			uint64_t counts[2], bool *ret_wraps)
{
	struct td_nvml_field f[2] = { { .id = link->fields[0], .scope = link->scope },
				      { .id = link->fields[1], .scope = link->scope } };

	if (TD_NVML_CALL(rd->n, fields, rd->g->device, 2, f) || f[0].error || f[1].error)
		return false;
	*ret_wraps = f[0].type == TD_NVML_TYPE_UINT;
	for (int i = 0; i < 2; i++)
		counts[i] = *ret_wraps ? f[i].value.u : f[i].value.q;
	return true;
}

static int put_bytes(const struct td_nvml_reading *rd, const struct link *link,
		     const struct td_nvml_counters *before, const uint64_t counts[2], bool wraps)
{
	uint64_t dur_ns = rd->now.boot_ns - rd->g->fast_ns;
	int r = 0;

	for (int i = 0; r == 0 && dur_ns && i < 2; i++) {
		uint64_t grown = counts[i] - before->bytes[i];

		if (wraps)
			grown = (uint32_t)grown;
		/* MB/s are bytes per us */
		r = td_nvml_put(rd, link->metrics[i], 0, rd->now.boot_ns, dur_ns,
				(double)grown * link->unit / ((double)dur_ns / 1000));
	}
	return r;
}

/* The first time shows whether there are such counters, and where they stand. 0 or -ENOMEM. */
static int read_link(const struct td_nvml_reading *rd, const struct link *link,
		     struct td_nvml_counters *c)
{
	uint64_t counts[2] = { 0 };
	bool wraps = false, first = !rd->g->fast_ns;
	bool known = (first || c->known) && count_bytes(rd, link, counts, &wraps);
	int r = known && c->known ? put_bytes(rd, link, c, counts, wraps) : 0;

	if (known)
		memcpy(c->bytes, counts, sizeof(counts));
	c->known = known;
	return r;
}

/* Takes its time: one direction of one GPU at every call. */
static int watch_pcie(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values)
{
	static const int directions[2] = { TD_NVML_PCIE_RX, TD_NVML_PCIE_TX };
	/* td_nvml_open() fails where there is no GPU */
	unsigned int turn = n->pcie_turn++ % (2 * TD_MAX(n->ngpus, 1u));
	struct td_nvml_reading rd = { n, &n->gpus[turn / 2], now, values };
	enum td_nvml_metric metric = pcie.metrics[turn % 2];
	unsigned int kb_per_s = 0;
	double value;
	int e;

	if (!rd.g->device || rd.g->pcie.known || td_nvml_is_missing(rd.g, metric))
		return 0;
	e = TD_NVML_CALL(n, pcie, rd.g->device, directions[turn % 2], &kb_per_s);
	value = kb_per_s / 1000.0;
	if (!td_nvml_answered(rd.g, metric, e, &value))
		return 0;
	return td_nvml_put(&rd, metric, 0, now.boot_ns + PCIE_WATCH_NS, PCIE_WATCH_NS, value);
}

int td_nvml_read_fast(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values)
{
	for (unsigned int i = 0; i < n->ngpus; i++) {
		struct td_nvml_reading rd = { n, &n->gpus[i], now, values };
		bool first = !rd.g->fast_ns;
		int r;

		if (!rd.g->device || now.boot_ns <= rd.g->fast_ns)
			continue;
		r = run_queries(&rd, fast, TD_ARRAY_SIZE(fast), rd.g->fast_ns);
		if (r == 0)
			r = read_throttle(&rd, rd.g->fast_ns);
		if (r == 0)
			r = read_link(&rd, &pcie, &rd.g->pcie);
		if (r == 0)
			r = read_link(&rd, &nvlink, &rd.g->nvlink);
		if (r < 0)
			return r;
		if (first && !rd.g->nvlink.known)
			rd.g->missing |= 1u << TD_NVML_RXNVL | 1u << TD_NVML_TXNVL;
		rd.g->fast_ns = now.boot_ns;
	}
	return watch_pcie(n, now, values);
}
