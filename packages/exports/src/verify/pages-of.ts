import type { Call, Contract, ReplyOf, RequestOf } from '@pinkas/contracts';

/** The replies of a contract that gives a list in pages. */
export async function* pagesOf<C extends Contract>(
  call: Call,
  contract: C,
  request: RequestOf<C>,
): AsyncGenerator<ReplyOf<C>> {
  let position: object | undefined = {};
  while (position !== undefined) {
    const page: ReplyOf<C> = await call(contract, { ...(request as object), ...position } as RequestOf<C>);
    yield page;
    position = positionAfter(page as NextPage);
  }
}

interface NextPage {
  readonly next_after?: unknown;
  readonly next_before?: unknown;
}

function positionAfter({ next_after: after = null, next_before: before = null }: NextPage) {
  if (after !== null) {
    return { after };
  }
  return before === null ? undefined : { before };
}

/** What all pages of a list have. */
export async function allOf<C extends Contract, T>(
  call: Call,
  contract: C,
  request: RequestOf<C>,
  itemsOf: (page: ReplyOf<C>) => readonly T[],
): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pagesOf(call, contract, request)) {
    found.push(...itemsOf(page));
  }
  return found;
}
