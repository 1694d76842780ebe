import type { Progress } from './command.js';
import { printable } from './printable.js';

/** Moves to the beginning of the line and erases it (ECMA-48). */
const eraseLine = '\r\u001b[K';
/** Of a terminal that does not say how wide it is. */
const usualColumns = 80;

/** Progress on one line of a terminal. */
interface TerminalProgress extends Progress {
  /** Erases the progress line. */
  end(): void;
}

/**
 * Progress on a terminal.
 * @param stream standard error, so that standard output contains the result only.
 * @param enabled false: nothing is ever shown.
 */
export function terminalProgress(stream: NodeJS.WriteStream, enabled: boolean): TerminalProgress {
  let shown = false;
  return {
    show(line) {
      if (!enabled || !stream.isTTY) {
        return;
      }
      stream.write(`${eraseLine}${printable(line).slice(0, (stream.columns || usualColumns) - 1)}`);
      shown = true;
    },
    print(line) {
      this.end();
      stream.write(`${printable(line)}\n`);
    },
    end() {
      if (shown) {
        stream.write(eraseLine);
      }
      shown = false;
    },
  };
}
