/**
 * Compares every body that a healthy localnet serves with the published OpenAPI files, those of Splice 0.7.5 and, if there
 * is a second folder, those of 0.9 for the scans:
 *
 *     node .ci/check-localnet.ts <folder with apps/scan/src/main/openapi/scan.yaml> [<folder of 0.9>]
 *
 * Prints each difference and exits with 1 if there is one. Splice serializes an absent optional field as null, so
 * null passes where the files let a field be absent.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { upstreamOf } from '../src/core/reads/request.ts'
import { reads as asked } from '../src/core/reads/table.ts'
import { startLocalnet, type WorldLocalnet } from '../src/localnet/localnet.ts'
import { matchRead, type Read, reads } from '../src/localnet/reads.ts'
import { type ReleaseName, releases } from '../src/localnet/releases.ts'
import { timeOf } from '../src/registry/ledger/daml/time.ts'
import { everyQuestion } from '../test/support/every-question.ts'
import {
  anonymous,
  at,
  differences,
  isFromTypes,
  type Operation,
  operationsIn,
  scanFile,
  scanOperations,
} from './published.ts'

interface Asked {
  readonly method: 'GET' | 'POST'
  readonly target: string
  readonly body?: string
}

/**
 * Returns requests that the samples of the reads lack:
 * - requests to the operations that all Splice apps have in common
 * - look-ups that find nothing
 * - requests for a contract whose id the caller sends because it already has the contract
 */
function furtherAsks({ truth, world, superValidators }: WorldLocalnet): readonly Asked[] {
  const { ansRules, amuletRules, snapshotTimes } = world
  const lookups = '/api/scan/v0/ans-entries'
  const alice = truth.entryByName('alice.unverified.cns')?.user ?? ''
  const nobody = `nobody::1220${'0'.repeat(64)}`
  const named = ['dso.cns', 'sv-1.sv.cns', 'nobody'].map((name) => `${lookups}/by-name/${name}`)
  const owned = [alice, superValidators[0]?.party ?? '', nobody].map(
    (party) => `${lookups}/by-party/${encodeURIComponent(party)}`,
  )
  const common = ['version', 'status', 'livez', 'readyz'].map((name) => `/api/scan/${name}`)
  const none = [
    `/api/scan/v0/transfer-preapprovals/by-party/${nobody}`,
    `/api/scan/v0/transfer-command-counter/${nobody}`,
    `/api/scan/v0/transfer-command/status?sender=${nobody}&nonce=1`,
    `/api/scan/v0/featured-apps/${nobody}`,
    `/api/scan/v0/voterequests/00ab`,
    `/api/scan/v2/updates/1220ab`,
    `/api/scan/v2/updates/hash/1220ab`,
    `/api/scan/v0/events/1220ab`,
    '/api/scan/v0/state/acs/snapshot-timestamp?before=2000-01-01T00:00:00Z&migration_id=0',
    '/api/scan/v0/amulet-config-for-round?round=1',
    '/api/scan/v0/internal/reward-accounting-process/rounds/1/root-hash',
    '/api/scan/v0/internal/reward-accounting-process/rounds/1/activity-totals',
    '/registry/metadata/v1/instruments/nothing',
  ]
  const [time = 0] = snapshotTimes
  const snapshot = { migration_id: 0, record_time: timeOf(time), record_time_match: 'exact' }
  const pages = ['v0', 'v1', 'v2'].flatMap((version) => [
    [`/api/scan/${version}/state/acs`, {}] as const,
    [`/api/scan/${version}/holdings/state`, { owner_party_ids: [alice] }] as const,
  ])
  const about = [
    '/api/scan/v0/backfilling/status',
    '/api/scan/v0/events/latest-record-time',
    `/api/scan/v0/history/bulk/progress?record_time=${snapshot.record_time}`,
    '/api/scan/v0/internal/reward-accounting-process/rounds/earliest-available',
  ]
  const targets = [...named, ...owned, `${lookups}?page_size=5&name_prefix=sv`, ...common, ...none, ...about]
  const post = (target: string, body: object): Asked => ({
    method: 'POST',
    target,
    body: JSON.stringify(body),
  })
  return [
    ...targets.map((target) => ({ method: 'GET', target }) as const),
    post('/api/scan/v0/ans-rules', { cached_ans_rules_contract_id: ansRules.contract.contract_id }),
    post('/api/scan/v0/amulet-rules', { cached_amulet_rules_contract_id: amuletRules.contract.contract_id }),
    post('/api/scan/v0/open-and-issuing-mining-rounds', {
      cached_open_mining_round_contract_ids: truth
        .annals()
        .openRounds.map(({ contract }) => contract.contract_id),
      cached_issuing_round_contract_ids: [],
    }),
    ...pages.map(([path, more]) => post(path, { ...snapshot, page_size: 2, ...more })),
    post('/api/scan/v0/backfilling/migration-info', { migration_id: 0 }),
    post('/api/scan/v0/backfilling/migration-info', { migration_id: 7 }),
    post('/registry/transfer-instruction/v1/00ab/choice-contexts/accept', {}),
    post('/registry/transfer-instruction/v1/transfer-factory', { choiceArguments: {} }),
  ]
}

async function differencesOf(release: ReleaseName, published: Published): Promise<readonly string[]> {
  await using localnet = await startLocalnet({ superValidators: 4, releases: [release] })
  const { url = '' } = localnet.superValidators[1] ?? {}
  const facts = { ...localnet.world, userEntries: localnet.truth.entries('', 1000) }
  const questions = everyQuestion({
    ...facts,
    annals: localnet.truth.annals(),
    snapshotTimes: localnet.world.snapshotTimes,
  })
  const asks = Object.values(asked).map((read): Asked => {
    const { path, body } = upstreamOf({ read, params: questions[read.id as keyof typeof questions] })
    return { method: read.method, target: path, ...(body === undefined ? {} : { body }) }
  })
  const { lacks } = releases[release]
  const sampled = new Set<Read>()
  const found: string[] = []
  for (const ask of [...asks, ...furtherAsks(localnet)]) {
    const path = ask.target.split('?')[0] ?? ''
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    const { read } = matchRead(segments, { lacks: [] })
    if (matchRead(segments, { lacks }).read === read) found.push(...(await check(published, url, read, ask)))
    else if (published.isPublished(read)) found.push(`${read.path}: scans of ${release} have it`)
    sampled.add(read)
  }
  const unsampled = reads.filter((read) => !sampled.has(read))
  return [...unsampled.map(({ path }) => `${path}: this check asks nothing of it`), ...found].map(
    (difference) => `${release}: ${difference}`,
  )
}

interface Published {
  readonly operations: readonly Operation[]
  isPublished(read: Read): boolean
  /** Whether the operations are those of an older release of Splice, which may lack some that the localnet serves. */
  readonly isOlder: boolean
}

function published(operations: readonly Operation[], isOlder: boolean): Published {
  return {
    operations,
    isPublished: ({ method, path }) =>
      operations.some((one) => one.method === method && anonymous(one.path) === path),
    isOlder,
  }
}

async function main(folder: string, next: string | undefined): Promise<readonly string[]> {
  const specs = [folder, ...(next === undefined ? [] : [next])]
  const missing = specs.map((one) => resolve(one, scanFile)).filter((file) => !existsSync(file))
  if (missing.length > 0) return missing.map((file) => `${file} is not there`)
  const operations = scanOperations(folder)
  const older = await differencesOf('0.7.5', published(operations, isFromTypes(resolve(folder, scanFile))))
  if (next === undefined) return older
  const registry = operations.filter(({ file }) => file !== scanFile)
  const scan = operationsIn(next, scanFile, '/api/scan')
  return [...older, ...(await differencesOf('0.9', published([...scan, ...registry], false)))]
}

async function check(
  { operations, isOlder }: Published,
  url: string,
  read: Read,
  { method, target, body }: Asked,
): Promise<string[]> {
  const operation = operations.find((one) => one.method === method && anonymous(one.path) === read.path)
  if (operation === undefined) return isOlder ? [] : [`${read.id}: the API has no ${method} ${read.path}`]
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const response = await fetch(`${url}${target}`, { method, ...init })
  const declared = at(operation.node, 'responses', String(response.status))
  const where = `${method} ${target} ${response.status}`
  if (declared === undefined) return [`${where}: the API does not declare the status`]
  const text = await response.text()
  const schema = at(declared, 'content', 'application/json', 'schema')
  if (schema === undefined) return text === '' ? [] : [`${where}: the API declares no body`]
  try {
    return differences(JSON.parse(text), schema, where)
  } catch (error) {
    return [`${where}: ${String(error)}`]
  }
}

const [folder, next] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-localnet.ts')} <folder of the published API files> [<those of 0.9>]\n`,
  )
  process.exit(2)
}
const found = await main(folder, next)
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'every body of the localnet is as published\n'
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1
