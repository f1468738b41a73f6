# banks.sh -- `bp check --banks`: accesses of shared memory, in the emulator.

bp check --banks bp1.0/naive
expect_exit 2
expect_lines stderr 1
expect_stderr '^bp check --banks: expected --backend emulate, found cpu$'

# What a count of the addresses by hand gives: (2 * 9 * 64 + 2 * 8 * 72 + 2 * 9 * 72 + 2 * 8 * 81) / 16 at least.
bp check --backend emulate --banks bp1.0/direct --degree 7 --elements 1 --set options.elements_per_block=1,2
expect_exit 0
expect_stdout '^banks bp1\.0/direct N=7 elements_per_block=1 blocks_per_sm=6 stagger=0 stagger_blocks=6 evict_first=0: 338\.0 accesses of shared memory for an element, 306\.0 at least$'
expect_stdout '^banks bp1\.0/direct N=7 elements_per_block=2 blocks_per_sm=6 stagger=0 stagger_blocks=6 evict_first=0: 321\.0 accesses of shared memory for an element, 306\.0 at least$'
expect_stdout '^2 passed, 0 failed$'

# Without gaps between rows of five and six, banks meet.
bp check --backend emulate --banks bp1.0/direct --degree 4 --elements 1 --set options.elements_per_block=4
expect_stdout '^banks bp1\.0/direct N=4 .*: 102\.5 accesses '
cp -r kernels "$here/kernels"
sed -i -e '/define SAME_BANK/s/((least).*/(least)/' -e 's/size: buffer_ts = .*--/size: buffer_ts = nc * nq*nq --/' \
  -e 's/size: buffer_sr_ecijk = .*--/size: buffer_sr_ecijk = nc*nc*nq --/' "$here/kernels/lib/memory/bank_padding.h"
BP_KERNEL_DIR=$here/kernels bp check --backend emulate --banks bp1.0/direct --degree 4 --elements 1 \
  --set options.elements_per_block=4
expect_exit 0
expect_stdout '^banks bp1\.0/direct N=4 .*: 123\.0 accesses of shared memory for an element, 82\.5 at least$'
