import { sqlMigration } from '@pinkas/service-kit/schema';

/** PDFs that state that no input VAT is deducted by them. */
export const notDeductible = sqlMigration(`
  alter table artifact add column not_deductible boolean not null default false;
  comment on column artifact.not_deductible is
    'Whether it states that no input VAT is deducted by it, since its number was refused and its owner went on without.';
  create trigger artifact_not_deductible_is_final before update of not_deductible on artifact
    for each row execute function reject_artifact_change();
`);
