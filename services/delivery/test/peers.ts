import { createHash } from 'node:crypto';
import {
  type Debt,
  findPublicDocument,
  getArtifact,
  getDocument,
  getLogo,
  type IssuedDocument,
  listDebts,
  releaseArtifact,
} from '@pinkas/contracts';
import { dayInIsrael, daysAfter, debtAgeOf, requiresNumber } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import type { DeliveryUnderTest } from './delivery.js';

/** A document as lists show it. */
export function headOf({
  items,
  prices_include_vat,
  discount,
  payments,
  title,
  notes,
  send,
  ...head
}: IssuedDocument) {
  return head;
}

/** Answers for issuing. */
export function answerForIssuing(delivery: DeliveryUnderTest): void {
  const { network } = delivery;
  /** The reply of issuing about a document. */
  const issuedDocument = (probe: (document: IssuedDocument) => boolean) => {
    const found = delivery.issued.find(({ document }) => probe(document));
    if (!found || delivery.issuingUnavailable) {
      throw new ApiError(found ? 'engine_error' : 'not_found');
    }
    const open = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
    const state = { ...open, ...delivery.state };
    const { document, business, artifact_sha256 } = found;
    return { document, business, artifact_sha256, state };
  };
  network.answer(getDocument, ({ business_id, document_id }) => {
    const {
      document: found,
      business,
      state,
    } = issuedDocument((document) => document.id === document_id && document.business_id === business_id);
    const listed = {
      document: headOf(found),
      state,
      allocation: { status: 'not_required' as const, number: null, reason: 'The net is small.' },
      delivery: { status: 'queued' as const, channel: 'email' as const, scheduled_for: null },
    };
    // As issuing decides it, which has options of its own.
    const isRequired = requiresNumber(found, business, delivery.allocationOptions);
    return { document: found, state, allocation: isRequired ? null : listed.allocation, listed };
  });
  network.answer(findPublicDocument, ({ public_id }) =>
    issuedDocument((document) => document.public_id === public_id),
  );
  network.answer(listDebts, ({ business_id, customer_id, limit }) => {
    if (delivery.issuingUnavailable) {
      throw new ApiError('engine_error');
    }
    const today = dayInIsrael(delivery.clock.now);
    const debts = delivery.issued.flatMap(({ document }): Debt[] => {
      const balance = delivery.debts.get(document.id) ?? 0;
      const due_on = document.due_date ?? document.date;
      const isOpen = balance > 0 && document.business_id === business_id;
      const late = { days_late: daysAfter(due_on, today), age: debtAgeOf(due_on, today) };
      return isOpen && document.customer.id === customer_id
        ? [{ document: headOf(document), customer_id, balance, due_on, ...late }]
        : [];
    });
    return { debts: debts.slice(0, limit), next_after: null, on_account: delivery.onAccount };
  });
}

/** Answers for rendering. */
export function answerForRendering(delivery: DeliveryUnderTest): void {
  const { network } = delivery;
  const signedPdf = async (documentId: string) => {
    // As of now: the answer may be late.
    const { revision, allocation_number, report_cancelled, not_deductible } = delivery.pdfOf(documentId);
    await delivery.pdfReady;
    if (delivery.pdfUnavailable) {
      throw new ApiError('engine_error');
    }
    return {
      revision,
      allocation_number,
      ...(report_cancelled && { report_cancelled }),
      ...(not_deductible && { not_deductible }),
      sha256: createHash('sha256').update(delivery.pdf).digest('hex'),
      pdf: (delivery.pdfDamaged ? delivery.pdf.subarray(1) : delivery.pdf).toString('base64'),
      cancelled: delivery.pdfCancelled,
    };
  };
  network.answer(getLogo, ({ logo }) => {
    const found = delivery.logos.get(logo.sha256);
    if (!found) {
      throw new ApiError('not_found');
    }
    return { png: found.toString('base64'), width: 20, height: 10 };
  });
  network.answer(getArtifact, ({ document_id: documentId }) => {
    delivery.shown.push(documentId);
    return signedPdf(documentId);
  });
  network.answer(releaseArtifact, (request) => {
    const { document_id: documentId } = request;
    delivery.fetched.push(request);
    delivery.releasedArtifacts.push(documentId);
    return signedPdf(documentId);
  });
}
