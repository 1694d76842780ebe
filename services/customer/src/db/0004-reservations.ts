import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/**
 * What a request in flight holds, by the document that it will issue, so that one request gives back its own and nothing
 * of another's. The table `tax_id_claim` is not used any more; a later migration may drop it.
 */
export const reservations = sqlMigration(`
  create table reservation (
    business_id    uuid not null,
    document_id    uuid not null,
    card_id        uuid not null,
    tax_id         text,
    reserved_until timestamptz not null,
    constraint reservation_pkey primary key (business_id, document_id),
    -- A card that somebody holds cannot be forgotten, whatever the code believes.
    constraint reservation_card_fkey foreign key (business_id, card_id) references card (business_id, id),
    constraint reservation_tax_id_check check (tax_id ~ '^[0-9]{9}$')
  );
  create index reservation_card_idx on reservation (business_id, card_id);
  create index reservation_tax_id_idx on reservation (business_id, tax_id) where tax_id is not null;
  create index reservation_until_idx on reservation (reserved_until);
  ${hideFromOthers('reservation')}

  comment on table reservation is 'The card, and the tax id to be written on it, of a document that is being issued.';
  comment on column reservation.tax_id is 'Nine digits; null: the document will write none on the card.';
  comment on table tax_id_claim is 'Not used any more.';
`);
