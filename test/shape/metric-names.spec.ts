import { describe, expect, it } from '@jest/globals';
import { samplesOf, wrongNames } from './metric-names.js';

const source = {
  path: 'services/x/src/x-metrics.ts',
  text: `
    this.a = metrics.counter<'outcome'>('pinkas_asked_total', 'What was asked; it\\'s counted (here).', ['outcome']);
    this.b = metrics.histogram(
      'pinkas_asked_seconds',
      'How long.',
      ['contract'],
    );
    metrics.gauges('pinkas_waiting', 'What waits.', 'consumer', async () => []);
    metrics.gauge('pinkas_idle', 'Whether.', async () => 1);
  `,
};

describe('the names in an expression', () => {
  it.each([
    'sum by (outcome) (rate(pinkas_asked_total{outcome!="ok"}[5m])) / sum(rate(pinkas_asked_total[5m])) > 0.02',
    'histogram_quantile(0.95, sum by (le, contract) (rate(pinkas_asked_seconds_bucket[5m])))',
    'max by (consumer) (pinkas_waiting{namespace="$namespace"}) > 0 or absent(pinkas_idle)',
    'max by (pod) (process_resident_memory_bytes)',
  ])('the check accepts the expression %s', async (expression) => {
    expect(wrongNames(expression, await samplesOf([source]))).toEqual([]);
  });

  it.each([
    ['sum(rate(pinkas_asked[5m]))', 'no process exports pinkas_asked'],
    ['rate(pinkas_asked_seconds[5m])', 'no process exports pinkas_asked_seconds'],
    ['pinkas_waiting{outcome="ok"}', 'pinkas_waiting has no label outcome'],
    ['sum by (le) (pinkas_asked_seconds_count)', 'nothing in it has the label le'],
    ['sum by (consumers) (pinkas_waiting)', 'nothing in it has the label consumers'],
    ['pinkas_idle > 0 or up', 'no process exports up'],
    ['vector(1)', 'it names no metric'],
  ])('the check rejects the expression %s', async (expression, wrong) => {
    expect(wrongNames(expression, await samplesOf([source]))).toContain(wrong);
  });
});
