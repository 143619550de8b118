import { CantonError, UnknownLedgerPath } from '../../base/errors/canton.ts'
import { splitTarget } from './request.ts'

export type Relayed = 'reads' | 'all' | 'off'

/** No GET of the JSON Ledger API changes anything. Of the other methods, only these paths read. */
const posted: ReadonlySet<string> = new Set([
  '/v2/updates',
  '/v2/updates/flats',
  '/v2/updates/trees',
  '/v2/updates/get-updates-page',
  '/v2/updates/update-by-hash',
  '/v2/updates/update-by-id',
  '/v2/updates/update-by-offset',
  '/v2/updates/transaction-by-id',
  '/v2/updates/transaction-by-offset',
  '/v2/state/active-contracts',
  '/v2/state/active-contracts-page',
  '/v2/events/events-by-contract-id',
  '/v2/contracts/contract-by-id',
  '/v2/commands/completions',
  '/v2/commands/command-completions',
  '/v2/commands/completion-by-hash',
  '/v2/package-vetting/list',
  '/v2/interactive-submission/preferred-packages',
])

/** Also true of targets that a router takes for one below `/v2`; `ensureRelayed` refuses those. */
export function isLedgerApi(target: string): boolean {
  if (target.startsWith('/v2/')) return true
  const { path } = splitTarget(target)
  if (!/%|\./.test(path)) return false
  const pathname = URL.parse(`http://host${path}`)?.pathname ?? ''
  return /^\/(?:v|%76)(?:2|%32)\//i.test(pathname)
}

/** @throws UnknownLedgerPath, or CantonError for a request that may change something. */
export function ensureRelayed(method: string, target: string, relayed: Relayed): void {
  const { path } = splitTarget(target)
  const isBelow = path.startsWith('/v2/')
  // A proxy before the participant may resolve such segments, and reach a path that is not below `/v2`.
  const segments = path.split(/[/\\]|%2f|%5c/i)
  const hasDots = segments.some((segment) => /^(?:\.|%2e){1,2}(?:;|%3b|$)/i.test(segment))
  if (relayed === 'off' || hasDots || !isBelow) throw new UnknownLedgerPath(method, target)
  const isRead = method === 'GET' || method === 'HEAD' || (method === 'POST' && posted.has(path))
  if (relayed === 'reads' && !isRead) throw new CantonError('notRelayed', { api: `${method} ${path}` })
}

/** Clients ask for the version before they have a token. */
export function needsToken(target: string): boolean {
  return splitTarget(target).path !== '/v2/version'
}
