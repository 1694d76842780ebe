import {
  type Check,
  checks,
  type Finding,
  findingsMax,
  type VerificationResult,
} from '@pinkas/exports/verify';
import { columns } from '../builder/table.js';

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** A count of documents as text. */
export const documentsCounted = (count: number): string => counted(count, 'document', 'documents');

/** The report on the book of one business: every check with its result, and under it the findings and what to do. */
export function reportOf(result: VerificationResult): string {
  const { name, id, documents, byType, findings, findingCount, notes, noteCount, pending, deadLettered } =
    result;
  const types = [...byType].map(([type, count]) => `${type} ${count}`).join(', ');
  const lines = [`${name}  ${id}`, `${documentsCounted(documents)}${types && `: ${types}`}`];
  const rows = (Object.keys(checks) as Check[]).map((check) => {
    const found = findings.filter((finding) => finding.check === check);
    return { check, found, row: [check, found.length === 0 ? 'ok' : 'FAILED', checks[check].proves] };
  });
  const table = columns(rows.map(({ row }) => row)).split('\n');
  for (const [index, { check, found }] of rows.entries()) {
    lines.push(`  ${table[index]}`);
    if (found.length > 0) {
      lines.push(...found.map((finding) => `    ${nameOf(finding)}: ${finding.message}`));
      lines.push(`    What to do: ${checks[check].remedy}`);
    }
  }
  if (findingCount > findings.length) {
    lines.push(
      `  And ${counted(findingCount - findings.length, 'finding', 'findings')} more than the ${findingsMax} above`,
    );
  }
  if (noteCount > 0) {
    lines.push(`  ${counted(noteCount, 'note', 'notes')} for the owner, no finding:`);
    lines.push(
      ...notes.map((note) => `    ${note.type} ${note.number} (${note.document_id}): ${note.message}`),
    );
  }
  if (noteCount > notes.length) {
    lines.push(`    And ${counted(noteCount - notes.length, 'note', 'notes')} more`);
  }
  if (pending > 0) {
    lines.push(`  ${counted(pending, 'piece of work is', 'pieces of work are')} pending`);
  }
  if (deadLettered > 0) {
    lines.push(
      `  ${counted(deadLettered, 'piece of work is', 'pieces of work are')} dead-lettered: pinkas queue dead`,
    );
  }
  lines.push(
    findingCount === 0 ? '  Proven' : `  NOT PROVEN: ${counted(findingCount, 'finding', 'findings')}`,
  );
  return lines.join('\n');
}

function nameOf({ check, type, number, document_id }: Finding): string {
  return document_id === null ? (type ?? check) : `${type} ${number} (${document_id})`;
}

/** The report of one business. */
interface BusinessReport
  extends Pick<VerificationResult, 'id' | 'name' | 'documents' | 'findings' | 'notes' | 'pending'> {
  readonly ok: boolean;
  /** How many findings `findings` does not list. */
  readonly findings_more: number;
  readonly notes_more: number;
  readonly dead_lettered: number;
}

/** The report as JSON. */
export function jsonOf(result: VerificationResult): BusinessReport {
  const { id, name, documents, findings, findingCount, notes, noteCount, pending, deadLettered } = result;
  return {
    id,
    name,
    documents,
    ok: findingCount === 0,
    findings,
    /** How many findings `findings` does not list. */
    findings_more: findingCount - findings.length,
    notes,
    notes_more: noteCount - notes.length,
    pending,
    dead_lettered: deadLettered,
  };
}
