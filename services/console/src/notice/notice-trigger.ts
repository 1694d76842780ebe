/** What sends notices, for those who make one due. */
export abstract class NoticeTrigger {
  /** A notice may be due. */
  abstract trigger(): void;
}
