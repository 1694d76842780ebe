/** JSON as text: what no value can hold stays in it, such as a duplicate member or the number 1e400. */
export type JsonText =
  | { kind: 'object'; members: { name: string; value: JsonText }[] }
  | { kind: 'array'; items: JsonText[] }
  | { kind: 'plain'; text: string };

/** The JSON text of a value. */
export function jsonTextOf(value: unknown): JsonText {
  if (Array.isArray(value)) {
    return { kind: 'array', items: value.map(jsonTextOf) };
  }
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'object',
      members: Object.entries(value).map(([name, one]) => ({ name, value: jsonTextOf(one) })),
    };
  }
  return plain(JSON.stringify(value));
}

/** Text that is as it is where a value would be. */
export const plain = (text: string): JsonText => ({ kind: 'plain', text });

/** The whole as one text. */
export function written(json: JsonText): string {
  switch (json.kind) {
    case 'object':
      return `{${json.members.map(({ name, value }) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
    case 'array':
      return `[${json.items.map(written).join(',')}]`;
    case 'plain':
      return json.text;
  }
}

/** A value inside a JSON text, with what holds it. */
export interface Place {
  /** JSON Pointer. */
  at: string;
  value: JsonText;
  replace(by: JsonText): void;
  remove(): void;
  /** Adds a member or an item beside it; a member may have the name of another. */
  addBeside(name: string, value: JsonText): void;
  /** Gives it another name; undefined for the item of an array. */
  rename: ((name: string) => void) | undefined;
}

/** Every place of a JSON text, except the whole, from the outside inwards. */
export function placesIn(json: JsonText, at = ''): Place[] {
  if (json.kind === 'plain') {
    return [];
  }
  if (json.kind === 'array') {
    return json.items.flatMap((value, index) => {
      const here = `${at}/${index}`;
      const place: Place = {
        at: here,
        value,
        replace: (by) => {
          json.items[index] = by;
        },
        remove: () => void json.items.splice(index, 1),
        addBeside: (_name, item) => void json.items.push(item),
        rename: undefined,
      };
      return [place, ...placesIn(value, here)];
    });
  }
  return json.members.flatMap((member) => {
    const here = `${at}/${member.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const place: Place = {
      at: here,
      value: member.value,
      replace: (by) => {
        member.value = by;
      },
      remove: () => void json.members.splice(json.members.indexOf(member), 1),
      addBeside: (name, value) => void json.members.push({ name, value }),
      rename: (name) => {
        member.name = name;
      },
    };
    return [place, ...placesIn(member.value, here)];
  });
}

/** What a text is, read as the HTTP API reads bodies. */
export type Read = { value: unknown; repeats: boolean; depth: number } | undefined;

/**
 * Reads a text and finds what JSON.parse hides: members that are twice, and how deep it goes.
 * @returns undefined for what is no JSON object.
 */
export function readJson(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  let repeats = false;
  let depthMax = 0;
  const open: Set<string>[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const one = text[index];
    if (one === '{' || one === '[') {
      open.push(new Set());
      depthMax = Math.max(depthMax, open.length);
    } else if (one === '}' || one === ']') {
      open.pop();
    } else if (one === '"') {
      const start = index;
      for (index += 1; text[index] !== '"'; index += 1) {
        if (text[index] === '\\') {
          index += 1;
        }
      }
      if (
        text
          .slice(index + 1)
          .trimStart()
          .startsWith(':')
      ) {
        const name = JSON.parse(text.slice(start, index + 1)) as string;
        const names = open.at(-1);
        if (names?.has(name)) {
          repeats = true;
        }
        names?.add(name);
      }
    }
  }
  return { value, repeats, depth: depthMax };
}
