/**
 * Compares what the daemon serves, and the lists of published operations that the tests use, with the published OpenAPI
 * files:
 *
 *     node .ci/check-served.ts <openapi-3.6.yaml> [<folder with Splice's apps/> [<folder of newer files>]]
 *
 * The folder of newer files has `splice/` and `ledger-api/`. Without Splice's folder the check leaves out the Scan API and
 * the Wallet API, of which no npm client has types, and says so. Prints each difference and exits with 1 if there is one.
 */
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { mounts } from '../src/server/http/routes/mounts.ts'
import { nodeSpecificRoutes } from '../src/server/http/routes/node-specific.ts'
import { ledgerApiOperations, walletOperations } from '../test/support/published-operations.ts'
import { anonymous, isFromTypes, load, operationsIn, scanFile, type Yaml } from './published.ts'

/** Operations that Canton 3.6 lacks. Older releases have them, and so have the npm clients, which were made for them. */
const removed = [
  'GET /v2/package-vetting',
  'POST /v2/package-vetting',
  'POST /v2/updates/flats',
  'POST /v2/updates/trees',
  'GET /v2/updates/transaction-tree-by-offset/{offset}',
  'GET /v2/updates/transaction-tree-by-id/{update-id}',
  'POST /v2/updates/transaction-by-offset',
  'POST /v2/updates/transaction-by-id',
  'GET /v2/interactive-submission/preferred-package-version',
]

const ofOneProcess = 'it is about one process; the operations address has that of the daemon'

/** The operations of the Scan API that the daemon does not serve, each with the reason. */
const unserved: Readonly<Record<string, string>> = {
  'GET /api/scan/readyz': ofOneProcess,
  'GET /api/scan/livez': ofOneProcess,
  'GET /api/scan/status': ofOneProcess,
  'GET /api/scan/version': 'each scan has its own; `/status` of the operations address lists them',
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

function linesIn(file: string): readonly string[] {
  const paths = Object.entries((load(resolve(file))['paths'] ?? {}) as Readonly<Record<string, Yaml>>)
  return paths.flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) =>
      methods.includes(method) ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  )
}

function unlisted(api: string, listed: string, published: readonly string[]): readonly string[] {
  const lines = listed.trim().split('\n')
  const missing = published.filter((line) => !lines.includes(line) && !removed.includes(line))
  return missing.map((line) => `${api}: ${line} is not listed`)
}

function differencesOf(
  api: string,
  listed: string,
  file: string,
  published: readonly string[],
): readonly string[] {
  // A file made from the npm clients describes an older release, which lacks some of the listed operations.
  const unpublished = isFromTypes(resolve(file))
    ? []
    : listed
        .trim()
        .split('\n')
        .filter((line) => !published.includes(line))
  return [
    ...unlisted(api, listed, published),
    ...unpublished.map((line) => `${api}: ${line} is not published`),
  ]
}

function ledgerLinesIn(file: string): readonly string[] {
  return linesIn(file).filter((line) => line.includes(' /v2/'))
}

function walletDifferences(folder: string): readonly string[] {
  const files = ['wallet-internal.yaml', 'wallet-external.yaml'].map((name) =>
    join(folder, 'apps/wallet/src/main/openapi', name),
  )
  return differencesOf('Wallet API', walletOperations, files[0] ?? '', files.flatMap(linesIn))
}

function scanDifferences(folders: readonly string[]): readonly string[] {
  const served = new Set(
    [...mounts, ...nodeSpecificRoutes].map(({ method, template }) => `${method} ${anonymous(template)}`),
  )
  const missing = folders.flatMap((folder) =>
    operationsIn(folder, scanFile, '/api/scan')
      .map(({ method, path }) => `${method} ${anonymous(path)}`)
      .filter((line) => !served.has(line)),
  )
  const idle = Object.keys(unserved).filter((line) => !missing.includes(line))
  return [
    ...new Set(
      missing.filter((line) => !(line in unserved)).map((line) => `Scan API: ${line} is not served`),
    ),
    ...idle.map((line) => `Scan API: ${line} needs no reason here: it is served, or not published`),
  ]
}

function newerLedgerDifferences(folder: string): readonly string[] {
  return globSync(join(folder, 'ledger-api/openapi-*.yaml')).flatMap((file) =>
    unlisted('Ledger API', ledgerApiOperations, ledgerLinesIn(file)),
  )
}

const [ledgerApi, splice, newer] = process.argv.slice(2)
if (ledgerApi === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-served.ts')} <openapi-3.6.yaml> [<folder with apps/> [<newer files>]]\n`,
  )
  process.exit(2)
}
if (splice === undefined) {
  process.stdout.write('the Scan API and the Wallet API are not checked: that takes the files of Splice\n')
}
const found = [
  ...differencesOf('Ledger API', ledgerApiOperations, ledgerApi, ledgerLinesIn(ledgerApi)),
  ...(splice === undefined ? [] : walletDifferences(splice)),
  ...(splice === undefined
    ? []
    : scanDifferences([splice, ...(newer === undefined ? [] : [join(newer, 'splice')])])),
  ...(newer === undefined ? [] : newerLedgerDifferences(newer)),
]
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'what is published is served, or has a reason not to be\n'
    : `${found.length} differences from the published operations\n`,
)
process.exitCode = found.length === 0 ? 0 : 1
