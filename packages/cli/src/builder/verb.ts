import type { Contract, ReplyOf, RequestOf } from '@pinkas/contracts';
import type { Kind } from './arguments.js';
import { notFoundAs } from './calls.js';
import type { Call, CallEach, Command, CommandInput, CommandOption, Output, Progress } from './command.js';

/** An option with the kind of its value; without one the value is the text. */
interface VerbOption extends CommandOption {
  readonly kind?: Kind<unknown>;
}

type ArgumentKinds = Readonly<Record<string, Kind<unknown>>>;
type VerbOptions = Readonly<Record<string, VerbOption>>;

type ReadBy<O> = O extends { kind: Kind<infer T> } ? T : string;
type ValueOf<O> = O extends { value: null }
  ? boolean
  : ReadBy<O> | (O extends { required: true } ? never : undefined);

/** What was read, by name: arguments, options (undefined where absent), and whether a switch is there. */
export type Values<A, O> = IfDeclared<
  A,
  { readonly [N in keyof A]: A[N] extends Kind<infer T> ? T : never }
> &
  IfDeclared<O, { readonly [N in keyof O]: ValueOf<O[N]> }>;

/** What is inferred for names that a verb does not declare is any name. */
type IfDeclared<D, T> = string extends keyof D ? Readonly<Record<never, never>> : T;

/** What every verb states: the help is made of it, and the arguments and then the options are read in this order. */
interface Declaration<A, O> {
  readonly summary: string;
  readonly arguments?: A;
  /** A switch that replaces the arguments, which are then empty texts and not read. */
  readonly argumentsOption?: string;
  readonly options?: O;
}

/** A verb that is one call. */
interface OneCall<V, C extends Contract> {
  readonly contract: C;
  request(values: V, call: Call): RequestOf<C> | Promise<RequestOf<C>>;
  /** The refusal where the service does not find what the request names, and what to do. */
  missing?(values: V): string;
  /** What is printed; a text alone is printed next to the reply as JSON. */
  print(reply: ReplyOf<C>, values: V): Output | string;
}

/** A verb that is more than one call. */
interface Work<V> {
  run(values: V, call: Call, progress: Progress, callEach: CallEach): Promise<Output>;
}

/** Declares the command `pinkas NAME`. @param name noun and verb, or the noun alone. */
export function verb<const A extends ArgumentKinds, const O extends VerbOptions>(
  name: string,
  { run, ...declared }: Declaration<A, O> & Work<Values<A, O>>,
): Command {
  const [noun = '', verbName = null] = name.split(' ');
  const { summary, argumentsOption, arguments: kinds = {}, options = {} } = declared;
  return {
    noun,
    verb: verbName,
    summary,
    arguments: Object.keys(kinds),
    ...(argumentsOption !== undefined && { argumentsOption }),
    options,
    run: async (input, call, progress, callEach) => {
      const isReplaced = argumentsOption !== undefined && input.options[argumentsOption] !== undefined;
      const values = isReplaced ? input.arguments : readArguments(kinds, input);
      return run({ ...values, ...readOptions(options, input) } as Values<A, O>, call, progress, callEach);
    },
  };
}

/** Declares a command that is one call. */
export function callVerb<C extends Contract, const A extends ArgumentKinds, const O extends VerbOptions>(
  name: string,
  { contract, request, missing, print, ...declared }: Declaration<A, O> & OneCall<Values<A, O>, C>,
): Command {
  return verb<A, O>(name, {
    ...declared,
    run: async (values, call) => {
      const reply = call(contract, await request(values, call));
      const found = await (missing === undefined ? reply : notFoundAs(reply, missing(values)));
      const printed = print(found, values);
      return typeof printed === 'string' ? { json: found, text: printed } : printed;
    },
  });
}

const readArguments = (kinds: ArgumentKinds, input: CommandInput) =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, kind.read(input.arguments[name] ?? '', name)]),
  );

const readOptions = (options: VerbOptions, input: CommandInput) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { value, kind }]) => {
      const text = input.options[name];
      if (value === null) {
        return [name, text !== undefined];
      }
      return [name, text === undefined || kind === undefined ? text : kind.read(text, name)];
    }),
  );
