/** Work was rejected at once, because too much of it is in flight or queued already. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}
