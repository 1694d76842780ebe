import { serviceNames } from '../define.js';
import { type JsonSchema, resolveWireRecord, type WireRecord, type WireSchemas } from './wire-record.js';

/** What a change of a whole record breaks, in every subject that a changed definition reaches. */
export function breakingRecordChanges(before: WireRecord, after: WireRecord): string[] {
  const [old, now] = [resolveWireRecord(before), resolveWireRecord(after)];
  return serviceNames.flatMap((service) => breakingChanges(old[service] ?? {}, now[service]));
}

/**
 * What a change of the schemas breaks while replicas of both releases run: each writes what the other reads. Only a new
 * member that may be absent is compatible, since a reader drops what it does not know (ADR 0018).
 * @returns a sentence for each breaking change, none where both releases understand each other.
 */
export function breakingChanges(before: WireSchemas, after: WireSchemas): string[] {
  return Object.entries(before).flatMap(([subject, parts]) => {
    const now = after[subject];
    if (!now) {
      return [`${subject} is gone: the release before still calls or consumes it`];
    }
    return Object.entries(parts).flatMap(([part, schema]) =>
      schemaChanges(`${subject} ${part}`, schema, now[part] ?? {}),
    );
  });
}

function schemaChanges(at: string, before: JsonSchema, after: JsonSchema): string[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    if (keyword === 'properties' && isSchema(old) && isSchema(now)) {
      return memberChanges(at, old, now);
    }
    // What is required is reported with the members.
    if (keyword === 'required' && isSchema(before.properties) && isSchema(after.properties)) {
      return requiredChanges(at, before, after);
    }
    if (isSchema(old) && isSchema(now)) {
      return schemaChanges(at, old, now);
    }
    if (
      Array.isArray(old) &&
      Array.isArray(now) &&
      [...old, ...now].every(isSchema) &&
      old.length === now.length
    ) {
      return old.flatMap((schema, index) =>
        schemaChanges(at, schema as JsonSchema, now[index] as JsonSchema),
      );
    }
    if (JSON.stringify(old) === JSON.stringify(now)) {
      return [];
    }
    return [`${at} has another ${keyword}: one of the two releases refuses what the other writes`];
  });
}

function memberChanges(at: string, before: JsonSchema, after: JsonSchema): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const now = after[name];
    if (now === undefined) {
      return [`${at}/${name} is gone: the release before still reads it`];
    }
    return schemaChanges(`${at}/${name}`, schema as JsonSchema, now as JsonSchema);
  });
}

function requiredChanges(at: string, before: JsonSchema, after: JsonSchema): string[] {
  const old = requiredOf(before);
  const now = requiredOf(after);
  const added = now
    .filter((name) => !old.includes(name))
    .map((name) => `${at}/${name} is required now: the release before may not write it`);
  const members = after.properties as JsonSchema;
  const relaxed = old
    .filter((name) => !now.includes(name) && name in members)
    .map((name) => `${at}/${name} may be absent now: the release before requires it`);
  return [...added, ...relaxed];
}

function requiredOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
