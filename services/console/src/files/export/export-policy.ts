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
/** The pauses after attempts to transmit a file that failed; after the last one the transmission has failed. */
export const transmissionPausesMs = [30_000, 120_000, 600_000, 3_600_000] as const;
/** How soon the authority is asked what it decided; later half of the time that has passed, and at most hourly. */
export const decisionPauseMs = 5_000;
export const decisionPauseMaxMs = 60 * 60 * 1_000;
/** How long it is asked. */
export const decisionMaxMs = 14 * 24 * 60 * 60 * 1_000;
/** How many documents one request sends by email. */
export const emailsMax = 500;
/** How much an export may write into its temporary folder, all its files together. */
export const folderMaxBytes = 4 * gib;
/** The size of a stored chunk; the last one is smaller. */
export const chunkBytes = 1024 * 1024;
/** How many names of documents without a PDF are kept. */
export const missingPdfsMax = 100;
