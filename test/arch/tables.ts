/** These rooms must run without Node, together with all code that they use. */
export const withoutNode: readonly string[] = ['core/quorum', 'core/reads', 'base/receipt-format', 'client']

/** The files below `src/` that may import each package, as patterns. The files in `knows` may import only its types. */
export const packages: Readonly<
  Record<string, { readonly uses: readonly string[]; readonly knows?: readonly string[] }>
> = {
  '@noble/ed25519': { uses: ['client/receipts/ed25519.noble.ts'] },
  '@hono/node-server': { uses: ['server/http/server.ts'], knows: ['server/http/**'] },
  '@hono/zod-openapi': { uses: ['server/http/openapi*.ts'] },
  '@opentelemetry/api': { uses: ['base/telemetry/traces.otel.ts'] },
  '@opentelemetry/exporter-trace-otlp-http': { uses: ['base/telemetry/traces.otel.ts'] },
  '@opentelemetry/resources': { uses: ['base/telemetry/traces.otel.ts'] },
  '@opentelemetry/sdk-trace': { uses: ['base/telemetry/traces.otel.ts'] },
  '@scalar/fastify-api-reference': { uses: ['server/http/reference-script.scalar.ts'] },
  'big.js': { uses: ['registry/ledger/daml/decimal.ts'] },
  diff: { uses: ['base/lib/difference.ts'] },
  commander: { uses: ['cli/parser.ts'] },
  config: { uses: ['base/config/layers.ts'] },
  hono: {
    uses: [
      'server/http/admin.ts',
      'server/http/app.ts',
      'server/http/read-lanes.ts',
      'server/http/operations-app.ts',
      'server/ui/views/*.ts',
    ],
    knows: ['server/http/**', 'server/ui/views/*.ts'],
  },
  ioredis: { uses: ['core/cache/redis-client.ts'] },
  jose: { uses: ['server/auth/*.jose.ts', 'cli/token.ts'] },
  'lru-cache': {
    uses: [
      'core/cache/store.memory.ts',
      'core/cache/answers.ts',
      'core/guard/floors.ts',
      'core/guard/rollback-guard.ts',
      'localnet/world/snapshots.ts',
      'server/http/middleware/misses.ts',
      'server/http/read-lanes.ts',
      'registry/ledger/participant/commands.ts',
      'mirror/name-state.ts',
      'mirror/stream-level.ts',
      'registry/names/registry.ts',
      'receipts/documents.ts',
      'receipts/receipt-desk.ts',
      'core/scan/holdings.ts',
      'core/scan/rollback-check.ts',
      'base/telemetry/limited-log.ts',
      'server/ui/receipt-files.ts',
      'server/ui/routes.ts',
    ],
    knows: ['server/ui/localnet-routes.ts'],
  },
  pino: { uses: ['base/telemetry/logger.ts'], knows: ['base/telemetry/*.pino-pretty.ts'] },
  'pino-pretty': { uses: ['base/telemetry/*.pino-pretty.ts'] },
  'prom-client': { uses: ['base/telemetry/exposition.ts'] },
  undici: {
    uses: ['core/scan/node.undici.ts', 'registry/ledger/participant/json-api.ts'],
    knows: ['core/scan/node.*.ts'],
  },
  ws: { uses: ['server/http/sockets.ws.ts'] },
  yaml: { uses: ['base/config/layers.ts'] },
  zod: {
    uses: [
      'base/config/*.ts',
      'core/cache/envelope.ts',
      'core/reads/*.ts',
      'core/scan/roster-file.ts',
      'receipts/key-files.ts',
      'doctor/difference.ts',
      'server/http/routes/*.ts',
      'registry/ledger/participant/answers.ts',
      'registry/ledger/api/*.ts',
      'localnet/**',
    ],
    knows: ['server/http/routes/*.ts'],
  },
}

/** The files that may name a driver (`thing.package.ts`). The files of a driver may also name each other. */
export const namesDrivers: readonly string[] = [
  '**/open.ts',
  'cli/*.ts',
  // `ed25519.ts` loads a driver if the runtime has no Ed25519.
  'client/receipts/ed25519.ts',
  // It connects to scans as their driver does.
  'doctor/inspect-connection.ts',
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
    // `base/lib/clock.ts` is the clock itself. Files for browsers (`ui/assets`) cannot use it. The others wait for no time:
    // they let other work run, batch the work of one turn, keep the process alive, or switch a socket's own limit off.
    only: [
      'server/http/relay.ts',
      'server/http/respond.ts',
      'base/lib/after-arrivals.ts',
      'base/lib/clock.ts',
      'base/lib/in-portions.ts',
      'base/lib/keep-alive.ts',
      'core/scan/paced-socket.ts',
      'base/telemetry/traces.otel.ts',
      'server/ui/assets/download.js',
      'server/ui/assets/page.js',
      'server/ui/assets/receipt.js',
      'server/ui/assets/vote.js',
    ],
  },
  {
    why: 'chance comes from a Random, so that tests can repeat it',
    words: /\bMath\.random\b/,
    only: ['base/lib/random.ts'],
  },
  {
    why: 'the environment is read once, by the configuration',
    words: /\bprocess\.env\b/,
    // `bin.js` sets the folder of Node's compile cache, so that threads use it too.
    only: ['bin.js', 'base/config/load.ts'],
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
  'core/cache/envelope.ts':
    'the header that a daemon wrote before an answer in Redis; the answer itself stays bytes',
  'server/http/openapi-parts.ts': 'examples that are part of the program',
  'base/lib/parse-json-text.ts': 'it reads texts with escaped keys, and those with long numbers, itself',
  'base/lib/version.ts': 'the package.json of this package',
  'mirror/mirror-file.ts': 'the file of the mirror, whose digest it checks before',
  'core/reads/holding.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'core/reads/request.ts': 'a list of texts, which the daemon prints',
  'core/reads/snapshots.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'core/reads/updates.ts': 'the body of a read, which the daemon prints by the schema of the read',
  'core/scan/page-tokens.ts': 'what the daemon itself printed and sealed, and the body of a read',
  'core/scan/roster-file.ts': 'the file in which a daemon keeps its roster',
  'base/telemetry/pretty-lines.pino-pretty.ts': 'a line of the log of this process',
  'server/ui/assets/page.js': 'a browser, which cannot load the library; what the daemon of the page sends',
  'server/ui/assets/receipt.js': 'a browser, which cannot load the library; a key that its visitor typed',
  'server/ui/assets/vote.js': 'a browser, which cannot load the library; what the daemon of the page sends',
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
  'mirror/snapshot-page.ts': 'work of the judge thread',
  'mirror/snapshot-set.ts': 'pages that the judge thread printed, one in a turn of the event loop',
  'mirror/update-items.ts': 'work of the judge thread',
  'core/scan/connections.ts': 'bodies of at most 64 KiB',
  'core/scan/health.ts': 'bodies of at most 64 KiB',
  'core/scan/holdings.ts': 'bodies of at most 64 KiB',
  'core/scan/judgement.ts': 'the jobs of the judge thread, and refusals of at most 64 KiB',
  'core/scan/own-texts.ts': 'the places of null members, which the daemon printed',
  'core/scan/page-tokens.ts': 'tokens that the daemon sealed, and bodies of callers',
  'core/scan/reader.ts': 'agreed answers of at most 1 MiB',
  'core/scan/roster-file.ts': 'the file in which a daemon keeps its roster',
}

/** Words of asynchrony, time and logging, which the files of `core/quorum` must not contain. */
export const impure = /\b(?:async|await|Promise|Clock|Logger|Date|process|console|queueMicrotask)\b/
