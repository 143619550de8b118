import type { Row } from './row.ts'
import { askAgainstDispatch } from './rows/ask.ts'
import { asksForACrowd, asksForNamesThatDoNot, asksForNamesThatExist } from './rows/asks.ts'
import { hitAgainstBareNode, hitAgainstNginx } from './rows/hit.ts'
import { idleMemoryAgainstGoals } from './rows/idle-memory.ts'
import { dsoAgainstFetching, pageAgainstFetching } from './rows/large-answers.ts'
import { largeLedgerAgainstSmall } from './rows/ledger-size.ts'
import { lookupBesideRegistrations } from './rows/lookup-beside-registrations.ts'
import { registrationsAgainstBareTransactions } from './rows/registrations.ts'
import { startAgainstGoals } from './rows/start.ts'
import { cpuAgainstBareFanOut, latencyAgainstThreshold } from './rows/uncached.ts'
import { byOffsetInLargeAgainstSmall } from './rows/update-by-offset.ts'
import { fanOutAgainstBareWs } from './rows/update-fanout.ts'
import { pagesAgainstRows } from './rows/updates-pages.ts'

/** All that is promised about speed. */
export const rows: readonly Row[] = [
  {
    id: 'hit',
    what: 'cached lookups a CPU second, against a bare node:http server that writes the same',
    limit: { atLeast: 0.8 },
    measure: hitAgainstBareNode,
  },
  {
    id: 'nginx',
    what: 'cached lookups a CPU second, against nginx proxy_cache hits',
    limit: { atLeast: 1 },
    measure: hitAgainstNginx,
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
    id: 'ask',
    what: 'CPU of one ask of a scan node, against one by undici Pool.dispatch alone',
    limit: { atMost: 1.3 },
    measure: askAgainstDispatch,
  },
  {
    id: 'large-page',
    what: 'CPU of an uncached 1 MB page of updates, against fetching the same bytes from as many nodes',
    limit: { atMost: 1.5 },
    measure: pageAgainstFetching,
  },
  {
    id: 'large-dso',
    what: 'CPU of an uncached /dso of 300 KB, against fetching the same bytes from as many nodes',
    limit: { atMost: 2 },
    measure: dsoAgainstFetching,
  },
  {
    id: 'registrations',
    what: 'whole registrations a second, against as many bare durable SQLite transactions of the same sizes',
    limit: { atLeast: 0.5 },
    measure: registrationsAgainstBareTransactions,
  },
  {
    id: 'lookup-beside-registrations',
    what: 'median latency of a cached lookup while registrations run at full rate, against an idle ledger',
    limit: { atMost: 1.3 },
    measure: lookupBesideRegistrations,
  },
  {
    id: 'ledger-size',
    what: 'lookups, start and memory of a ledger with 1,000,000 entries, against one with 1,000: the worst of them',
    limit: { atMost: 1.5 },
    measure: largeLedgerAgainstSmall,
  },
  {
    id: 'updates-pages',
    what: '1,000,000 updates in pages a second, against their rows read from SQLite and written out',
    limit: { atLeast: 0.5 },
    measure: pagesAgainstRows,
  },
  {
    id: 'update-by-offset',
    what: 'one of 1,000,000 updates by its offset, against one of 1,000',
    limit: { atMost: 1.5 },
    measure: byOffsetInLargeAgainstSmall,
  },
  {
    id: 'update-fanout',
    what: 'from a commit to the WebSockets of 100 readers, against ws alone with the same frames',
    limit: { atMost: 1.5 },
    measure: fanOutAgainstBareWs,
  },
  {
    id: 'start',
    what: 'from the start of the default daemon until it listens, from source and packed, against 0.9 s and 0.6 s',
    limit: { atMost: 1 },
    measure: startAgainstGoals,
  },
  {
    id: 'idle-memory',
    what: 'memory after an idle minute, on remote with 13 voters and on the default localnet, against 110 and 160 MiB',
    limit: { atMost: 1 },
    measure: idleMemoryAgainstGoals,
  },
]
