import { sqlMigration } from '@pinkas/service-kit/schema';

/** A delivery is noted when its PDF is given out, no longer when the mail server has taken it. */
export const handedOver = sqlMigration(`
  comment on table delivered is
    'The documents of which a PDF was given out to be sent to the customer, so that every further output of them is a copy.';
  -- Those that are being sent while this is rolled out are noted by neither the old way nor the new one.
  insert into delivered
    select business_id, document_id, min(announced_at) from artifact where announced_at is not null
    group by business_id, document_id
    on conflict do nothing;
`);
