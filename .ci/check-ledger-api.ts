/**
 * Compares the answers of the JSON Ledger API over an embedded ledger with the published OpenAPI file:
 *
 *     node .ci/check-ledger-api.ts <openapi-3.6.yaml>
 *
 * Prints each difference and exits with 1 if there is one. Canton serializes an absent optional field as null, so
 * null passes where the file lets a field be absent.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfig } from '../src/base/config/load.ts'
import type { Config } from '../src/base/config/resolve.ts'
import { silentLogger } from '../src/base/telemetry/logger.ts'
import { mintToken } from '../src/cli/token.ts'
import { type Daemon, startDaemon } from '../src/daemon.ts'
import { at, differences, isFromTypes, load, type Node } from './published.ts'

interface Asked {
  readonly line: string
  readonly body?: unknown
  readonly status: number
  /** The path of the published operation, if it has parameters. */
  readonly of?: string
}

const wildcard = { cumulative: [] }
const holding = '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'
const viewed = {
  identifierFilter: {
    InterfaceFilter: {
      value: { interfaceId: holding, includeInterfaceView: true, includeCreatedEventBlob: true },
    },
  },
}
const events = {
  filtersForAnyParty: { cumulative: [viewed, { identifierFilter: { WildcardFilter: { value: {} } } }] },
}
const allParties = { includeParticipantAuthorizationEvents: { parties: [] } }

function formatOf(shape: string) {
  return {
    includeTransactions: { eventFormat: events, transactionShape: `TRANSACTION_SHAPE_${shape}` },
    includeReassignments: events,
    includeTopologyEvents: allParties,
  }
}

async function main(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return [`${file} is not there`]
  const loaded = loadConfig()
  if (!loaded.ok) return loaded.problems
  const { http, operations } = loaded.config
  const config = { ...loaded.config, http: { ...http, port: 0 }, operations: { ...operations, port: 0 } }
  const spec: Node = { file, value: load(file) }
  return await onEmbedded(spec, config)
}

function requestersFor(daemon: Daemon, config: Config) {
  const tokens = new Map<string, Promise<string | undefined>>()
  const tokenOf = async (user: string) => {
    const token = tokens.get(user) ?? mintToken(user, config)
    tokens.set(user, token)
    return (await token) as string
  }
  const ask = async (user: string, { line, body }: Omit<Asked, 'status'>) => {
    const [method = '', path = ''] = line.split(' ')
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const headers = { authorization: `Bearer ${await tokenOf(user)}`, 'content-type': 'application/json' }
    return fetch(`${daemon.http}${path}`, { method, ...sent, headers })
  }
  // biome-ignore lint/suspicious/noExplicitAny: the check does not trust the shape of an answer
  const json = async (line: string, user: string, body?: unknown): Promise<any> =>
    (await ask(user, { line, body })).json()
  return { ask, json }
}

async function checkAll(
  spec: Node,
  ask: (one: Asked) => Promise<Response>,
  asked: readonly Asked[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const one of asked) found.push(...(await check(spec, one, await ask(one))))
  return found
}

async function onEmbedded(spec: Node, config: Config): Promise<readonly string[]> {
  await using daemon = await startDaemon(config, { logger: silentLogger })
  const { ask, json } = requestersFor(daemon, config)
  const name = { name: 'alice.unverified.cns', url: '', description: '' }
  const { subscriptionRequestCid } = await json('POST /v0/entry/create', 'alice', name)
  await json('POST /v0/wallet/tap', 'alice', { amount: '10.0' })
  await json(`POST /v0/wallet/subscription-requests/${subscriptionRequestCid}/accept`, 'alice', {})
  await fetch(`${daemon.localnet?.control}/time/advance`, {
    method: 'POST',
    body: '{"duration":"0s"}',
    headers: { 'content-type': 'application/json' },
  })
  const reader = 'ledger-api-user'
  const { party_id: alice } = await json('GET /v0/wallet/user-status', 'alice')
  const { offset: end } = await json('GET /v2/state/ledger-end', reader)
  const range = { beginExclusive: 0, endInclusive: end }
  const delta = formatOf('ACS_DELTA')
  const effects = formatOf('LEDGER_EFFECTS')
  const page = await json('POST /v2/updates/get-updates-page', reader, { updateFormat: effects })
  const { updateId } = page.updates.at(-1).update.Transaction.value
  const older = { filter: { filtersByParty: {}, filtersForAnyParty: wildcard }, verbose: true }
  const asked = [
    ...requestsToAnyLedger({
      end,
      updateId,
      range,
      updateFormat: effects,
      eventFormat: events,
      older,
      party: 'nobody::1220',
      user: reader,
    }),
    { line: 'GET /v2/users', status: 200 },
    { line: 'GET /v2/users?pageSize=1001', status: 400 },
    { line: 'GET /v2/users/nobody', of: '/v2/users/{user-id}', status: 404 },
    { line: 'GET /v2/parties', status: 200 },
    { line: 'GET /v2/packages/none/status', of: '/v2/packages/{package-id}/status', status: 200 },
    { line: 'POST /v2/commands/completions', body: { parties: [alice], userId: 'alice' }, status: 403 },
    { line: 'POST /v2/commands/command-completions', body: { parties: [alice] }, status: 200 },
    { line: 'POST /v2/updates', body: { ...range, updateFormat: delta }, status: 200 },
    {
      line: 'POST /v2/updates?stream_idle_timeout_ms=1500',
      body: { beginExclusive: end - 1, updateFormat: delta },
      status: 200,
    },
    {
      line: 'POST /v2/updates/get-updates-page',
      body: { updateFormat: delta, endOffsetInclusive: end },
      status: 200,
    },
  ]
  return await checkAll(spec, (one) => ask(reader, one), asked)
}

interface Stage {
  readonly end: number
  readonly updateId: string
  readonly range: object
  readonly updateFormat: object
  readonly eventFormat: object
  readonly older: object
  readonly party: string
  readonly user: string
}

function requestsToAnyLedger({
  end,
  updateId,
  range,
  updateFormat,
  eventFormat,
  older,
  party,
  user,
}: Stage): readonly Asked[] {
  const byHash = 'POST /v2/updates/update-by-hash'
  const byOffset = 'POST /v2/updates/update-by-offset'
  const contractsPage = 'POST /v2/state/active-contracts-page'
  return [
    { line: 'GET /v2/version', status: 200 },
    { line: 'GET /v2/state/ledger-end', status: 200 },
    { line: 'GET /v2/state/latest-pruned-offsets', status: 200 },
    { line: 'POST /v2/updates', body: { ...range, updateFormat }, status: 200 },
    { line: 'POST /v2/updates', body: { ...range, ...older }, status: 200 },
    { line: 'POST /v2/updates', body: { ...range, endInclusive: end + 9, updateFormat }, status: 400 },
    { line: 'POST /v2/updates', body: 'nonsense', status: 400 },
    { line: byOffset, body: { offset: end, updateFormat }, status: 200 },
    { line: byOffset, body: { offset: end + 9, updateFormat }, status: 404 },
    { line: 'POST /v2/updates/update-by-id', body: { updateId, updateFormat }, status: 200 },
    { line: byHash, body: { transactionHash: 'q80=', updateFormat }, status: 404 },
    { line: 'POST /v2/updates/get-updates-page', body: { updateFormat }, status: 200 },
    { line: 'POST /v2/state/active-contracts', body: { activeAtOffset: end, eventFormat }, status: 200 },
    { line: contractsPage, body: { eventFormat, maxPageSize: 1 }, status: 200 },
    { line: contractsPage, body: { eventFormat, activeAtOffset: end + 9 }, status: 400 },
    { line: contractsPage, body: { eventFormat, pageToken: 'q80=' }, status: 400 },
    { line: 'GET /v2/state/connected-synchronizers', status: 200 },
    { line: `GET /v2/state/connected-synchronizers?${new URLSearchParams({ party })}`, status: 200 },
    { line: 'GET /v2/state/connected-synchronizers?participantId=none', status: 400 },
    { line: 'GET /v2/authenticated-user', status: 200 },
    { line: `GET /v2/users/${user}`, of: '/v2/users/{user-id}', status: 200 },
    { line: `GET /v2/users/${user}/rights`, of: '/v2/users/{user-id}/rights', status: 200 },
    { line: 'GET /v2/parties/participant-id', status: 200 },
    { line: `GET /v2/parties/${encodeURIComponent(party)}`, of: '/v2/parties/{party}', status: 200 },
    { line: 'GET /v2/packages', status: 200 },
  ]
}

async function check(
  spec: Node,
  { line, status, of }: Asked,
  response: Response,
): Promise<readonly string[]> {
  const [method = '', target = ''] = line.split(' ')
  const [path = ''] = target.split('?')
  const where = `${line} ${response.status}`
  const operation = at(spec, 'paths', of ?? path, method.toLowerCase())
  if (operation === undefined)
    return isFromTypes(spec.file) ? [] : [`${where}: the API has no such operation`]
  if (response.status !== status) return [`${where}: it should be ${status}: ${await response.text()}`]
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const schema =
    at(operation, 'responses', String(status), 'content', type, 'schema') ??
    at(operation, 'responses', 'default', 'content', type, 'schema')
  if (schema === undefined) return [`${where}: the API declares no ${type}`]
  const text = await response.text()
  return type === 'application/json' ? differences(JSON.parse(text), schema, where) : []
}

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write(`usage: node ${join('.ci', 'check-ledger-api.ts')} <openapi-3.6.yaml>\n`)
  process.exit(2)
}
const found = await main(resolve(file))
for (const difference of found) process.stderr.write(`${difference}\n`)
process.stdout.write(
  found.length === 0
    ? 'every answer of the JSON Ledger API is as published\n'
    : `${found.length} differences from the published API\n`,
)
process.exitCode = found.length === 0 ? 0 : 1
