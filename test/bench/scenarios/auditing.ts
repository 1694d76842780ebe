import { serviceNames, signHeads } from '@pinkas/contracts';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { Operator } from '../../harness/operator.js';
import { runPinkas } from '../pinkas-process.js';
import { figure, progress, type Row } from '../report.js';
import type { ScenarioOptions, StartSystem } from '../scenarios.js';

/**
 * Time and memory of `pinkas audit verify` of many businesses after many days. On each day every trail of every business gets an
 * entry, and rendering signs the ends, as it does once a day; the books have no documents.
 */
export async function measureAuditing(
  start: StartSystem,
  { businesses = 100, days = 365 }: ScenarioOptions,
): Promise<Row[]> {
  const stack = await start();
  const operator = await Operator.at(stack);
  const administrator = await DatabaseAdministrator.connect(stack);
  let statements = 0;
  try {
    const ids: string[] = [];
    for (let made = 0; made < businesses; made += 1) {
      ids.push((await operator.newIssuer()).business.id);
    }
    // The owner of the trails sees those of every business as a service does, by its setting.
    const append = sql`
      with scope as materialized (select set_config('pinkas.business_id', '*', true))
      select audit_append(id, 'key.create', id::text, 'operator', null, null, '{"name":"measured"}')
      from scope, unnest(${sql.val(ids)}::uuid[]) as id`;
    for (let day = 1; day <= days; day += 1) {
      await Promise.all(serviceNames.map((service) => administrator.change(service, append)));
      statements += (await operator.call(signHeads, {})).statements;
      if (day % 25 === 0 || day === days) {
        progress(`  ${day} of ${days} days of ${businesses} businesses, ${statements} statements`);
      }
    }
  } finally {
    await administrator.close();
    await operator.close();
  }
  const { s, cpuS, peakMb } = await runPinkas((await stack.file()).nats_url, ['audit', 'verify']);
  const heads = businesses * days * serviceNames.length;
  progress(
    `audit verify: ${s.toFixed(0)} s, ${cpuS.toFixed(0)} s of processor time, ${peakMb.toFixed(0)} MB`,
  );
  return [
    figure(
      'audit_verify_s',
      s,
      `pinkas audit verify, ${heads} signed ends in ${statements} statements: seconds`,
    ),
    figure('audit_verify_cpu_s', cpuS, 'processor time of the command, seconds'),
    figure('audit_verify_peak_mb', peakMb, 'memory of the command at its peak (VmHWM), MB'),
  ];
}
