/**
 * Compares every body that a healthy localnet serves with the published OpenAPI files:
 *
 *     node .ci/check-localnet.ts <folder with apps/scan/src/main/openapi/scan.yaml>
 *
 * Prints each difference and exits with 1 if there is one. Splice serializes an absent optional field as null, so
 * null passes where the files let a field be absent.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startLocalnet, type WorldLocalnet } from '../src/localnet/localnet.ts'
import { matchRead, type Read, reads } from '../src/localnet/reads.ts'
import { upstreamOf } from '../src/reads/request.ts'
import { reads as asked } from '../src/reads/table.ts'
import { everyQuestion } from '../test/support/every-question.ts'
import { anonymous, at, differences, isFromTypes, type Operation, scanOperations } from './published.ts'

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
  const { ansRules, amuletRules, annals } = world
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
  const about = [
    '/api/scan/v0/backfilling/status',
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
      cached_open_mining_round_contract_ids: annals.openRounds.map(({ contract }) => contract.contract_id),
      cached_issuing_round_contract_ids: [],
    }),
    post('/api/scan/v0/backfilling/migration-info', { migration_id: 0 }),
    post('/api/scan/v0/backfilling/migration-info', { migration_id: 7 }),
    post('/registry/transfer-instruction/v1/00ab/choice-contexts/accept', {}),
    post('/registry/transfer-instruction/v1/transfer-factory', { choiceArguments: {} }),
  ]
}

async function main(folder: string): Promise<readonly string[]> {
  const file = resolve(folder, 'apps/scan/src/main/openapi/scan.yaml')
  if (!existsSync(file)) return [`${file} is not there`]
  await using localnet = await startLocalnet({ superValidators: 4 })
  const { url = '' } = localnet.superValidators[1] ?? {}
  const facts = { ...localnet.world, userEntries: localnet.truth.entries('', 1000) }
  const questions = everyQuestion({ ...facts, annals: localnet.world.annals })
  const asks = Object.values(asked).map((read): Asked => {
    const { path, body } = upstreamOf({ read, params: questions[read.id as keyof typeof questions] })
    return { method: read.method, target: path, ...(body === undefined ? {} : { body }) }
  })
  const published = { operations: scanOperations(folder), isOlder: isFromTypes(file) }
  const sampled = new Set<Read['id']>()
  const found: string[] = []
  for (const ask of [...asks, ...furtherAsks(localnet)]) {
    const path = ask.target.split('?')[0] ?? ''
    const { read } = matchRead(path.slice(1).split('/').map(decodeURIComponent))
    sampled.add(read.id)
    found.push(...(await check(published, url, read, ask)))
  }
  const unsampled = reads.filter(({ id }) => !sampled.has(id))
  return [...unsampled.map(({ id }) => `${id}: this check asks nothing of it`), ...found]
}

interface Published {
  readonly operations: readonly Operation[]
  /** Whether the operations are those of an older release of Splice, which may lack some that the localnet serves. */
  readonly isOlder: boolean
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

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write(
    `usage: node ${join('.ci', 'check-localnet.ts')} <folder of the published API files>\n`,
  )
  process.exit(2)
}
const found = await main(folder)
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'every body of the localnet is as published\n'
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1
