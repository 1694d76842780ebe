import type { ServiceName } from '@pinkas/contracts';
import type { Jobs } from '../jobs/jobs.js';
import { type CheckSource, failure, ok, warning } from './diagnosis.js';

/** A job is attempted within seconds, unless as many as a process attempts take longer. */
const lateS = 60 * 60;

/** The jobs of a service: those that are dead-lettered, or that no process attempts. */
export function jobChecks(service: ServiceName, jobs: Jobs): CheckSource {
  const subject = `jobs of ${service}`;
  return async () => {
    const figures = await jobs.figures();
    const dead = figures
      .filter((of) => of.dead > 0)
      .map((of) =>
        failure(
          'jobs',
          subject,
          `${of.dead} of the kind ${of.kind} dead-lettered: ${of.reason}`,
          'docs/runbooks/dead-letters.md',
        ),
      );
    const late = figures
      .filter((of) => of.late_seconds > lateS)
      .map((of) =>
        warning(
          'jobs',
          subject,
          `one of the kind ${of.kind} is due for ${Math.floor(of.late_seconds / lateS)} h`,
          `The log of ${service} has the reason`,
        ),
      );
    const found = [...dead, ...late];
    return found.length > 0 ? found : [ok('jobs', subject, 'none is dead-lettered or late')];
  };
}
