import type { MessagingTables } from '@pinkas/service-kit';
import type { Generated } from 'kysely';
import type { LogoTable } from '../logo/logo.tables.js';

/** One signed PDF of a document. */
export interface ArtifactTable {
  business_id: string;
  document_id: string;
  /** 1 is made while the document is issued; each later one bears what was not known before. */
  revision: number;
  /** SHA-256 of what was asked for, so that the same request twice is known for the same. */
  request_sha256: Buffer;
  sha256: Buffer;
  pdf: Buffer;
  size_bytes: number;
  template_version: number;
  /** SHA-256 of the signing certificate. */
  certificate_sha256: Buffer;
  /** As printed on this revision. */
  allocation_number: string | null;
  /** As printed on this revision; null: it says nothing of a cancellation. */
  cancelled_at: Date | null;
  created_at: Generated<Date>;
  /** When it was known that the document is in the book; null: it may have been rolled back. */
  confirmed_at: Date | null;
  /** When this revision was announced as the one for the customer. */
  announced_at: Date | null;
}

/** A document of which a PDF was given out to be sent to the customer. */
export interface DeliveredTable {
  business_id: string;
  document_id: string;
  /** When it was given out first. */
  delivered_at: Date;
}

/** The tables of the rendering service. */
export interface RenderingTables extends MessagingTables {
  artifact: ArtifactTable;
  delivered: DeliveredTable;
  logo: LogoTable;
}
