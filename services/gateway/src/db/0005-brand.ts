import { sqlMigration } from '@pinkas/service-kit/schema';

/** How the documents of a business look: its colour, and by its content the picture that rendering keeps. */
export const brand = sqlMigration(`
  alter table business
    add column accent_color text,
    add column logo_sha256 text,
    add constraint business_accent_color_check check (accent_color ~ '^#[0-9a-f]{6}$'),
    add constraint business_logo_sha256_check check (logo_sha256 ~ '^[0-9a-f]{64}$');
`);
