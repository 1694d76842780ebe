import { type BusinessChange, type Fault, keepLogo, type ReplyOf } from '@pinkas/contracts';
import { type Peers, Problem, problemOf } from '@pinkas/service-kit';
import { below } from '../fault/faults-below.js';
import type { SettingsChange } from './business-settings.js';

/**
 * A change whose picture is kept by rendering and is a reference from here on. A picture that is kept for a change that is
 * refused afterwards does no harm: nothing refers to it.
 * @param path where the change stands in the request.
 * @throws Problem `validation_error` when the picture is not taken.
 */
export async function withKeptLogo(
  peers: Peers,
  businessId: string,
  { logo, ...change }: BusinessChange,
  path: string,
): Promise<SettingsChange> {
  if (logo === undefined) return change;
  if (logo === null) return { ...change, logo };
  const kept: ReplyOf<typeof keepLogo> = await peers
    .ask(keepLogo, { business_id: businessId, logo })
    .catch((error: unknown) => {
      const { code, details } = problemOf(error);
      if (code !== 'validation_error') throw error;
      throw Problem.invalid(below(path, (details?.errors ?? []) as Fault[]));
    });
  return { ...change, logo: kept };
}
