import { columns } from '../table.js';
import { type Check, checks, type Fault } from './checks.js';
import { type BusinessProof, faultsKeptMax } from './verify-business.js';

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** So many documents, as a person reads it. */
export const documentsCounted = (count: number): string => counted(count, 'document', 'documents');

/** What a person reads of the book of one business: every check with its verdict, and under it what is wrong and what to do. */
export function reportOf(proof: BusinessProof): string {
  const { name, id, documents, byType, faults, faultCount } = proof;
  const types = [...byType].map(([type, count]) => `${type} ${count}`).join(', ');
  const lines = [`${name}  ${id}`, `${documentsCounted(documents)}${types && `: ${types}`}`];
  const rows = (Object.keys(checks) as Check[]).map((check) => {
    const found = faults.filter((fault) => fault.check === check);
    return { check, found, row: [check, found.length === 0 ? 'ok' : 'FAULTY', checks[check].proves] };
  });
  const table = columns(rows.map(({ row }) => row)).split('\n');
  for (const [index, { check, found }] of rows.entries()) {
    lines.push(`  ${table[index]}`);
    if (found.length === 0) continue;
    lines.push(...found.map((fault) => `    ${nameOf(fault)}: ${fault.message}`));
    lines.push(`    What to do: ${checks[check].remedy}`);
  }
  if (faultCount > faults.length) {
    lines.push(
      `  And ${counted(faultCount - faults.length, 'fault', 'faults')} more than the ${faultsKeptMax} above`,
    );
  }
  if (proof.underWay > 0) lines.push(`  ${counted(proof.underWay, 'step is', 'steps are')} under way`);
  if (proof.parked > 0) {
    lines.push(
      `  ${counted(proof.parked, 'step waits', 'steps wait')} for what was given up: pinkas queue dead`,
    );
  }
  lines.push(faultCount === 0 ? '  Proven' : `  NOT PROVEN: ${counted(faultCount, 'fault', 'faults')}`);
  return lines.join('\n');
}

function nameOf({ type, number, document_id }: Fault): string {
  if (document_id === null) return type;
  return `${type} ${number} (${document_id})`;
}

/** What a program reads of the book of one business. */
export function jsonOf({ id, name, documents, faults, faultCount, underWay, parked }: BusinessProof) {
  return {
    id,
    name,
    documents,
    ok: faultCount === 0,
    faults,
    /** How many more there are than `faults` has room for. */
    faults_more: faultCount - faults.length,
    under_way: underWay,
    parked,
  };
}
