/* multigrid_ranks.h -- p-multigrid by ranks on GPUs, for multigrid.h alone: messages, and sums whose bits
 * neither the number of ranks nor that of blocks changes.
 *
 * An element's products are added up by a warp, node m by lane m % 32 whatever the rank numbers it, and their sum is
 * cut into words, multiples of 2^168, 2^144, ..., whose sums have no rounding. Mailboxes have two halves, which
 * messages take in turns: a rank that has posted twice has seen that the others had read the first. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_RANKS_H
#define BP_KERNELS_SOLVE_MULTIGRID_RANKS_H

enum {
  WORD_BITS = 24,
  WORD_UNIT = 168,
  DOT_WARPS = 8,
  DOT_MOST = 3,  /* sums at once: r . r, r . z and z . A p */
  DOT_TURNS = 5, /* unknowns of a thread that are on their way at once */
  NOWHERE = -1
};

/* At the end of a half: DOT_MOST sums of each rank. */
BP_DEVICE double *mail_words(const long long *mail, long long rank, int half)
{
  return (double *)(mail_box(mail, rank, BP_BOX_COPIES) + (half + 1) * mail[BP_MAIL_HALF]) -
         DOT_MOST * BP_MG_WORDS * mail[BP_MAIL_RANKS];
}

/* What stands at sent[] of sparse_in[], `stride` from field to field, goes to other ranks. */
BP_KERNEL_BOUNDED(pack, 256, 0)
{
  BP_SHARED(double, buffer, [1]);
  mail_send(mail, sent, sent_count, sparse_in, stride, outbox, BP_FIELDS, half_of(mail, 0), buffer);
}

/* And what has come goes there in sparse_out[]. */
BP_KERNEL_BOUNDED(unpack, 256, 0)
{
  mail_wait(mail);
  const double *const from = mail_inbox(mail, inbox, half_of(mail, 1));
  EACH(n, (long long)sent_count * BP_FIELDS)
  {
    const unsigned place = sent[n / BP_FIELDS];
    if (place != (unsigned)NOWHERE)
      sparse_out[n % BP_FIELDS * stride + place] = (real)from[n];
  }
}

/* ---- sums ---- */

/* Of a field. Either p . A p, or as many as `count` of the others. */
typedef struct {
  const real *r, *p, *ap;
  const cycled *z;
  int count;
  bool is_pap, is_first; /* ap is not there yet */
} dot_of;

/* Adds the products at some unknowns, -1 for none. */
BP_DEVICE void dot_add(const dot_of *d, const int *id, double *sum)
{
  real x[DOT_TURNS], ap[DOT_TURNS];
  cycled z[DOT_TURNS];
  BP_UNROLL
  for (int t = 0; t < DOT_TURNS; ++t) {
    const bool is_there = id[t] >= 0, has_z = d->count > 1;
    x[t] = is_there ? (d->is_pap ? d->p : d->r)[id[t]] : 0;
    ap[t] = is_there && (d->is_pap || has_z) && !d->is_first ? d->ap[id[t]] : 0;
    z[t] = is_there && has_z ? d->z[id[t]] : 0;
  }
  BP_UNROLL
  for (int t = 0; t < DOT_TURNS; ++t) {
    sum[0] += bp_multiply(x[t], d->is_pap ? ap[t] : x[t]);
    sum[1] += bp_multiply(x[t], z[t]);
    sum[2] += bp_multiply(ap[t], z[t]);
  }
}

/* Of element e; own[] of its surface nodes: the unknown, if it has it first in the whole mesh; else -1. */
BP_DEVICE void dot_element(const dot_of *d, long long e, const int *own, double *sum)
{
  int id[DOT_TURNS];
  BP_NO_UNROLL
  for (int begin = 0; begin < ELEMENT_INNER; begin += 32 * DOT_TURNS) {
    BP_UNROLL
    for (int t = 0; t < DOT_TURNS; ++t) {
      const int n = begin + bp_lane() + 32 * t;
      id[t] = n < ELEMENT_INNER ? (int)(e * ELEMENT_INNER) + n : -1;
    }
    dot_add(d, id, sum);
  }
  BP_NO_UNROLL
  for (int begin = 0; begin < ELEMENT_SURFACE; begin += 32 * DOT_TURNS) {
    BP_UNROLL
    for (int t = 0; t < DOT_TURNS; ++t) {
      const int m = begin + bp_lane() + 32 * t;
      id[t] = m < ELEMENT_SURFACE ? own[e * ELEMENT_SURFACE + m] : -1;
    }
    dot_add(d, id, sum);
  }
}

/* x, rounded to a multiple of what is 2^-51 of `most`. */
BP_DEVICE double rounded_to_word(double x, double most)
{
  const double up = 3 * most;
  return -most < x && x < most ? x + up - up : x;
}

/* Words of the sums that the row tells, of each block. */
BP_KERNEL_BOUNDED(dot, 32 * DOT_WARPS, 2)
{
  BP_SHARED(double, words, [DOT_WARPS][DOT_MOST * BP_MG_WORDS]);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], count = (int)numbers[BP_MG_COARSE],
            w = bp_lane() % BP_MG_WORDS;
  const double scale = numbers[BP_MG_SCALE], most = ldexp(1.0, 51 + WORD_UNIT - WORD_BITS * w),
               above = ldexp(most, WORD_BITS);
  /* powers of two, so that words have what matters */
  const double factors[DOT_MOST] = {begin == BP_MG_PAP ? 1 : scale * scale, scale, 1};
  double word[DOT_MOST] = {0};
  for (long long e = (long long)blockIdx.x * DOT_WARPS + bp_warp(); e < elements;
       e += (long long)gridDim.x * DOT_WARPS)
    for (int f = 0; f < BP_FIELDS; ++f) {
      const bool is_pap = begin == BP_MG_PAP, is_first = !is_pap && counts[COUNT_COMPLETED] == 0;
      const dot_of d = {r + f * stride, p + f * stride, ap + f * stride, cycle_x + f * stride,
                        count,          is_pap,         is_first};
      double own[DOT_MOST] = {0};
      dot_element(&d, e, box_nodes, own);
      BP_UNROLL
      for (int s = 0; s < DOT_MOST; ++s) {
        BP_UNROLL
        for (int mask = 16; mask > 0; mask /= 2)
          own[s] += bp_shuffle_xor(own[s], mask);
        own[s] = bp_multiply(own[s], factors[s]);
        word[s] += rounded_to_word(own[s], most) - (w > 0 ? rounded_to_word(own[s], above) : 0);
      }
    }
  BP_UNROLL
  for (int s = 0; s < DOT_MOST; ++s)
    if (bp_lane() < BP_MG_WORDS)
      words[bp_warp()][s * BP_MG_WORDS + w] = word[s];
  BP_BARRIER();
  EACH_HERE(n, count * BP_MG_WORDS)
  {
    const int s = n / BP_MG_WORDS;
    double sum = 0;
    for (int m = 0; m < DOT_WARPS; ++m)
      sum += words[m][n];
    state[(begin + s) * BP_MG_PARTS + blockIdx.x * BP_MG_WORDS + w] = sum / factors[s];
  }
}

/* Those of all blocks, for all ranks: one block. Without mailboxes they are where `total` looks. */
BP_KERNEL_BOUNDED(words, 256, 0)
{
  BP_SHARED(double, parts, [256]);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], end = begin + (int)numbers[BP_MG_COARSE],
            blocks = (int)numbers[BP_MG_BEFORE], w = bp_thread() % BP_MG_WORDS,
            ranks = (int)mail[BP_MAIL_RANKS], half = half_of(mail, 0);
  for (int sum = begin; sum < end; ++sum) {
    double word = 0;
    for (int n = bp_thread() / BP_MG_WORDS; n < blocks; n += bp_threads() / BP_MG_WORDS)
      word += state[sum * BP_MG_PARTS + n * BP_MG_WORDS + w];
    parts[bp_thread()] = word;
    BP_BARRIER();
    if (bp_thread() < BP_MG_WORDS) {
      word = 0;
      for (int n = w; n < bp_threads(); n += BP_MG_WORDS)
        word += parts[n];
      for (int n = 0; n < ranks; ++n)
        mail_words(mail, n, half)[(mail[BP_MAIL_RANK] * DOT_MOST + sum - begin) * BP_MG_WORDS + w] =
            word;
      if (ranks == 0)
        state[BP_MG_TOTALS + sum * BP_MG_WORDS + w] = word;
    }
    BP_BARRIER();
  }
  if (ranks > 0)
    mail_post(mail);
}

/* What has come of all ranks. */
BP_KERNEL_BOUNDED(hear, 64, 0)
{
  mail_wait(mail);
  const double *const numbers = row_of(schedule, row);
  const int begin = (int)numbers[BP_MG_FLAGS], count = (int)numbers[BP_MG_COARSE],
            half = half_of(mail, 1);
  EACH_HERE(n, count * BP_MG_WORDS)
  {
    double word = 0;
    for (int m = 0; m < (int)mail[BP_MAIL_RANKS]; ++m)
      word += mail_words(mail, mail[BP_MAIL_RANK], half)[m * DOT_MOST * BP_MG_WORDS + n];
    state[BP_MG_TOTALS + begin * BP_MG_WORDS + n] = word;
  }
}

#endif
