import { sqlMigration } from '@pinkas/service-kit/schema';

/** The signed ends of the chains of all services; the service's role may append to them, and no more. */
export const signedHeads = sqlMigration(`
  create table signed_heads (
    n                  bigint not null constraint signed_heads_pkey primary key,
    signed_at          timestamptz not null,
    statement          text not null,
    signature          bytea not null,
    certificate_sha256 bytea not null
  );
  create function signed_heads_are_final() returns trigger language plpgsql as $$
  begin
    raise exception 'signed heads cannot be changed' using errcode = 'restrict_violation';
  end $$;
  create trigger signed_heads_are_final before update or delete or truncate on signed_heads
    for each statement execute function signed_heads_are_final();
`);
