/** What is known of something that may be broken, after each try. */
export type CircuitState =
  | { readonly kind: 'closed'; readonly failures: number }
  | {
      readonly kind: 'open';
      /** When it is tried again, in milliseconds since 1970. */
      readonly probeAtMs: number;
      /** How long the pause before that try is. */
      readonly pauseMs: number;
    };

/** When a circuit opens, and how long it stays so. */
export interface CircuitRules {
  /** So many failures in a row open it. */
  readonly failuresMax: number;
  /** The pause before the first probe; each one that fails doubles it. */
  readonly pauseMs: number;
  readonly pauseMaxMs: number;
}

export const closedCircuit: CircuitState = { kind: 'closed', failures: 0 };

/** The state after work has failed. What was begun before the circuit opened changes nothing. */
export function afterFailure(state: CircuitState, rules: CircuitRules, nowMs: number): CircuitState {
  if (state.kind === 'open') return state;
  const failures = state.failures + 1;
  return failures < rules.failuresMax ? { kind: 'closed', failures } : openFor(rules.pauseMs, nowMs);
}

/** The state after a probe has failed. After a success, of a probe or of work, the circuit is closed. */
export function afterFailedProbe(state: CircuitState, rules: CircuitRules, nowMs: number): CircuitState {
  const pauseMs = state.kind === 'open' ? 2 * state.pauseMs : rules.pauseMs;
  return openFor(Math.min(pauseMs, rules.pauseMaxMs), nowMs);
}

const openFor = (pauseMs: number, nowMs: number): CircuitState => ({
  kind: 'open',
  probeAtMs: nowMs + pauseMs,
  pauseMs,
});
