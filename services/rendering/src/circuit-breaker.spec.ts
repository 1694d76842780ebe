import { describe, expect, it } from '@jest/globals';
import { afterFailedProbe, afterFailure, type CircuitState, closedCircuit } from './circuit-breaker.js';

const rules = { failuresMax: 3, pauseMs: 1_000, pauseMaxMs: 3_000 };
const failed = (times: number, from: CircuitState = closedCircuit) =>
  Array.from({ length: times }).reduce<CircuitState>((state) => afterFailure(state, rules, 100), from);

describe('circuit breaker', () => {
  it('a circuit opens at the last of the allowed failures in a row', () => {
    expect(failed(2)).toEqual({ kind: 'closed', failures: 2 });
    expect(failed(3)).toEqual({ kind: 'open', probeAtMs: 1_100, pauseMs: 1_000 });
  });

  it('an open circuit ignores a failure of work that began before it opened', () => {
    const open = failed(3);
    expect(afterFailure(open, rules, 900)).toBe(open);
  });

  it('a circuit doubles the pause after each failed probe, up to a maximum', () => {
    const pauses = [failed(3)];
    for (let probe = 0; probe < 3; probe += 1) {
      pauses.push(afterFailedProbe(pauses.at(-1) ?? closedCircuit, rules, 5_000));
    }
    expect(pauses.slice(1)).toEqual([
      { kind: 'open', probeAtMs: 7_000, pauseMs: 2_000 },
      { kind: 'open', probeAtMs: 8_000, pauseMs: 3_000 },
      { kind: 'open', probeAtMs: 8_000, pauseMs: 3_000 },
    ]);
  });
});
