import { z } from 'zod'
import { type CantonErrorKind, PlainError } from '../../errors/canton.ts'
import {
  activeContractsBody,
  type CompletionsOf,
  completionsBodies,
  contractsPageBody,
  pageBody,
  type UpdateRequest,
  updateKeys,
  updatesBody,
} from '../../ledger/api/requests.ts'
import { targetOf } from '../request.ts'
import type { RouteContext } from './route.ts'

export interface LedgerOperation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly takes?: z.ZodType
  readonly gives: z.ZodType
  readonly query?: readonly string[]
  readonly textQuery?: readonly string[]
  /** Whether the path also serves a WebSocket, which clients open with GET. */
  readonly isStream?: boolean
  readonly refusals: readonly CantonErrorKind[]
}

const element = z.object({ update: z.record(z.string(), z.unknown()) })
export const secured = [
  'unauthenticated',
  'unknownUser',
  'permissionDenied',
  'notRunning',
  'internal',
] as const
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

export const updates: LedgerOperation = {
  method: 'POST',
  path: '/v2/updates',
  id: 'postUpdates',
  summary: 'The updates of a range, or those that come until none does for a while; by GET as a WebSocket.',
  takes: updatesBody,
  gives: z.array(element),
  query: ['limit', 'stream_idle_timeout_ms'],
  isStream: true,
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

export const updatesPage: LedgerOperation = {
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
}

export const activeContracts: LedgerOperation = {
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
  query: ['limit', 'stream_idle_timeout_ms'],
  isStream: true,
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

export const activeContractsPage: LedgerOperation = {
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
}

export const completions: readonly (LedgerOperation & { readonly of: CompletionsOf })[] = (
  ['completions', 'command-completions'] as const
).map((of) => ({
  of,
  method: 'POST',
  path: `/v2/commands/${of}`,
  id: of === 'completions' ? 'postCompletions' : 'postCommandCompletions',
  summary: `The commands of ${of === 'completions' ? 'one user' : 'all users'} that were carried out; by GET as a WebSocket.`,
  takes: completionsBodies[of],
  gives: z.array(z.object({ completionResponse: z.record(z.string(), z.unknown()) })),
  query: ['limit', 'stream_idle_timeout_ms'],
  isStream: true,
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
}))

export const connectedSynchronizers: LedgerOperation = {
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
}

export const ledgerEnd: LedgerOperation = {
  method: 'GET',
  path: '/v2/state/ledger-end',
  id: 'getLedgerEnd',
  summary: 'The offset of the last update.',
  gives: z.object({
    offset: z.int(),
    synchronizerTimes: z.array(z.object({ synchronizerId: z.string(), recordTime: z.string() })),
  }),
  refusals: secured,
}

export const latestPruned: LedgerOperation = {
  method: 'GET',
  path: '/v2/state/latest-pruned-offsets',
  id: 'getLatestPrunedOffsets',
  summary: 'The offset up to which updates were pruned: 0, because this ledger keeps them.',
  gives: z.object({
    participantPrunedUpToInclusive: z.int(),
    allDivulgedContractsPrunedUpToInclusive: z.int(),
  }),
  refusals: secured,
}

export const ledgerVersion: LedgerOperation = {
  method: 'GET',
  path: '/v2/version',
  id: 'getLedgerApiVersion',
  summary: 'The version of the Ledger API.',
  gives: z.object({ version: z.string(), features: z.object({}).loose() }),
  refusals: ['notRunning', 'internal'],
}

export const updateLookups: readonly (LedgerOperation & { readonly takes: z.ZodType<UpdateRequest> })[] = (
  [
    ['offset', ['nonPositiveOffset']],
    ['id', ['invalidUpdateId']],
    ['hash', []],
  ] as const
).map(([key, refusals]) => ({
  method: 'POST',
  path: `/v2/updates/update-by-${key}`,
  id: `updateBy${key.charAt(0).toUpperCase()}${key.slice(1)}`,
  summary: `One update, by its ${key}.`,
  takes: updateKeys[key],
  gives: element,
  refusals: [...secured, ...ofFormat, ...refusals, 'updateNotFound'],
}))

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
