/** How a command shows what it does; made by the entry file, since its first steps come before anything is built. */
export interface Steps {
  /**
   * Shows the step while `work` runs, then its seconds. A failure is shown at once, with its `lines` when the error is a
   * `StepError`, and thrown on.
   *
   * @param work - may call `detail` to say what is going on.
   */
  run<Value>(name: string, work: (detail: (text: string) => void) => Promise<Value>): Promise<Value>;
  /** One line beside the steps. */
  note(text: string): void;
}

/** A failure that explains itself. */
export class StepError extends Error {
  override readonly name = 'StepError';

  /**
   * @param message - what failed, in one line.
   * @param logFile - where more can be read; null where there is no more.
   * @param lines - the end of that file.
   */
  constructor(
    message: string,
    readonly logFile: string | null = null,
    readonly lines: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
