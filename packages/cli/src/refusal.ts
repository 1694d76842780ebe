import type { Fault } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';

/** What the command cannot do, and what to do about it, in one line for the operator. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The line on standard error for anything that went wrong. */
export function refusalLine(error: unknown): string {
  const text =
    error instanceof Problem ? problemText(error) : error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim();
}

function problemText(problem: Problem): string {
  if (problem.code === 'validation_error') {
    const faults = (problem.details?.errors ?? []) as Fault[];
    return `Correct these and try again: ${faults.map(faultText).join('; ')}`;
  }
  if (problem.code === 'engine_error') {
    const cause = problem.cause instanceof Error ? ` (${problem.cause.message})` : '';
    return `A service did not answer${cause}: see whether all of them run with npm run up, and try again`;
  }
  return `${problem.message} The log of the service says more`;
}

/** The operator wrote a file of settings; where it travelled in the request is not theirs to know. */
function faultText({ path, message }: Fault): string {
  return `${path.replace(/^\/(business|change)(?=\/|$)/, '') || '/'} ${message}`;
}
