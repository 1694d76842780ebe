import { sqlMigration } from '@pinkas/service-kit/schema';

/** A repeated request to open a card finds the one that the first request made of a reserved card, which has another id. */
export const openedAs = sqlMigration(`
  alter table card add column opened_as uuid;
  comment on column card.opened_as is
    'The id that the request to open it named, where a document in flight had reserved it; else null.';
`);
