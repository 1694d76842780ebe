import { environment } from '../config.js';
import type { Home } from '../home.js';
import { readState, supervisorOf } from '../run-state.js';
import { StepError, type Steps } from '../steps.js';

/**
 * Reads the arguments of a command that starts the system: `--separate` is `PINKAS_LAYOUT=separate`.
 * @throws StepError for any other.
 */
export function readLayout(args: readonly string[]): void {
  for (const arg of args) {
    if (arg !== '--separate') {
      throw new StepError(
        `'${arg}' is no argument of this command: it has --separate, for one process a service`,
      );
    }
    environment.PINKAS_LAYOUT = 'separate';
  }
}

/** Notes that a system which runs keeps its layout, where another is wanted. */
export function noteLayout(steps: Steps, home: Home, wanted: 'one' | 'separate'): void {
  const supervisor = supervisorOf(home);
  const parts = (supervisor && readState(home, supervisor)?.parts) ?? [];
  const runsInOne = parts.some(({ members }) => members.length > 0);
  if (parts.length > 0 && environment.PINKAS_LAYOUT && runsInOne !== (wanted === 'one')) {
    steps.note(
      runsInOne
        ? 'Its services run in one process until npm run down.'
        : 'Each of its services runs in a process of its own until npm run down.',
    );
  }
}
