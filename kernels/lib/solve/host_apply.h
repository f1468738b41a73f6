/* host_apply.h -- host_apply(), the operator of the header that includes this: compiled once for the
 * variants of a folder, in its shared/apply.c; where a variant is compiled alone, with it. */
#ifndef BP_KERNELS_SOLVE_HOST_APPLY_H
#define BP_KERNELS_SOLVE_HOST_APPLY_H

#ifdef BP_APPLY
void BP_APPLY(const host_operator *o, const bp_cpu_arguments *a, const real *factors, bp_vector *u);
#define host_apply BP_APPLY
#else
#define host_apply host_apply_here
#endif

#endif
