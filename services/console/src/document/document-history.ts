import type {
  getDocument,
  IssuedDocument,
  listArtifacts,
  listMessages,
  ReplyOf,
  showAllocation,
} from '@pinkas/contracts';
import type { Markup } from '@pinkas/ui';

/** A step in the life of a document. */
export interface TimelineStep {
  readonly at: string;
  readonly kind: 'done' | 'waiting' | 'failed' | 'ended';
  readonly text: Markup;
  readonly detail?: Markup | string | null;
}

/** What became of a document; null: its service did not answer. */
export interface DocumentHistory {
  readonly document: IssuedDocument;
  readonly state: ReplyOf<typeof getDocument>['state'];
  /** What is recorded of its allocation number. */
  readonly outcome: ReplyOf<typeof getDocument>['allocation'];
  readonly allocation: ReplyOf<typeof showAllocation> | null;
  readonly artifacts: ReplyOf<typeof listArtifacts> | null;
  readonly messages: ReplyOf<typeof listMessages> | null;
}
