import { isLoopbackHost } from '../lib/loopback.ts'
import { type ThresholdRule, thresholdOf, tolerated } from '../lib/threshold.ts'
import { claimsHost, operatorSizes } from './operators.ts'
import type { Config } from './resolve.ts'
import type { ConfigRules } from './rule.ts'
import { showBytes, showMilliseconds } from './show.ts'

export const scanClientProblems: ConfigRules = {
  *'trust-single has exactly one seed'({ config: { network, scanClient } }) {
    const count = scanClient.seedUrls.length
    if (scanClient.scanType !== 'trust-single' || count === 1 || (network === 'localnet' && count === 0))
      return
    yield `scanClient.seedUrls must name exactly one scan where scanClient.scanType is trust-single, not ${count}`
  },
  *'bft-custom finds the names it trusts by discovery'({ config: { scanClient } }) {
    if (scanClient.scanType !== 'bft-custom') return
    if (scanClient.svNames.length === 0)
      yield 'scanClient.svNames must name at least one super validator where scanClient.scanType is bft-custom'
    if (!scanClient.discover)
      yield 'scanClient.discover must be true where scanClient.scanType is bft-custom: names are found in the list of all scans'
  },
  *'no super validator is counted twice'({ config: { scanClient } }) {
    for (const url of repeated(scanClient.seedUrls)) yield `scanClient.seedUrls names ${url} more than once`
    for (const name of repeated(scanClient.svNames)) yield `scanClient.svNames names ${name} more than once`
  },
  *'seeds are https unless plain http is allowed'({ config: { scanClient } }) {
    if (scanClient.allowHttp) return
    for (const url of scanClient.seedUrls.filter((url) => url.startsWith('http:')))
      yield `scanClient.seedUrls must be https, not ${url}, unless scanClient.allowHttp is true`
  },
  *'a threshold is within the number of voters'({ config: { scanClient }, voters }) {
    if (voters === undefined) return
    for (const [key, rule] of thresholds(scanClient))
      if (typeof rule === 'number' && rule > voters)
        yield `${key} must be at most the number of voters, ${voters}, not ${rule}`
  },
  *"a read's own threshold is never below the general one"({ config: { scanClient }, voters }) {
    const general = scanClient.threshold
    for (const [key, own] of ownThresholds(scanClient)) {
      const order = compare(own, general, voters)
      if (order === undefined)
        yield `${key} (${own}) cannot be compared with scanClient.threshold (${general}) before the number of voters is known: give both as words or both as numbers`
      else if (order < 0) yield `${key} (${own}) must not be below scanClient.threshold (${general})`
    }
  },
  *'the voters that a roster needs exist'({ config: { scanClient }, voters }) {
    if (voters !== undefined && scanClient.minimumVoters > voters)
      yield `scanClient.minimumVoters must be at most the number of voters, ${voters}, not ${scanClient.minimumVoters}`
  },
  *'no super validator has two operators'({ config: { scanClient } }) {
    const claims = claimsOf(scanClient)
    for (const member of new Set(claims.map((claim) => claim.member))) {
      const operators = claims.filter((claim) => claim.member === member).map((claim) => claim.operator)
      if (operators.length > 1) yield `scanClient.operators gives ${member} to ${operators.join(' and ')}`
    }
    for (const host of scanClient.seedUrls.map(hostOf)) {
      const claimed = claims.filter(({ member }) => claimsHost(member, host))
      if (new Set(claimed.map(({ operator }) => operator)).size < 2) continue
      if (new Set(claimed.map(({ member }) => member)).size < 2) continue
      yield `scanClient.operators gives ${host} to ${claimed.map((claim) => `${claim.operator} (${claim.member})`).join(' and ')}`
    }
  },
  *'a read lasts at least as long as one ask'({ settings: { scanClient } }) {
    if (scanClient.deadlineMs < scanClient.requestTimeoutMs)
      yield `scanClient.deadline (${showMilliseconds(scanClient.deadlineMs)}) must not be shorter than scanClient.requestTimeout (${showMilliseconds(scanClient.requestTimeoutMs)})`
  },
  *'one body fits into what may be in memory'({ config: { scanClient } }) {
    if (scanClient.maxBufferedBytes < scanClient.maxResponseBytes)
      yield `scanClient.maxBufferedBytes (${showBytes(scanClient.maxBufferedBytes)}) must not be less than scanClient.maxResponseBytes (${showBytes(scanClient.maxResponseBytes)})`
  },
}

export const scanClientWarnings: ConfigRules = {
  *'trust in one scan'({ config: { scanClient } }) {
    if (scanClient.scanType === 'trust-single')
      yield 'scanClient.scanType is trust-single: whatever that one scan says is believed'
  },
  *'a threshold that the tolerated number of liars can meet'({ config: { scanClient }, voters }) {
    if (voters === undefined || scanClient.scanType === 'trust-single') return
    const f = tolerated(voters)
    for (const [key, rule] of thresholds(scanClient))
      if (thresholdOf(rule, voters) < f + 1)
        yield `${key} is ${rule}, below f+1 = ${f + 1} of ${voters} voters: answers are not protected against ${f} that lie together`
  },
  *'a threshold that is unsafe, or out of reach, by the number of seeds'({ config: { scanClient }, voters }) {
    const seeds = scanClient.seedUrls.length
    // Only discovery shows the number of super validators, so this rule estimates f from the
    // number of seeds. Fewer than four seeds give no estimate.
    if (voters !== undefined || tolerated(seeds) === 0) return
    const needed = tolerated(seeds) + 1
    const estimate = `${seeds} seeds are configured; f+1 of ${seeds} is ${needed}`
    for (const [key, rule] of thresholds(scanClient)) {
      if (thresholdOf(rule, seeds) < needed)
        yield `${key} is ${rule}: ${estimate}, so answers are not protected against ${needed - 1} super validators that lie together`
      if (thresholdOf(rule, seeds) > seeds)
        yield `${key} is ${rule}: ${estimate}, so no answer can be agreed unless the roster has more super validators than that`
    }
  },
  *'too few voters to tolerate one that lies'({ config: { scanClient }, voters = 0 }) {
    if (voters > 0 && scanClient.scanType !== 'trust-single' && tolerated(voters) === 0)
      yield `answers are not protected against one super validator that lies: that takes at least 4 voters, and there are ${voters}`
  },
  *'a roster on the word of one seed'({ config: { network, scanClient } }) {
    const count = scanClient.seedUrls.length
    if (network !== 'remote' || scanClient.scanType === 'trust-single' || !scanClient.discover) return
    if (count > 0 && tolerated(count) === 0)
      yield `scanClient.seedUrls names ${count} of the at least 4 scans needed to check one seed by the others: the first roster is taken on the word of one seed`
  },
  *'an operator that no seed belongs to'({ config: { scanClient } }) {
    const hosts = scanClient.seedUrls.map(hostOf)
    if (hosts.length === 0) return
    for (const { operator, member } of claimsOf(scanClient))
      if (!hosts.some((host) => claimsHost(member, host)) && !scanClient.svNames.includes(member))
        yield `scanClient.operators.${operator} names ${member}, which matches no seed's host: it counts only if it is the name or the host of a super validator that is discovered`
  },
  *'an operator that decides alone'({ config: { scanClient }, voters }) {
    const { seedUrls, svNames, threshold, scanType } = scanClient
    const n = voters ?? seedUrls.length
    const needed = thresholdOf(threshold, n)
    if (scanType === 'trust-single' || tolerated(n) === 0) return
    const names = scanType === 'bft-custom' ? svNames : []
    const hosts = scanType === 'bft-custom' ? [] : seedUrls.map(hostOf)
    const { sizes, count } = operatorSizes(scanClient.operators, { n, hosts, names })
    if (thresholdOf(typeof threshold === 'number' ? 'f+1' : threshold, count) > 1) return
    for (const [operator, size] of sizes)
      if (size >= needed)
        yield `scanClient.operators.${operator} has ${size} of ${n} super validators, and ${needed} decide: answers are not protected against ${operator} alone, because ${count} operators tolerate none that lies; that takes at least 4`
  },
  *'a localnet that asks strangers'({ config: { network, scanClient } }) {
    if (network !== 'localnet') return
    for (const url of scanClient.seedUrls.filter((url) => !isLoopbackHost(new URL(url).hostname)))
      yield `scanClient.seedUrls names ${url} although network is localnet: set network to remote to ask a real network`
  },
}

type ScanClient = Config['scanClient']

function thresholds(scanClient: ScanClient): readonly (readonly [key: string, rule: ThresholdRule])[] {
  return [['scanClient.threshold', scanClient.threshold], ...ownThresholds(scanClient)]
}

function ownThresholds(scanClient: ScanClient): readonly (readonly [key: string, rule: ThresholdRule])[] {
  return Object.entries(scanClient.thresholds).map(([read, rule]) => [`scanClient.thresholds.${read}`, rule])
}

/**
 * Compares two thresholds: the result is negative if `own` requires fewer votes than `general`. The
 * result is undefined if it depends on n, the number of voters, and n is unknown.
 */
function compare(own: ThresholdRule, general: ThresholdRule, n: number | undefined): number | undefined {
  if (n !== undefined) return thresholdOf(own, n) - thresholdOf(general, n)
  if (typeof own === 'number' && typeof general === 'number') return own - general
  if (typeof own === 'number' || typeof general === 'number') return undefined
  return own === general || own === '2f+1' ? 0 : -1
}

function claimsOf(scanClient: ScanClient): readonly { readonly operator: string; readonly member: string }[] {
  return Object.entries(scanClient.operators).flatMap(([operator, members]) =>
    [...new Set(members)].map((member) => ({ operator, member })),
  )
}

function repeated(list: readonly string[]): Iterable<string> {
  return new Set(list.filter((item, index) => list.indexOf(item) !== index))
}

function hostOf(url: string): string {
  return new URL(url).host
}
