import { sqlMigration } from '@pinkas/service-kit/schema';

/** What a person removes from a card stays known as removed: issued documents have it, and the card lacks it rightly. */
export const removedDetails = sqlMigration(`
  alter table card add column removed_details text[] not null default '{}';
  comment on column card.removed_details is
    'Details that a person has removed, however often documents have filled them since.';
`);
