/** The bytes of an answer did not arrive. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}
