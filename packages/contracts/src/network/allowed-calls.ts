import { completeConnection } from '../allocation.js';
import { auditing } from '../audit.js';
import { releaseCustomer, resolveCustomer, searchCustomers } from '../customer.js';
import type { Contract, ServiceName } from '../define.js';
import { checkRecipient } from '../delivery.js';
import {
  cancelDocument,
  findPublicDocument,
  getDocument,
  getUsage,
  issueDocument,
  listDocuments,
  listSeries,
  listSeriesHeads,
} from '../issuing.js';
import {
  cancelArtifact,
  getArtifact,
  getLogo,
  numberArtifact,
  releaseArtifact,
  renderArtifact,
  renderPage,
  storeLogo,
} from '../rendering.js';

/**
 * The contracts of others that each service may call; the permissions on NATS are made of it. Not listed are the operator's
 * command, which may call everything, and the calls of every reconciler to the owner of its event.
 */
export const allowedCalls: Readonly<Record<ServiceName, readonly Contract[]>> = {
  gateway: [
    issueDocument,
    getDocument,
    listDocuments,
    cancelDocument,
    findPublicDocument,
    getUsage,
    listSeries,
    searchCustomers,
    getArtifact,
    cancelArtifact,
    numberArtifact,
    renderPage,
    storeLogo,
    completeConnection,
  ],
  issuing: [resolveCustomer, releaseCustomer, checkRecipient, renderArtifact],
  customer: [],
  rendering: [getDocument, listSeriesHeads, ...Object.values(auditing).map((item) => item.listChainHeads)],
  allocation: [],
  delivery: [getArtifact, releaseArtifact, getLogo],
};
