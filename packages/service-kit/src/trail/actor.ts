/** The author of a change: an operator, a person of the console, an owner at the authority's page, an API key, or a service itself. */
export type Actor = 'operator' | 'owner' | `service:${string}` | `person:${string}` | `key:${string}`;

/** Who asks for a change that both the console and the operator's command can ask for. @param personId absent: the operator. */
export function actorOf(personId: string | undefined): Actor {
  return personId === undefined ? 'operator' : `person:${personId.toLowerCase()}`;
}
