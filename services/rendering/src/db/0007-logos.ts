import { hideFromOthers, sqlMigration } from '@pinkas/service-kit/schema';

/** The pictures of businesses, by their content: what a document was printed with is found as long as the document is. */
export const logos = sqlMigration(`
  create table logo (
    business_id uuid not null,
    sha256      bytea not null,
    media_type  text not null,
    bytes       bytea not null,
    width       double precision not null,
    height      double precision not null,
    created_at  timestamptz not null default now(),
    constraint logo_pkey primary key (business_id, sha256),
    constraint logo_sha256_check check (sha256 = sha256(bytes)),
    constraint logo_media_type_check check (media_type in ('image/png', 'image/svg+xml')),
    constraint logo_sides_check check (width > 0 and height > 0)
  );
  -- A picture is compressed already.
  alter table logo alter column bytes set storage external;
  ${hideFromOthers('logo')}
`);
