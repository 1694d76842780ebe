import { describe, expect, it } from '@jest/globals';
import { afterFailedProbe, afterFailure, type CircuitState, closedCircuit } from './circuit-breaker.js';

const rules = { failuresMax: 3, pauseMs: 1_000, pauseMaxMs: 3_000 };
const failed = (times: number, from: CircuitState = closedCircuit) =>
  Array.from({ length: times }).reduce<CircuitState>((state) => afterFailure(state, rules, 100), from);

describe('a circuit', () => {
  it('opens at the last of so many failures in a row', () => {
    expect(failed(2)).toEqual({ kind: 'closed', failures: 2 });
    expect(failed(3)).toEqual({ kind: 'open', probeAtMs: 1_100, pauseMs: 1_000 });
  });

  it('stays as it is when work fails that was begun before it opened', () => {
    const open = failed(3);
    expect(afterFailure(open, rules, 900)).toBe(open);
  });

  it('waits longer after each probe that fails, and not for ever', () => {
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
