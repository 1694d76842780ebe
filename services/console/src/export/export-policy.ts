export const gib = 1024 ** 3;
/** How many exports of one business may wait or run. */
export const unfinishedMax = 3;
/** How many bytes the files of one business may have together before it may request another. */
export const storedMaxBytes = 8 * gib;
/** How often an export is attempted. */
export const attemptsMax = 3;
/** The pauses before the second and the third attempt. */
export const pausesMs = [30_000, 120_000] as const;
/** How long an attempt takes at most: a million documents take ten minutes. */
export const attemptMaxMs = 2 * 60 * 60 * 1_000;
/** How long a claim lasts after it was extended. */
export const claimMs = 60_000;
/** How long a finished file is kept. */
export const retentionMs = 7 * 24 * 60 * 60 * 1_000;
/** How long the accountant's files of a month are kept: until those of the next one are there. */
export const packageRetentionMs = 35 * 24 * 60 * 60 * 1_000;
/** How many documents one request sends by email. */
export const emailsMax = 500;
/** How much an export may write into its temporary folder, all its files together. */
export const folderMaxBytes = 4 * gib;
/** The size of a stored chunk; the last one is smaller. */
export const chunkBytes = 1024 * 1024;
/** How many names of documents without a PDF are kept. */
export const missingPdfsMax = 100;
