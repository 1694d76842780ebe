/**
 * Every time limit that another one depends on, in milliseconds. A wait ends before whatever waits for it: see
 * {@link nestedTimeLimits}. The limits of a configuration are its defaults.
 */
export const timeLimitsMs = {
  /* What a caller of the HTTP API waits for at most. */
  createDocument: 15_000,
  cancelDocument: 15_000,
  request: 5_000,
  /** Until the whole of an HTTP request has arrived. */
  receiveRequest: 25_000,
  receiveHeaders: 10_000,
  /** Until the body of a form of the console has arrived: 256 KB at 17 KB a second. */
  receiveForm: 15_000,
  /** On an HTTP connection on which nothing moves. */
  idleConnection: 25_000,
  rateLimitCommand: 500,

  /* Calls between services. */
  call: 3_000,
  operatorCall: 30_000,
  auditArtifacts: 25_000,
  readBook: 10_000,
  completeConnection: 8_000,
  endConnection: 12_000,
  /** A mail to a person of the console. */
  sendNotice: 10_000,
  /** Creating or changing a business, with its logo. */
  saveBusiness: 8_000,
  storeLogo: 6_000,
  /** How often the caller of an operation learns that it is being handled. */
  progress: 500,
  /** Without a reply or progress: its handler died, hangs or is cut off. */
  silence: 4_000,
  /** Without an answer of the server of NATS: the connection is given up. Longer than the server may get no processor time. */
  loseServer: 8_000,
  /** How long a call waits for a connection to NATS that was lost. */
  reconnect: 1_000,
  /** How long calls wait for those in flight when the server of NATS is about to end. */
  moveServer: 1_500,
  /** What a handler leaves of its caller's deadline for its reply. */
  replyReserve: 500,

  /* Issuing one document. */
  resolveCustomer: 6_500,
  /** The wait of customer for a document that may write the same tax id on another card. */
  undecidedCustomer: 5_500,
  /** What customer leaves of its caller's deadline for the last look and the reply. */
  resolveCustomerReserve: 500,
  /** The check of a customer's addresses, while the document waits for its series and is rendered. */
  checkRecipient: 500,
  /** How much longer than the request a reservation lasts, so that its event can arrive. */
  reservationMargin: 10_000,
  /**
   * What issuing needs at least once it holds the locks: many times a usual rendering, and the commit. A rendering that takes
   * longer than what is left fails, and leaves nothing.
   */
  afterLocks: 3_500,
  /** What issuing needs at least once its turn in the queue of a series comes. */
  afterQueue: 4_000,
  renderArtifact: 7_000,
  /**
   * The renderings of a transaction that issues several documents, which wait for each other at a slow renderer: less than
   * rendering gives one of them, so that those behind are cut short by issuing, and not refused by rendering.
   */
  renderTogether: 4_500,
  printDocument: 5_000,
  timestamp: 1_500,
  /** One request to the object store, with its repetitions. A file is stored in what is left of a rendering. */
  objectStore: 2_000,
  outcomes: 3_000,

  /* The tax authority. */
  /** How long a document that is being issued waits for its number; the request goes on. */
  authorityWait: 2_500,
  /** One request to the authority, with its token: one that is aborted may have been granted unnoticed. */
  authorityRequest: 25_000,
  authorityLookUp: 5_000,
  /** An aborted renewal may have spent the refresh token: then the owner has to log in again. */
  authorityTokenRenewal: 11_000,
  authorityCodeExchange: 4_000,
  /** One call about the transmission of files; no document waits for it. */
  transmission: 25_000,
  /** How much longer than its requests a claim on a document lasts, so that the outcome can be stored. */
  authorityClaimMargin: 20_000,

  /* The database. */
  databaseConnection: 5_000,
  lock: 12_000,
  statement: 15_000,
  idleTransaction: 20_000,
  query: 20_000,

  /* `pinkas doctor`. */
  /** Until every process that runs has shown that it has the request. */
  discovery: 1_000,
  /** One check of a process, with what it asks of other servers. */
  check: 3_000,
  /** All replies of the processes of a service. */
  diagnosis: 5_000,

  /* A webhook. */
  webhook: 10_000,
  /** How much longer than its request a claim on a webhook lasts, so that the outcome can be stored. */
  webhookClaimMargin: 20_000,

  /** How long a program that starts waits for the servers that it needs. */
  serverStart: 60_000,

  /* Events. */
  handleEvent: 30_000,
  heartbeat: 5_000,
  acknowledge: 15_000,

  /* Shutdown. */
  shutdownDelay: 5_000,
  closeHttpServer: 32_000,
  drain: 35_000,
  exit: 40_000,
} as const;
export type TimeLimit = keyof typeof timeLimitsMs;

/** A limit and what has to fit into it, one after the other. */
export interface NestedTimeLimit {
  readonly outer: TimeLimit;
  readonly inner: readonly TimeLimit[];
}

export const nestedTimeLimits: readonly NestedTimeLimit[] = [
  // What remains is for the queue of the series and its locks: their waits end in time for the rest (group-commit.ts).
  { outer: 'createDocument', inner: ['resolveCustomer', 'afterQueue', 'outcomes', 'replyReserve'] },
  // It may wait for a document that is being based on the one to cancel, until that is committed: its outcomes come after.
  { outer: 'cancelDocument', inner: ['createDocument'] },
  { outer: 'cancelDocument', inner: ['lock', 'replyReserve'] },
  { outer: 'request', inner: ['call', 'rateLimitCommand'] },
  { outer: 'call', inner: ['moveServer', 'reconnect'] },
  { outer: 'silence', inner: ['progress', 'progress', 'replyReserve'] },
  { outer: 'loseServer', inner: ['silence'] },
  // What it delivered to a process that it has given up is delivered to no dead process again.
  { outer: 'acknowledge', inner: ['loseServer'] },
  { outer: 'receiveRequest', inner: ['createDocument', 'receiveHeaders'] },
  { outer: 'receiveRequest', inner: ['receiveHeaders', 'receiveForm'] },
  { outer: 'idleConnection', inner: ['createDocument'] },
  { outer: 'idleConnection', inner: ['cancelDocument'] },
  { outer: 'resolveCustomer', inner: ['undecidedCustomer', 'resolveCustomerReserve'] },
  { outer: 'afterQueue', inner: ['afterLocks', 'replyReserve'] },
  // The check begins before the wait for the series.
  { outer: 'afterLocks', inner: ['checkRecipient', 'replyReserve'] },
  { outer: 'createDocument', inner: ['renderArtifact', 'outcomes', 'replyReserve'] },
  { outer: 'printDocument', inner: ['renderTogether', 'replyReserve'] },
  { outer: 'renderArtifact', inner: ['printDocument', 'timestamp', 'replyReserve'] },
  { outer: 'call', inner: ['objectStore', 'replyReserve'] },
  { outer: 'outcomes', inner: ['authorityWait', 'replyReserve'] },
  { outer: 'authorityRequest', inner: ['authorityTokenRenewal', 'authorityTokenRenewal'] },
  { outer: 'lock', inner: ['authorityTokenRenewal', 'replyReserve'] },
  { outer: 'operatorCall', inner: ['authorityRequest', 'replyReserve'] },
  { outer: 'completeConnection', inner: ['authorityCodeExchange', 'replyReserve'] },
  { outer: 'endConnection', inner: ['authorityTokenRenewal', 'replyReserve'] },
  { outer: 'saveBusiness', inner: ['storeLogo', 'replyReserve'] },
  { outer: 'saveBusiness', inner: ['call', 'replyReserve'] },
  { outer: 'operatorCall', inner: ['auditArtifacts'] },
  { outer: 'diagnosis', inner: ['discovery', 'check', 'replyReserve'] },
  { outer: 'statement', inner: ['lock'] },
  { outer: 'query', inner: ['statement'] },
  { outer: 'idleTransaction', inner: ['renderArtifact'] },
  { outer: 'acknowledge', inner: ['heartbeat', 'heartbeat'] },
  { outer: 'closeHttpServer', inner: ['createDocument'] },
  { outer: 'drain', inner: ['closeHttpServer'] },
  // A request in flight at SIGTERM ends, and its outcome is stored.
  { outer: 'drain', inner: ['authorityLookUp', 'authorityRequest', 'replyReserve'] },
  { outer: 'exit', inner: ['silence', 'drain'] },
];

/** The limits that operators and callers meet, for the table in ARCHITECTURE.md. */
export const documentedTimeLimits: readonly {
  readonly what: string;
  readonly limits: readonly TimeLimit[];
}[] = [
  {
    what: 'POST /v1/documents / cancelling a document, which may wait for one that is being based on it',
    limits: ['createDocument', 'cancelDocument'],
  },
  { what: 'every other route, page and PDF: reading, listing, searching', limits: ['request'] },
  {
    what: 'sending a whole request, and an HTTP connection on which nothing moves',
    limits: ['receiveRequest'],
  },
  { what: 'the body of a form of the console', limits: ['receiveForm'] },
  { what: 'a call between services without a reply or a sign of progress', limits: ['silence'] },
  {
    what: 'a connection to a server of NATS that does not answer, until it is given up',
    limits: ['loseServer'],
  },
  { what: 'a call while NATS cannot be reached, or has not answered for 4 s', limits: ['reconnect'] },
  {
    what: 'a call that waits for those in flight, before its process leaves a server of NATS',
    limits: ['moveServer'],
  },
  { what: 'one rendering, with its signature', limits: ['renderArtifact'] },
  { what: 'one time-stamp of a signature, where an authority is configured', limits: ['timestamp'] },
  { what: 'one request to the object store, where one is configured', limits: ['objectStore'] },
  {
    what: "the check of a customer's addresses, which runs during the rendering",
    limits: ['checkRecipient'],
  },
  {
    what: "the wait after the commit for a required allocation number, and for the customer's card where it changes",
    limits: ['outcomes'],
  },
  {
    what: 'the part of that wait that is for the tax authority, while the request goes on',
    limits: ['authorityWait'],
  },
  {
    what: 'one request to the tax authority / one look-up before it is repeated, where that is on',
    limits: ['authorityRequest', 'authorityLookUp'],
  },
  {
    what: 'one renewal of a token of the tax authority',
    limits: ['authorityTokenRenewal'],
  },
  { what: 'one request to an endpoint of webhooks', limits: ['webhook'] },
  {
    what: 'a database lock / statement / idle transaction',
    limits: ['lock', 'statement', 'idleTransaction'],
  },
  { what: 'pinkas doctor: one check / every process of a service', limits: ['check', 'diagnosis'] },
  {
    what: 'a program that starts while PostgreSQL or NATS is not there, until it ends',
    limits: ['serverStart'],
  },
  { what: 'one attempt of an event handler', limits: ['handleEvent'] },
  {
    what: 'a gateway that goes on listening at SIGTERM, until load balancers have removed it',
    limits: ['shutdownDelay'],
  },
  { what: 'draining at SIGTERM', limits: ['drain'] },
];
