import { ApiError } from '@pinkas/service-kit';

/** The reply of a service, or null where it does not answer: the rest of a page is shown without it. */
export function unlessAway<T>(reply: Promise<T>): Promise<T | null> {
  return reply.catch((error: unknown) => {
    if (error instanceof ApiError) {
      return null;
    }
    throw error;
  });
}
