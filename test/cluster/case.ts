import { readFile, writeFile } from 'node:fs/promises';
import { serviceNames } from '@pinkas/contracts';
import { parse, stringify } from 'yaml';
import { figure, type Row } from '../bench/report.js';
import type { Verification } from '../harness/running-stack.js';
import type { Cluster, Pod } from './cluster.js';
import { operatorFolder, valuesFile } from './install.js';
import { type LoadReport } from './load.js';
import { PageCommands } from './page-commands.js';
import { secondsSince } from './run.js';
import { merged, type Values } from './values.js';

/** What a case gets. */
export interface Context {
  readonly cluster: Cluster;
  /** Of the business whose documents the load issues. */
  readonly apiKey: string;
}

/** Why a case cannot run on this cluster. */
export class Skipped extends Error {}

/** @returns its figures. @throws when what it is about does not hold; Skipped. */
export type Case = (context: Context) => Promise<Row[]>;

export const replicated = [...serviceNames, 'printer'];
export const cnpgPods = '-n pinkas -l cnpg.io/cluster=pinkas-postgres';

/** Deletes each pod of a workload, one after another, and waits for its successor. */
export async function deleteEach(cluster: Cluster, component: string, workload: string): Promise<void> {
  for (const { metadata } of await cluster.pods(component)) {
    await cluster.k(`delete pod ${metadata.name}`);
    await cluster.rolledOut(workload);
  }
}

/** @throws when more requests were refused at the first try than may be. */
export function rowsOf(name: string, report: LoadReport, refusedMax = 0): Row[] {
  if (report.refused > refusedMax) {
    throw new Error(
      `${report.refused} of ${report.documents} requests failed at the first try: ${report.outcomes.join('; ')}`,
    );
  }
  return [
    figure(`${name}_documents`, report.documents, 'documents that were issued'),
    figure(`${name}_refused`, report.refused, 'requests that failed at the first try'),
    figure(`${name}_p50_ms`, report.p50Ms, 'median'),
    figure(`${name}_max_ms`, report.maxMs, 'slowest'),
    figure(`${name}_pause_s`, report.longestPauseS, 'longest time without a document'),
  ];
}

export const operatorValues = async () => parse(await readFile(valuesFile, 'utf8')) as Values;

/** Changes the operator's values, and upgrades by the command of the page. */
export async function upgrade(cluster: Cluster, change: Values = {}): Promise<void> {
  const values = await operatorValues();
  await writeFile(valuesFile, stringify(merged(values, change)), { mode: 0o600 });
  const page = await PageCommands.of('docs/operating/upgrade.md');
  await cluster.bash(page.block('Upgrade', 'sh'), { cwd: operatorFolder, timeoutMs: 1_200_000 });
}

/** Proves every book of the cluster. @returns how many documents there are. */
export async function verified(cluster: Cluster): Promise<number> {
  const { ok, businesses } = await cluster.pinkas<Verification>('verify');
  const findings = businesses.flatMap((business) => business.findings);
  if (!ok) {
    throw new Error(`pinkas verify: ${JSON.stringify(findings.slice(0, 5))}`);
  }
  return businesses.reduce((sum, { documents }) => sum + documents, 0);
}

interface PodUsage {
  podRef: { name: string; namespace: string };
  memory?: { workingSetBytes?: number };
  cpu?: { usageCoreNanoSeconds?: number };
}

/** What the kubelets say that the pods use, by component. */
export async function usage(cluster: Cluster): Promise<Map<string, { memoryMb: number; cpuS: number }>> {
  const nodes = await cluster.list<Pod>('nodes');
  const summaries = await Promise.all(
    nodes.map(async ({ metadata }) => {
      const text = await cluster.kubectl(`get --raw /api/v1/nodes/${metadata.name}/proxy/stats/summary`);
      return (JSON.parse(text) as { pods: PodUsage[] }).pods;
    }),
  );
  const components = new Map(
    (await cluster.list<Pod>('pods -n pinkas')).map(({ metadata: { name, labels } }) => [
      name,
      labels?.['app.kubernetes.io/component'] ?? (labels?.['cnpg.io/cluster'] ? 'postgres' : name),
    ]),
  );
  const usages = new Map<string, { memoryMb: number; cpuS: number }>();
  for (const { podRef, memory, cpu } of summaries.flat()) {
    const component = podRef.namespace === 'pinkas' ? components.get(podRef.name) : undefined;
    if (component !== undefined) {
      const former = usages.get(component) ?? { memoryMb: 0, cpuS: 0 };
      usages.set(component, {
        memoryMb: Math.max(former.memoryMb, (memory?.workingSetBytes ?? 0) / 2 ** 20),
        cpuS: former.cpuS + (cpu?.usageCoreNanoSeconds ?? 0) / 1e9,
      });
    }
  }
  return usages;
}

export interface CnpgCluster {
  status: { currentPrimary: string; targetPrimary: string; readyInstances?: number; phase: string };
  spec: { instances: number };
}

export const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Waits until something holds. @throws when it does not within so many seconds. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 180): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (secondsSince(startedAt) > seconds) {
      throw new Error(`${what}: not within ${seconds} s`);
    }
    await wait(1);
  }
}
