import type { Progress } from './command.js';

/** Goes back to the beginning of the line and empties it (ECMA-48). */
const emptyLine = '\r\u001b[K';

/** Progress on one line of a terminal. */
export interface TerminalProgress extends Progress {
  /** Takes the line away, so that what comes next stands alone. */
  end(): void;
}

/**
 * Shows progress where a person reads it: on a terminal.
 * @param stream standard error, so that standard output holds nothing but the answer.
 * @param wanted false: nothing is ever shown.
 */
export function terminalProgress(stream: NodeJS.WriteStream, wanted: boolean): TerminalProgress {
  let shown = false;
  return {
    show(line) {
      if (!wanted || !stream.isTTY) return;
      stream.write(`${emptyLine}${line.slice(0, Math.max(1, stream.columns - 1))}`);
      shown = true;
    },
    say(line) {
      this.end();
      stream.write(`${line}\n`);
    },
    end() {
      if (shown) stream.write(emptyLine);
      shown = false;
    },
  };
}
