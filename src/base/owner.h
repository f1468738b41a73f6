/* owner.h -- whether others can have written a file or folder whose content will be run or believed. */
#ifndef BP_BASE_OWNER_H
#define BP_BASE_OWNER_H

/* NULL where only this user and root can have written it, or where it cannot be opened; else what was found:
 * "one of user bob", "one that others may write (mode 0777)". Free with bp_free. The group counts as others unless
 * it is the user's own (its number is the user's). */
char *bp_owner_doubt(const char *path);

#endif
