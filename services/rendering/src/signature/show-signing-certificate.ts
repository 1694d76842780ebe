import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, showSigningCertificate } from '@pinkas/contracts';
import { ApiError, Operation } from '@pinkas/service-kit';
import { Signers } from './signers.js';

/** Returns the certificate that signs the documents of a book. */
@Controller()
export class ShowSigningCertificate {
  constructor(private readonly signers: Signers) {}

  @Operation(showSigningCertificate)
  async handle({
    business_id,
  }: RequestOf<typeof showSigningCertificate>): Promise<ReplyOf<typeof showSigningCertificate>> {
    const bookId = business_id.toLowerCase();
    const signer = this.signers.findForBook(bookId);
    if (!signer) {
      throw new ApiError('not_found');
    }
    const { subject, validUntil } = signer.certificate;
    return { subject, not_after: validUntil.toISOString(), own: this.signers.isOwn(bookId) };
  }
}
