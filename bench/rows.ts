import type { Row } from './row.ts'
import { askAgainstDispatch } from './rows/ask.ts'
import { asksForACrowd, asksForNamesThatDoNot, asksForNamesThatExist } from './rows/asks.ts'
import {
  askedFarApart,
  medianFarApart,
  medianFarApartWithSilent,
  medianFromTwoPlaces,
  p99FarApart,
  slowWhileSilentAreLearnt,
} from './rows/far-apart.ts'
import { hitAgainstBareNode, hitAgainstNginx } from './rows/hit.ts'
import { idleMemoryAgainstGoals } from './rows/idle-memory.ts'
import { largeLedgerAgainstSmall, startOfLargeLedger } from './rows/ledger-size.ts'
import {
  asksOfMirrored,
  asksOfSnapshot,
  cpuOfFollowing,
  lagOfFollowing,
  lookupsBesideDrain,
  memoryOfManyNames,
  mirroredAgainstCached,
  startWithManyNames,
} from './rows/mirror.ts'
import { failedUnderRateLimits, p99UnderRateLimits } from './rows/rate-limits.ts'
import { signedHitAgainstItsBytes } from './rows/signed-hit.ts'
import { startAgainstBare } from './rows/start.ts'
import { cpuAgainstBareFanOut, latencyAgainstThreshold } from './rows/uncached.ts'
import { byOffsetInLargeAgainstSmall } from './rows/update-by-offset.ts'
import { filesThatAreEntered } from './rows/walk.ts'

/** All measurements, each with the limit for its figure if it has one. */
export const rows: readonly Row[] = [
  {
    id: 'hit',
    what: 'cached lookups a CPU second, against a bare node:http server that writes the same',
    limit: { atLeast: 0.85 },
    measure: hitAgainstBareNode,
  },
  {
    id: 'nginx',
    what: 'cached lookups a CPU second, against nginx proxy_cache hits',
    measure: hitAgainstNginx,
  },
  {
    id: 'signed-hit',
    what: 'CPU of a cached lookup with a kept receipt against one without, divided by the same ratio of a bare server',
    limit: { atMost: 1.1 },
    measure: signedHitAgainstItsBytes,
  },
  {
    id: 'uncached-cpu',
    what: 'CPU of an uncached lookup, against as many asks by undici Pool.dispatch alone',
    limit: { atMost: 2 },
    measure: cpuAgainstBareFanOut,
  },
  {
    id: 'uncached-latency',
    what: 'median latency of an uncached lookup, against the last of as many asks without the daemon',
    limit: { atMost: 1.1 },
    measure: latencyAgainstThreshold,
  },
  {
    id: 'asks-present',
    what: 'asks for an uncached lookup of a name that exists',
    limit: { atMost: 5.5 },
    measure: asksForNamesThatExist,
  },
  {
    id: 'asks-absent',
    what: 'asks for an uncached lookup of a name that does not exist',
    limit: { atMost: 9.5 },
    measure: asksForNamesThatDoNot,
  },
  {
    id: 'crowd',
    what: 'asks for 10,000 lookups of one name at once, against those of one lookup',
    limit: { atMost: 1 },
    measure: asksForACrowd,
  },
  {
    id: 'far-apart',
    what: 'median of uncached lookups of super validators that are 15 to 280 ms away, against the best possible',
    limit: { atMost: 1.15 },
    measure: medianFarApart,
  },
  {
    id: 'far-apart-p99',
    what: 'their 99th percentile, against that of the best possible',
    limit: { atMost: 1.6 },
    measure: p99FarApart,
  },
  {
    id: 'far-apart-asks',
    what: 'asks for one of them',
    limit: { atMost: 6.3 },
    measure: askedFarApart,
  },
  {
    id: 'far-apart-silent',
    what: 'their median once learnt that the four nearest are silent, against the best possible without those',
    limit: { atMost: 1.15 },
    measure: medianFarApartWithSilent,
  },
  {
    id: 'far-apart-silent-learning',
    what: 'lookups slower than 500 ms until it is learnt that the four nearest are silent',
    limit: { atMost: 20 },
    measure: slowWhileSilentAreLearnt,
  },
  {
    id: 'far-apart-two-places',
    what: 'median of uncached lookups of two daemons with opposite distances at once, against the best possible: the worse',
    limit: { atMost: 1.15 },
    measure: medianFromTwoPlaces,
  },
  {
    id: 'rate-limits',
    what: '99th percentile, in ms, of 100 uncached lookups a second where each super validator allows 50 asks a second',
    limit: { atMost: 400 },
    measure: p99UnderRateLimits,
  },
  {
    id: 'rate-limits-failed',
    what: 'how many of them fail',
    limit: { atMost: 0 },
    measure: failedUnderRateLimits,
  },
  {
    id: 'ask',
    what: 'CPU of one ask of a scan node, against one by undici Pool.dispatch alone',
    limit: { atMost: 1.3 },
    measure: askAgainstDispatch,
  },
  {
    id: 'ledger-size',
    what: 'lookups and memory of a ledger with 1,000,000 entries, against one with 1,000: the worst of them',
    limit: { atMost: 1.5 },
    measure: largeLedgerAgainstSmall,
  },
  {
    id: 'ledger-start',
    what: 'from the start of a ledger with 1,000,000 entries to its first answer, in ms',
    limit: { atMost: 2_000 },
    measure: startOfLargeLedger,
  },
  {
    id: 'update-by-offset',
    what: 'one of 1,000,000 updates by its offset, against one of 1,000',
    limit: { atMost: 1.5 },
    measure: byOffsetInLargeAgainstSmall,
  },
  {
    id: 'mirror-asks',
    what: 'asks for 1,000,000 lookups of 5,000 names that the mirror has',
    limit: { atMost: 0 },
    measure: asksOfMirrored,
  },
  {
    id: 'mirror-snapshot-asks',
    what: 'asks for the snapshot of 5,000 names',
    limit: { atMost: 45 },
    measure: asksOfSnapshot,
  },
  {
    id: 'mirror-hit',
    what: 'CPU of a mirrored lookup, against a cached one',
    limit: { atMost: 1.05 },
    measure: mirroredAgainstCached,
  },
  {
    id: 'mirror-memory',
    what: 'resident memory of 100,000 mirrored names, in KiB a name',
    limit: { atMost: 2 },
    measure: memoryOfManyNames,
  },
  {
    id: 'mirror-start',
    what: 'from the start with 100,000 names in a file to the first mirrored answer, against the start of a bare Node with the same packages',
    limit: { atMost: 5 },
    measure: startWithManyNames,
  },
  {
    id: 'mirror-drain',
    what: 'median of live lookups while the snapshot of 5,000 names is drained, against the same without',
    limit: { atMost: 1.1 },
    measure: lookupsBesideDrain,
  },
  {
    id: 'mirror-stream',
    what: 'share of a core that it takes to follow 50 updates a second of 12 KB',
    limit: { atMost: 0.05 },
    measure: cpuOfFollowing,
  },
  {
    id: 'mirror-stream-lag',
    what: 'how old the state is at most meanwhile, in seconds',
    limit: { atMost: 3 },
    measure: lagOfFollowing,
  },
  {
    id: 'start',
    what: 'start of the default daemon until it listens, from source and packed, against the start of a bare Node with the same packages',
    limit: { atMost: 2.8 },
    measure: startAgainstBare,
  },
  {
    id: 'idle-memory',
    what: 'memory after an idle minute, on remote with 13 voters and on the default localnet, against 110 and 160 MiB',
    limit: { atMost: 1.05 },
    measure: idleMemoryAgainstGoals,
  },
  {
    id: 'walk',
    what: 'files of src/ that an uncached lookup enters',
    measure: filesThatAreEntered,
  },
]
