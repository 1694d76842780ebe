import { mkdir, rm } from 'node:fs/promises';
import { figure, print, progress } from '../bench/report.js';
import { commandOptions, refuseOptions } from '../harness/command-options.js';
import { Cluster, clusterHome, kindConfig, kindName } from './cluster.js';
import { install, nodeScript, sizes } from './install.js';
import { run, step } from './run.js';
import { cases, test } from './suite.js';

const usage = `npm run cluster -- up | install | test [CASE …] | down [--all]
  up        makes a Kubernetes on this machine: with kind where it and Docker are there, else two nodes of Debian's
            packages, Go modules and the source trees of CLUSTER_SOURCES
  install   builds the images, and installs the chart by the commands of docs/operating/install.md
  test      runs the cases, or those named: ${Object.keys(cases).join(', ')}
  down      ends what up has made
    --size SIZE   what install installs: ${sizes.join(', ')}; small by default
    --all         removes the programs and images that up has built as well
    --json        the figures as one line of JSON
  install and test work on the cluster that KUBECONFIG names, otherwise on that of up. docs/operating/cluster.md`;
const { values, positionals } = commandOptions(usage, {
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'small' },
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [command = '', ...wanted] = positionals;

async function up(): Promise<void> {
  await mkdir(clusterHome, { recursive: true });
  const hasKind = await Promise.all([run('docker', ['info']), run('kind', ['version'])]).then(
    () => true,
    () => false,
  );
  if (hasKind) {
    const config = {
      kind: 'Cluster',
      apiVersion: 'kind.x-k8s.io/v1alpha4',
      nodes: [{ role: 'control-plane' }, { role: 'worker' }, { role: 'worker' }],
    };
    await step('kind', () =>
      run(
        'kind',
        [
          'create',
          'cluster',
          '--name',
          kindName,
          '--kubeconfig',
          kindConfig,
          '--wait',
          '300s',
          '--config',
          '-',
        ],
        {
          input: JSON.stringify(config),
        },
      ),
    );
    return;
  }
  await step('programs', () => nodeScript('get-programs'));
  await step('images of the cluster', () => nodeScript('make-images'));
  await step('backup plugin', () => nodeScript('make-object-store'));
  await step('nodes', () => nodeScript('up'));
}

async function down(): Promise<void> {
  await step('down', async () => {
    await nodeScript('down', ...(values.all ? ['--all'] : []));
    if (
      await rm(kindConfig).then(
        () => true,
        () => false,
      )
    ) {
      await run('kind', ['delete', 'cluster', '--name', kindName]);
    }
  });
}

async function main(): Promise<void> {
  if (command === 'up') {
    await up();
  } else if (command === 'install') {
    const size = sizes.find((name) => name === values.size);
    if (size === undefined) {
      refuseOptions(usage, `--size is one of ${sizes.join(', ')}`);
    }
    const { installS, testS } = await install(Cluster.find(), size);
    print(
      [
        figure('install_s', installS, 'helm install, until everything is ready'),
        figure('helm_test_s', testS, 'helm test, at its first try'),
      ],
      values.json,
    );
  } else if (command === 'test') {
    const unknown = wanted.filter((name) => !(name in cases));
    if (unknown.length > 0) {
      refuseOptions(usage, `There is no case ${unknown.join(', ')}`);
    }
    const { rows, failed } = await test(Cluster.find(), wanted);
    print(rows, values.json);
    process.exitCode = failed > 0 ? 1 : 0;
  } else if (command === 'down') {
    await down();
  } else {
    refuseOptions(usage, command ? `There is no command ${command}` : 'Name a command');
  }
}

await main().catch((error: unknown) => {
  progress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
