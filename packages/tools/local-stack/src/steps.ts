/** Shows the progress of a command. The entry file creates it, since the first steps run before the build. */
export interface Steps {
  /**
   * Shows the step while `work` runs, then its duration. A failure is shown, with its `lines` when the error is a
   * `StepError`, and thrown again.
   *
   * @param work - may call `detail` to show what it does.
   */
  run<Value>(name: string, work: (detail: (text: string) => void) => Promise<Value>): Promise<Value>;
  /** Shows one line between the steps. */
  note(text: string): void;
}

/** A failure with the log lines that explain it. */
export class StepError extends Error {
  override readonly name = 'StepError';

  /**
   * @param message - the failure, in one line.
   * @param logFile - the whole log; null when there is none.
   * @param lines - the last lines of the log.
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
