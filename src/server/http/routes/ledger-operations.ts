import { z } from 'zod'
import { type CantonErrorKind, PlainError } from '../../../base/errors/canton.ts'
import { bytesOf, longestBody } from '../../../base/lib/body-bytes.ts'
import type { Elements } from '../../../registry/ledger/api/feed.ts'
import { checkpointJson } from '../../../registry/ledger/api/print.ts'
import type { Reads } from '../../../registry/ledger/api/reads.ts'
import { decode } from '../../../registry/ledger/api/relaxed.ts'
import {
  activeContractsBody,
  activeContractsRequest,
  completionsBodies,
  contractsPageBody,
  type DeprecatedFields,
  pageBody,
  updateKeys,
  updatesBody,
  updatesRequest,
} from '../../../registry/ledger/api/requests.ts'
import { targetOf } from '../request.ts'
import type { Described, RouteContext } from './route.ts'

export type LedgerApiAnswer = string | AsyncIterable<string>

export interface DescribedOperation extends Omit<Described, 'refusals'> {
  readonly method: 'GET' | 'POST'
  readonly gives: z.ZodType
  readonly query?: readonly string[]
  readonly textQuery?: readonly string[]
  readonly refusals: readonly CantonErrorKind[]
}

/** An operation with one answer. */
export interface SingleOperation extends DescribedOperation {
  answer(reads: Reads, c: RouteContext): Promise<LedgerApiAnswer>
}

/** An operation that lists elements: by POST in one answer, by GET one after the other as a WebSocket. */
export interface ListOperation extends DescribedOperation {
  /** Reads a request as Canton does. */
  list(text: string, deprecatedFields: DeprecatedFields): ElementList
}

interface ElementList {
  /** An open list is complete when no element arrives for a while. */
  readonly isOpen: boolean
  readonly from: (reads: Reads, signal: AbortSignal) => Promise<Elements>
}

const element = z.object({ update: z.record(z.string(), z.unknown()) })
export const secured = [
  'unauthenticated',
  'unknownUser',
  'permissionDenied',
  'notRunning',
  'internal',
] as const
const ofList = ['limit', 'stream_idle_timeout_ms']
const ofForm = ['deprecated', 'bothForms', 'verboseBesideFormat', 'noForm'] as const
const ofEvents = [
  'noFilters',
  'invalidParty',
  'packageIdInFilter',
  'unknownPackageNames',
  'unknownTemplates',
  'unknownInterfaces',
] as const
const ofFormat = [...ofEvents, 'invalidTopologyParty', 'missingField'] as const
const ofRange = ['negativeOffset', 'nonPositiveOffset', 'offsetAfterLedgerEnd'] as const

const updates: ListOperation = {
  method: 'POST',
  path: '/v2/updates',
  id: 'postUpdates',
  summary: 'The updates of a range, or those that come until none does for a while; by GET as a WebSocket.',
  takes: updatesBody,
  gives: z.array(element),
  query: ofList,
  list: (text, deprecatedFields) => {
    const request = updatesRequest(text, deprecatedFields)
    const from: ElementList['from'] = (reads, signal) => reads.updates(request, signal)
    return { isOpen: request.endInclusive === undefined, from }
  },
  refusals: [
    ...secured,
    ...ofForm,
    ...ofRange,
    'descendingWithoutEnd',
    'offsetOutOfRange',
    ...ofFormat,
    'accessTokenExpired',
    'overloaded',
    'tooManyElements',
  ],
}

const updatesPage: SingleOperation = {
  method: 'POST',
  path: '/v2/updates/get-updates-page',
  id: 'getUpdatesPage',
  summary: 'The updates of a range, a page at a time.',
  takes: pageBody,
  gives: z.object({
    updates: z.array(element),
    lowestPageOffsetExclusive: z.int(),
    highestPageOffsetInclusive: z.int(),
    nextPageToken: z.string().nullable(),
  }),
  refusals: [
    ...secured,
    ...ofRange,
    'invalidPageSize',
    'pageEndsBeforeBegin',
    ...ofFormat,
    'undecodablePageToken',
    'invalidPageToken',
    'accessTokenExpired',
  ],
  answer: async (reads, c) => begun(await reads.page(decode(pageBody, await textOf(c)))),
}

const activeContracts: ListOperation = {
  method: 'POST',
  path: '/v2/state/active-contracts',
  id: 'postActiveContracts',
  summary: 'The contracts that are active after an update; by GET as a WebSocket.',
  takes: activeContractsBody,
  gives: z.array(
    z.object({
      workflowId: z.string(),
      contractEntry: z.record(z.string(), z.unknown()),
      streamContinuationToken: z.string(),
    }),
  ),
  query: ofList,
  list: (text, deprecatedFields) => {
    const request = activeContractsRequest(text, deprecatedFields)
    return { isOpen: false, from: (reads) => reads.activeContracts(request) }
  },
  refusals: [
    ...secured,
    ...ofForm,
    'negativeOffset',
    'offsetAfterLedgerEnd',
    ...ofEvents,
    'invalidContinuationToken',
    'accessTokenExpired',
    'tooManyElements',
  ],
}

const activeContractsPage: SingleOperation = {
  method: 'POST',
  path: '/v2/state/active-contracts-page',
  id: 'postActiveContractsPage',
  summary: 'The contracts that are active after an update, a page at a time.',
  takes: contractsPageBody,
  gives: z.object({
    activeContracts: activeContracts.gives,
    activeAtOffset: z.int(),
    nextPageToken: z.string().nullable(),
  }),
  refusals: [
    ...secured,
    'missingField',
    'negativeOffset',
    'offsetAfterLedgerEnd',
    'invalidPageSize',
    ...ofEvents,
    'invalidContractsPageToken',
    'accessTokenExpired',
  ],
  answer: async (reads, c) => begun(await reads.contractsPage(decode(contractsPageBody, await textOf(c)))),
}

const completions = (['completions', 'command-completions'] as const).map(
  (of): ListOperation => ({
    method: 'POST',
    path: `/v2/commands/${of}`,
    id: of === 'completions' ? 'postCompletions' : 'postCommandCompletions',
    summary: `The commands of ${of === 'completions' ? 'one user' : 'all users'} that were carried out; by GET as a WebSocket.`,
    takes: completionsBodies[of],
    gives: z.array(z.object({ completionResponse: z.record(z.string(), z.unknown()) })),
    query: ofList,
    list: (text) => {
      const request = decode(completionsBodies[of], text)
      return { isOpen: true, from: (reads, signal) => reads.completions(of, request, signal) }
    },
    refusals: [
      ...secured,
      'missingField',
      'invalidParty',
      'negativeOffset',
      'offsetAfterLedgerEnd',
      'accessTokenExpired',
      'overloaded',
      'tooManyElements',
    ],
  }),
)

const connectedSynchronizers: SingleOperation = {
  method: 'GET',
  path: '/v2/state/connected-synchronizers',
  id: 'getConnectedSynchronizers',
  summary: 'The synchronizers that the ledger is on, or that a party is hosted on.',
  gives: z.object({
    connectedSynchronizers: z.array(
      z.object({ synchronizerAlias: z.string(), synchronizerId: z.string(), permission: z.string() }),
    ),
  }),
  textQuery: ['party', 'participantId', 'identityProviderId'],
  refusals: [...secured, 'invalidField'],
  async answer(reads, c) {
    const [party, participantId] = textsOf(c, 'party', 'participantId')
    return JSON.stringify({ connectedSynchronizers: await reads.synchronizers({ party, participantId }) })
  },
}

const ledgerEnd: SingleOperation = {
  method: 'GET',
  path: '/v2/state/ledger-end',
  id: 'getLedgerEnd',
  summary: 'The offset of the last update.',
  gives: z.object({
    offset: z.int(),
    synchronizerTimes: z.array(z.object({ synchronizerId: z.string(), recordTime: z.string() })),
  }),
  refusals: secured,
  answer: async (reads) => JSON.stringify(checkpointJson(await reads.ledgerEnd())),
}

const latestPruned: SingleOperation = {
  method: 'GET',
  path: '/v2/state/latest-pruned-offsets',
  id: 'getLatestPrunedOffsets',
  summary: 'The offset up to which updates were pruned: 0, because this ledger keeps them.',
  gives: z.object({
    participantPrunedUpToInclusive: z.int(),
    allDivulgedContractsPrunedUpToInclusive: z.int(),
  }),
  refusals: secured,
  answer: async () =>
    JSON.stringify({ participantPrunedUpToInclusive: 0, allDivulgedContractsPrunedUpToInclusive: 0 }),
}

export const ledgerVersion: DescribedOperation = {
  method: 'GET',
  path: '/v2/version',
  id: 'getLedgerApiVersion',
  summary: 'The version of the Ledger API.',
  gives: z.object({ version: z.string(), features: z.object({}).loose() }),
  refusals: ['notRunning', 'internal'],
}

const updateLookups = (
  [
    ['offset', ['nonPositiveOffset']],
    ['id', ['invalidUpdateId']],
    ['hash', []],
  ] as const
).map(
  ([key, refusals]): SingleOperation => ({
    method: 'POST',
    path: `/v2/updates/update-by-${key}`,
    id: `updateBy${key.charAt(0).toUpperCase()}${key.slice(1)}`,
    summary: `One update, by its ${key}.`,
    takes: updateKeys[key],
    gives: element,
    refusals: [...secured, ...ofFormat, ...refusals, 'updateNotFound'],
    answer: async (reads, c) => (await reads.update(decode(updateKeys[key], await textOf(c)))).text,
  }),
)

export const listOperations: readonly ListOperation[] = [updates, activeContracts, ...completions]

export const singleOperations: readonly SingleOperation[] = [
  updatesPage,
  ...updateLookups,
  activeContractsPage,
  connectedSynchronizers,
  ledgerEnd,
  latestPruned,
]

export async function textOf(c: RouteContext): Promise<string> {
  const bytes = await bytesOf(c.env.incoming, longestBody)
  if (bytes === undefined) throw new PlainError('bodyTooLarge', { limit: longestBody })
  return bytes.toString()
}

/**
 * Waits for the first part: until a byte is sent, an error can still become a response with its own
 * status.
 */
async function begun(parts: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}

const mostInt64 = 2n ** 63n - 1n
const leastInt64 = -(2n ** 63n)

export function integerOf(c: RouteContext, name: string): number | undefined {
  const given = new URLSearchParams(targetOf(c.req.url).query).get(name)
  if (given === null) return undefined
  const isInteger = /^[+-]?\d{1,19}$/.test(given)
  if (!isInteger || BigInt(given) > mostInt64 || BigInt(given) < leastInt64)
    throw new PlainError('invalidQuery', { name })
  // `Number` rounds integers above 2^53. That does no harm: no list is that long, and no caller
  // waits that long.
  return Number(given)
}

export function textsOf(c: RouteContext, ...names: readonly string[]): readonly (string | undefined)[] {
  const given = new URLSearchParams(targetOf(c.req.url).query)
  return names.map((name) => given.get(name) || undefined)
}
