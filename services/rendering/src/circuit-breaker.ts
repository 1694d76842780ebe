/** The state of a circuit around something that may be broken. */
export type CircuitState =
  | { readonly kind: 'closed'; readonly failures: number }
  | {
      readonly kind: 'open';
      /** When the next probe is due, in milliseconds since 1970. */
      readonly probeAtMs: number;
      /** The length of the pause before that probe. */
      readonly pauseMs: number;
    };

/** When a circuit opens, and for how long. */
export interface CircuitRules {
  /** So many failures in a row open it. */
  readonly failuresMax: number;
  /** The pause before the first probe; each failed probe doubles it. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
}

export const closedCircuit: CircuitState = { kind: 'closed', failures: 0 };

/** The state after work failed. Work that began before the circuit opened changes nothing. */
export function afterFailure(state: CircuitState, rules: CircuitRules, nowMs: number): CircuitState {
  if (state.kind === 'open') {
    return state;
  }
  const failures = state.failures + 1;
  return failures < rules.failuresMax ? { kind: 'closed', failures } : openFor(rules.pauseMs, nowMs);
}

/** The state after a probe failed. After a success, of a probe or of work, the circuit is closed. */
export function afterFailedProbe(state: CircuitState, rules: CircuitRules, nowMs: number): CircuitState {
  const pauseMs = state.kind === 'open' ? 2 * state.pauseMs : rules.pauseMs;
  return openFor(Math.min(pauseMs, rules.pauseMaxMs), nowMs);
}

const openFor = (pauseMs: number, nowMs: number): CircuitState => ({
  kind: 'open',
  probeAtMs: nowMs + pauseMs,
  pauseMs,
});
