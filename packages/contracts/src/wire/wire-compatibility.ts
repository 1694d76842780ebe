import type { JsonSchema, WireSchemas } from './wire-schemas.js';

/**
 * What a change of the schemas breaks while replicas of both releases run: each writes what the other reads. A member that is
 * added and may be absent is all that a version bears, since a reader drops what it does not know (ADR 0018).
 * @returns a sentence for each fault, none where both releases understand each other.
 */
export function wireFaults(before: WireSchemas, after: WireSchemas): string[] {
  return Object.entries(before).flatMap(([subject, parts]) => {
    const now = after[subject];
    if (!now) return [`${subject} is gone: the release before still asks or consumes it`];
    return Object.entries(parts).flatMap(([part, schema]) =>
      schemaFaults(`${subject} ${part}`, schema, now[part] ?? {}),
    );
  });
}

function schemaFaults(at: string, before: JsonSchema, after: JsonSchema): string[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    if (keyword === 'properties' && isSchema(old) && isSchema(now)) return memberFaults(at, old, now);
    // What is required is told of with the members.
    if (keyword === 'required' && isSchema(before.properties) && isSchema(after.properties))
      return requiredFaults(at, before, after);
    if (isSchema(old) && isSchema(now)) return schemaFaults(at, old, now);
    if (
      Array.isArray(old) &&
      Array.isArray(now) &&
      [...old, ...now].every(isSchema) &&
      old.length === now.length
    )
      return old.flatMap((one, index) => schemaFaults(at, one as JsonSchema, now[index] as JsonSchema));
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [`${at} has another ${keyword}: one of the two releases refuses what the other writes`];
  });
}

function memberFaults(at: string, before: JsonSchema, after: JsonSchema): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const now = after[name];
    if (now === undefined) return [`${at}/${name} is gone: the release before still reads it`];
    return schemaFaults(`${at}/${name}`, schema as JsonSchema, now as JsonSchema);
  });
}

function requiredFaults(at: string, before: JsonSchema, after: JsonSchema): string[] {
  const old = requiredOf(before);
  const now = requiredOf(after);
  const added = now
    .filter((name) => !old.includes(name))
    .map((name) => `${at}/${name} is required now: the release before may not write it`);
  const members = after.properties as JsonSchema;
  const freed = old
    .filter((name) => !now.includes(name) && name in members)
    .map((name) => `${at}/${name} may be absent now: the release before requires it`);
  return [...added, ...freed];
}

function requiredOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
