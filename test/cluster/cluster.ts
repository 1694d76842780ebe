import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type RunOptions, run, start } from './run.js';

/** Where `up` keeps what it makes: CLUSTER_HOME, by default in the user's cache. */
export const clusterHome =
  process.env.CLUSTER_HOME || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pinkas-cluster');
export const kindName = 'pinkas';
export const kindConfig = join(clusterHome, 'kind.kubeconfig');
/** kubectl and helm of the cluster of our own nodes, which is reached from its network namespace alone. */
const ownPrograms = join(clusterHome, 'state/bin');
const namespace = 'pinkas';

/** `given`: KUBECONFIG names it. `kind` and `nodes`: `up` has made it. */
export type ClusterKind = 'given' | 'kind' | 'nodes';

export interface Pod {
  metadata: { name: string; namespace: string; labels?: Record<string, string> };
  spec: { nodeName: string };
  status: { podIP: string; conditions?: { type: string; status: string }[] };
}

/** The Kubernetes that a command works on. */
export class Cluster {
  private constructor(
    readonly kind: ClusterKind,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @throws when neither KUBECONFIG nor `up` says which. */
  static find(): Cluster {
    if (process.env.KUBECONFIG) {
      return new Cluster('given', {});
    }
    if (existsSync(ownPrograms)) {
      return new Cluster('nodes', { PATH: `${ownPrograms}:${process.env.PATH}` });
    }
    if (existsSync(kindConfig)) {
      return new Cluster('kind', { KUBECONFIG: kindConfig });
    }
    throw new Error('there is no cluster: set KUBECONFIG, or run npm run cluster -- up');
  }

  /** Runs commands of a page. */
  async bash(script: string, options: RunOptions): Promise<string> {
    return run('bash', ['-euo', 'pipefail', '-c', script], {
      ...options,
      env: { ...this.env, ...options.env },
    });
  }

  /** @param words separated by spaces, or a list where one has a space. */
  kubectl(words: string | readonly string[], options: RunOptions = {}): Promise<string> {
    const list = typeof words === 'string' ? words.split(' ') : words;
    return run('kubectl', list, { ...options, env: this.env });
  }

  /** In the namespace of the release. */
  k(words: string | readonly string[], options: RunOptions = {}): Promise<string> {
    const list = typeof words === 'string' ? words.split(' ') : words;
    return this.kubectl(['-n', namespace, ...list], options);
  }

  /** Runs a script on Node in a pod; it runs until its standard input ends, or it is done. */
  script(pod: string, script: string, args: readonly string[], options: RunOptions = {}) {
    const words = [
      'exec',
      '-i',
      ...pod.split(' '),
      '--',
      'node',
      '--input-type=module',
      '-e',
      script,
      '--',
      ...args,
    ];
    return start('kubectl', words, { ...options, env: this.env });
  }

  async list<T>(words: string): Promise<T[]> {
    return (JSON.parse(await this.kubectl(`get ${words} -o json`)) as { items: T[] }).items;
  }

  pods(component: string): Promise<Pod[]> {
    return this.list<Pod>(`pods -n ${namespace} -l app.kubernetes.io/component=${component}`);
  }

  /** Waits until what was changed is there and ready: `deployment/pinkas-issuing`. */
  async rolledOut(workload: string): Promise<void> {
    await this.k(`rollout status ${workload} --timeout=300s`);
  }

  apply(manifest: object): Promise<string> {
    return this.kubectl('apply -f -', { input: JSON.stringify(manifest) });
  }

  /** The operator's command, in its pod. @returns what it printed as JSON. */
  async pinkas<T>(words: string, input?: string): Promise<T> {
    const printed = await this.k(`exec -i deploy/pinkas-operator -- pinkas ${words} --json`, {
      input: input ?? '',
    });
    return JSON.parse(printed) as T;
  }
}
