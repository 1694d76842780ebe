import { Metrics } from '@pinkas/service-kit';
import type { Source } from '../harness/sources.js';

/** What a metric is registered as, and the labels that the code gives it. */
const registration =
  /\.(counters?|histogram|gauges?)(?:<[^>]*>)?\(\s*'(\w+)',\s*'(?:[^'\\]|\\.)*',?\s*(\[[^\]]*\]|'\w+')?/g;

/** What Prometheus adds to every sample  (templates/monitoring.yaml, and the Prometheus operator). */
const addedLabels = ['app_kubernetes_io_component', 'namespace', 'pod'];

/** The names of all samples that a process can have, each with its labels. */
export async function samplesOf(sources: readonly Source[]): Promise<Map<string, Set<string>>> {
  const samples = new Map<string, Set<string>>();
  const add = (name: string, labels: readonly string[]) =>
    samples.set(name, new Set([...labels, ...addedLabels]));
  for (const { path, text } of sources) {
    if (path.endsWith('.spec.ts') || path.includes('/test/')) {
      continue;
    }
    for (const [, kind, name = '', labelled = ''] of text.matchAll(registration)) {
      const labels = [...labelled.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '');
      if (kind !== 'histogram') {
        add(name, labels);
      } else {
        for (const part of ['bucket', 'sum', 'count']) {
          add(`${name}_${part}`, part === 'bucket' ? [...labels, 'le'] : labels);
        }
      }
    }
  }
  // Those of the kubelet, on which alerts are.
  for (const name of ['kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes']) {
    add(name, ['persistentvolumeclaim']);
  }
  // Those of Node and the process itself.
  for (const [, name = ''] of (await new Metrics().text()).matchAll(/^([a-z]\w*)[ {]/gm)) {
    add(name, []);
  }
  return samples;
}

/** Words of PromQL that are where names are. */
const keywords = new Set(['by', 'or', 'and', 'unless', 'on', 'without', 'offset', 'bool']);

/** What is wrong with the names of an expression: metrics that no process exports, labels that its metrics do not have. */
export function wrongNames(expression: string, samples: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const wrong: string[] = [];
  const reported = new Set<string>();
  const bare = expression
    .replaceAll(/\{([^}]*)\}/g, (_all, matchers: string) => `{${matchers.replaceAll(/"[^"]*"/g, '""')}}`)
    .replaceAll(/\[[^\]]*\]/g, '');
  // A name that neither opens a call nor is in a list of labels is a metric.
  const outside = bare
    .replaceAll(/\b(?:by|without|on)\s*\([^)]*\)/g, '')
    .replaceAll(/\{[^}]*\}/g, (all) => ' '.repeat(all.length));
  for (const [, name = ''] of outside.matchAll(/(?<![\w.])([a-z]\w*)(?!\w|\s*\()/g)) {
    if (keywords.has(name)) {
      continue;
    }
    const labels = samples.get(name);
    if (!labels) {
      wrong.push(`no process exports ${name}`);
    }
    for (const label of labels ?? []) {
      reported.add(label);
    }
  }
  for (const [, name = '', matchers = ''] of bare.matchAll(/([a-z]\w*)\{([^}]*)\}/g)) {
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!samples.get(name)?.has(label)) {
        wrong.push(`${name} has no label ${label}`);
      }
    }
  }
  for (const [, list = ''] of bare.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)) {
    for (const label of list.split(',').map((part) => part.trim())) {
      if (!reported.has(label)) {
        wrong.push(`nothing in it has the label ${label}`);
      }
    }
  }
  if (reported.size === 0) {
    wrong.push('it names no metric');
  }
  return wrong;
}
