/**
 * The rooms that a room may import, by kind of import (`ImportKind`). An import that is not listed is an error, and so
 * is a listed import that no file has.
 */
export interface Room {
  readonly uses: readonly string[]
  readonly knows: readonly string[]
  readonly loads: readonly string[]
}

function room(uses: readonly string[], knows: readonly string[] = [], loads: readonly string[] = []): Room {
  return { uses, knows, loads }
}

/**
 * Some rows want a reason:
 * - `quorum`, `reads` and `client` use nothing of Node, because the client is for browsers too.
 * - `cache` knows neither nodes nor quorums: `scan` hands it each load as a function.
 * - `scan` uses one function of `config`, so that the check of the configuration and the roster agree on which operator
 *   a host belongs to.
 * - `localnet` shares nothing with what it tests, because a fake that did would be wrong together with the daemon.
 */
export const rooms: Readonly<Record<string, Room>> = {
  lib: room([]),
  errors: room([]),
  quorum: room(['lib'], ['errors']),
  reads: room(['lib', 'errors']),
  config: room(['lib']),
  telemetry: room(['lib', 'errors'], ['config']),
  cache: room(['lib']),
  guard: room(['lib', 'cache']),
  'receipt-format': room([]),
  receipts: room(['lib', 'receipt-format'], ['cache']),
  auth: room(['lib'], ['ledger']),
  scan: room(['lib', 'errors', 'config', 'quorum', 'reads', 'cache'], ['guard', 'telemetry']),
  mirror: room(['lib', 'quorum', 'reads', 'cache', 'scan'], ['errors', 'config', 'telemetry']),
  doctor: room(['lib', 'quorum', 'reads', 'scan']),
  http: room(
    ['lib', 'errors', 'config', 'reads', 'receipts', 'ledger'],
    [
      'telemetry',
      'cache',
      'auth',
      'mirror',
      'scan',
      'names',
      'wallet',
      'automation',
      'telemetry/open.ts',
      'scan/open.ts',
    ],
  ),
  ui: room(
    ['lib', 'errors', 'reads', 'scan', 'names', 'http', 'client'],
    ['config', 'telemetry', 'cache', 'receipts', 'doctor', 'automation', 'localnet'],
  ),
  ledger: room(['lib', 'errors']),
  names: room(['lib', 'errors', 'reads', 'ledger', 'scan'], ['config', 'telemetry']),
  wallet: room(['lib', 'errors', 'ledger', 'names']),
  automation: room(['lib', 'ledger', 'names', 'wallet'], ['telemetry']),
  localnet: room(['lib', 'ledger']),
  client: room(['lib', 'errors', 'reads', 'receipt-format'], ['cache']),
  cli: room(
    [
      'lib',
      'errors',
      'config',
      'quorum',
      'reads',
      'telemetry',
      'receipts',
      'scan',
      'doctor',
      'client',
      'scan/open.ts',
      'doctor/open.ts',
      'daemon.ts',
    ],
    ['mirror', 'http'],
    ['mirror', 'localnet'],
  ),
  'telemetry/open.ts': room(['lib', 'telemetry'], ['config']),
  'cache/open.ts': room(['cache'], ['config', 'telemetry/open.ts']),
  'guard/open.ts': room(['lib', 'guard'], ['config', 'cache', 'telemetry/open.ts']),
  'scan/open.ts': room(
    ['lib', 'reads', 'telemetry', 'cache', 'scan', 'cache/open.ts', 'guard/open.ts'],
    ['config', 'telemetry/open.ts'],
  ),
  'mirror/open.ts': room(['lib', 'mirror'], ['config', 'telemetry/open.ts', 'scan/open.ts']),
  'receipts/open.ts': room(['lib', 'receipts', 'scan'], ['config', 'cache', 'telemetry/open.ts']),
  'localnet/open.ts': room(['localnet'], ['lib', 'config', 'ledger', 'telemetry/open.ts'], ['automation']),
  'http/open.ts': room(
    ['auth', 'ledger', 'http'],
    [
      'config',
      'names',
      'automation',
      'ui',
      'telemetry/open.ts',
      'scan/open.ts',
      'mirror/open.ts',
      'receipts/open.ts',
    ],
  ),
  'ui/open.ts': room(
    ['lib', 'config', 'reads', 'telemetry', 'ui'],
    ['automation', 'localnet', 'telemetry/open.ts', 'scan/open.ts', 'mirror/open.ts', 'receipts/open.ts'],
    ['doctor/open.ts'],
  ),
  'doctor/open.ts': room(['scan', 'doctor'], ['config']),
  'bin.js': room([]),
  'bft-scan.ts': room(
    ['lib', 'errors', 'config', 'reads', 'telemetry', 'scan', 'client', 'scan/open.ts'],
    ['cache'],
  ),
  'daemon.ts': room(
    [
      'config',
      'reads',
      'telemetry',
      'http',
      'telemetry/open.ts',
      'scan/open.ts',
      'http/open.ts',
      'ui/open.ts',
    ],
    ['automation', 'localnet'],
    ['names', 'mirror/open.ts', 'receipts/open.ts', 'localnet/open.ts'],
  ),
  'main.ts': room([], [], ['cli']),
}

/** These rooms must run without Node, together with all code that they use. */
export const withoutNode: readonly string[] = ['quorum', 'reads', 'receipt-format', 'client']

/** The files below `src/` that may import each package, as patterns. The files in `knows` may import only its types. */
export const packages: Readonly<
  Record<string, { readonly uses: readonly string[]; readonly knows?: readonly string[] }>
> = {
  '@noble/ed25519': { uses: ['client/receipts/ed25519.noble.ts'] },
  '@hono/node-server': { uses: ['http/server.ts'], knows: ['http/**'] },
  '@hono/zod-openapi': { uses: ['http/openapi*.ts'] },
  '@opentelemetry/api': { uses: ['telemetry/traces.otel.ts'] },
  '@opentelemetry/exporter-trace-otlp-http': { uses: ['telemetry/traces.otel.ts'] },
  '@opentelemetry/resources': { uses: ['telemetry/traces.otel.ts'] },
  '@opentelemetry/sdk-trace': { uses: ['telemetry/traces.otel.ts'] },
  '@scalar/fastify-api-reference': { uses: ['http/reference-script.scalar.ts'] },
  'big.js': { uses: ['ledger/daml/decimal.ts'] },
  diff: { uses: ['lib/difference.ts'] },
  commander: { uses: ['cli/parser.ts'] },
  config: { uses: ['config/layers.ts'] },
  hono: {
    uses: ['http/admin.ts', 'http/app.ts', 'http/operations-app.ts', 'ui/views/*.ts'],
    knows: ['http/**', 'ui/views/*.ts'],
  },
  ioredis: { uses: ['cache/redis-client.ts'] },
  jose: { uses: ['auth/*.jose.ts', 'cli/token.ts'] },
  'lru-cache': {
    uses: [
      'cache/store.memory.ts',
      'cache/answers.ts',
      'guard/floor-table.ts',
      'guard/rollback-guard.ts',
      'http/middleware/misses.ts',
      'http/read-lanes.ts',
      'ledger/participant/commands.ts',
      'mirror/name-state.ts',
      'mirror/stream-level.ts',
      'names/registry.ts',
      'receipts/documents.ts',
      'receipts/receipt-desk.ts',
      'scan/holdings.ts',
      'scan/rollback-check.ts',
      'telemetry/limited-log.ts',
      'ui/receipt-files.ts',
      'ui/routes.ts',
    ],
    knows: ['ui/localnet-routes.ts'],
  },
  pino: { uses: ['telemetry/logger.ts'], knows: ['telemetry/*.pino-pretty.ts'] },
  'pino-pretty': { uses: ['telemetry/*.pino-pretty.ts'] },
  'prom-client': { uses: ['telemetry/exposition.ts'] },
  undici: {
    uses: ['scan/node.undici.ts', 'ledger/participant/json-api.ts'],
    knows: ['scan/node.*.ts'],
  },
  ws: { uses: ['http/sockets.ws.ts'] },
  yaml: { uses: ['config/layers.ts'] },
  zod: {
    uses: [
      'config/*.ts',
      'cache/envelope.ts',
      'reads/*.ts',
      'scan/roster-file.ts',
      'receipts/key-files.ts',
      'doctor/difference.ts',
      'http/routes/*.ts',
      'ledger/participant/answers.ts',
      'ledger/api/*.ts',
      'localnet/**',
    ],
    knows: ['http/routes/*.ts'],
  },
}

/** The files that may name a driver (`thing.package.ts`). The files of a driver may also name each other. */
export const namesDrivers: readonly string[] = [
  '*/open.ts',
  'cli/*.ts',
  // `ed25519.ts` loads a driver if the runtime has no Ed25519.
  'client/receipts/ed25519.ts',
]

export const reserved: readonly {
  readonly why: string
  readonly words: RegExp
  readonly only: readonly string[]
}[] = [
  {
    why: "timers and the machine's time come from the clock, so that tests can drive them",
    words:
      /\b(?:Date\.now|performance\.now|hrtime|setTimeout|setInterval|setImmediate|AbortSignal\.timeout)\b|\bnew Date\(\)|node:timers/,
    // `lib/clock.ts` is the clock itself. Files for browsers (`ui/assets`) cannot use it. The others wait for no time:
    // they let other work run, batch the work of one turn, keep the process alive, or switch a socket's own limit off.
    only: [
      'http/relay.ts',
      'http/respond.ts',
      'lib/after-arrivals.ts',
      'lib/clock.ts',
      'lib/in-portions.ts',
      'lib/keep-alive.ts',
      'scan/paced-socket.ts',
      'telemetry/traces.otel.ts',
      'ui/assets/download.js',
      'ui/assets/page.js',
      'ui/assets/receipt.js',
      'ui/assets/vote.js',
    ],
  },
  {
    why: 'chance comes from a Random, so that tests can repeat it',
    words: /\bMath\.random\b/,
    only: ['lib/random.ts'],
  },
  {
    why: 'the environment is read once, by the configuration',
    words: /\bprocess\.env\b/,
    // `bin.js` sets the folder of Node's compile cache, so that threads use it too.
    only: ['bin.js', 'config/load.ts'],
  },
  {
    why: 'what happens is told to telemetry, and what a command says goes to its Print',
    words: /\bconsole\b/,
    only: [],
  },
  {
    why: 'a name says what a thing is, and is the same wherever it is imported',
    words: /^export (?:default\b|\*)/m,
    only: [],
  },
]

/**
 * The files that may call `JSON.parse`, each with the reason why its texts have no keys that somebody else chooses
 * (docs/decisions/0029-escaped-keys-are-read-by-own-code.md). All other texts are read by `parseJsonText`.
 */
export const parsesByEngine: Readonly<Record<string, string>> = {
  'bin.js': 'the package.json of this package',
  'cache/envelope.ts':
    'the header that a daemon wrote before an answer in Redis; the answer itself stays bytes',
  'http/openapi-examples.ts': 'examples that are part of the program',
  'lib/canonical-json.ts':
    'it only asks the engine whether a text is JSON, or reads a text without escaped keys',
  'lib/parse-json-text.ts': 'it reads texts with escaped keys itself',
  'lib/version.ts': 'the package.json of this package',
  'localnet/faults/json-text.ts': 'a fault that garbles a reply on purpose',
  'mirror/mirror-file.ts': 'the file of the mirror, whose digest it checks before',
  'reads/holding.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'reads/request.ts': 'a list of texts, which the daemon prints',
  'reads/snapshots.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'reads/updates.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'scan/page-tokens.ts': 'what the daemon itself printed and sealed, and the body of a read',
  'scan/roster-file.ts': 'the file in which a daemon keeps its roster',
  'telemetry/pretty-lines.pino-pretty.ts': 'a line of the log of this process',
  'ui/assets/page.js': 'a browser, which cannot load the library; what the daemon of the page sends',
  'ui/assets/receipt.js': 'a browser, which cannot load the library; a key that its visitor typed',
  'ui/assets/vote.js': 'a browser, which cannot load the library; what the daemon of the page sends',
}

/**
 * The files that may parse JSON in the rooms that hear scans, each with the reason why no long body of a single scan is
 * parsed on the thread that serves callers. Bodies above 64 KiB are parsed by the jobs of the judge thread.
 */
export const parsesOfScans: Readonly<Record<string, string>> = {
  'doctor/difference.ts': 'a report that the doctor wrote',
  'doctor/questions.ts': 'a doctor whom an operator asks; one body of at most 4 MiB at a time',
  'doctor/texts.ts': 'the first kilobytes of a refusal',
  'mirror/ledger-head.ts': 'bodies of at most 64 KiB',
  'mirror/mirror-file.ts': 'the file of the mirror',
  'mirror/name-state.ts': 'agreed answers of at most 64 KiB',
  'mirror/scan-drain.ts': 'the first 64 KiB of a refusal',
  'mirror/snapshot-set.ts': 'pages that the judge thread printed, one in a turn of the event loop',
  'scan/connections.ts': 'bodies of at most 64 KiB',
  'scan/health.ts': 'bodies of at most 64 KiB',
  'scan/holdings.ts': 'bodies of at most 64 KiB',
  'scan/judge-job.ts': 'the jobs of the judge thread, which does those on long bodies',
  'scan/judgement.ts': 'the jobs of the judge thread, and refusals of at most 64 KiB',
  'scan/own-texts.ts': 'the places of null members, which the daemon printed',
  'scan/page-tokens.ts': 'tokens that the daemon sealed, and bodies of callers',
  'scan/reader.ts': 'agreed answers of at most 1 MiB',
  'scan/roster-file.ts': 'the file in which a daemon keeps its roster',
}

/** Words of asynchrony, time and logging, which the files of `quorum` must not contain. */
export const impure = /\b(?:async|await|Promise|Clock|Logger|Date|process|console|queueMicrotask)\b/
