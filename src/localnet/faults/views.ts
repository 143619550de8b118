import { z } from 'zod'
import type { NodeContext } from '../node-context.ts'
import { microsOf } from '../world/contract.ts'
import { historySince } from '../world/history.ts'
import type { AnsEntry } from '../world/network.ts'
import { snapshotsSince } from '../world/snapshots.ts'
import { defineFault, duration, type Effects, longestLagMs } from './fault.ts'
import { falsified, lyingView } from './lies.ts'

const lag = defineFault({
  kind: 'lag',
  sentence: 'has ingested the ledger only up to some time ago, and is honest about it',
  options: { by: duration('how far behind').default(5000) },
  effects: ({ by }) => ({ traits: { lagMs: by } }),
})

const skew = defineFault({
  kind: 'skew',
  sentence: 'has a clock that is ahead, so that names end early, or behind, and is honest',
  options: {
    by: z
      .int()
      .min(-longestLagMs)
      .max(longestLagMs)
      .default(60_000)
      .describe('how far ahead, behind if negative, in ms'),
  },
  effects: ({ by }) => ({ traits: { skewMs: by } }),
})

const late = defineFault({
  kind: 'late',
  sentence: 'has joined late, has none of the history before that, and says so',
  options: { by: z.int().min(0).default(30_000).describe('how long ago it joined, in ms') },
  effects: ({ by }) => ({
    see(view, { clock }) {
      const joined = microsOf(clock.wall() - by)
      return {
        ...view,
        history: () => historySince(view.history(), joined),
        snapshots: () => snapshotsSince(view.snapshots(), joined),
        annals: async () => ({ ...(await view.annals()), rewards: () => [] }),
      }
    },
  }),
})

const pruned = defineFault({
  kind: 'pruned',
  sentence: 'has loaded all history, has pruned what is older than some time, and says so',
  options: {
    keeps: z.int().min(0).default(30_000).describe('how much of the history it keeps, in ms'),
    says: z
      .enum(['not-found', 'unavailable'])
      .default('not-found')
      .describe(
        'how it refuses pages that begin earlier: with 404, or with 503 as one that has not loaded them',
      ),
  },
  effects: ({ keeps, says }) => ({
    see(view, { clock }) {
      const to = microsOf(clock.wall() - keeps)
      return {
        ...view,
        history() {
          const { complete } = view.history()
          return { ...historySince(view.history(), to), complete, pruned: { to, says } }
        },
        snapshots: () => snapshotsSince(view.snapshots(), to),
      }
    },
  }),
})

const deny = defineFault({
  kind: 'deny',
  sentence: 'says that no name exists',
  effects: () => ({
    see: (view) => ({
      ...view,
      entryByName: () => undefined,
      entryByParty: () => undefined,
      entries: () => [],
    }),
  }),
})

const uninitialised = defineFault({
  kind: 'uninitialised',
  sentence: 'has just started and knows nothing of the ledger yet',
  effects: () => ({ see: (view) => ({ ...view, initialised: false, entries: () => [] }) }),
})

const everything = 1000

/** Returns the entry after the requested one, or else the first of all entries. */
function another(entries: readonly AnsEntry[], asked: (entry: AnsEntry) => boolean): AnsEntry | undefined {
  return entries.slice(entries.findIndex(asked) + 1).find((entry) => !asked(entry)) ?? entries[0]
}

const otherEntry = defineFault({
  kind: 'other-entry',
  sentence: 'answers a look-up with a true entry that is not the one asked for',
  effects: () => ({
    see: (view) => ({
      ...view,
      entryByName: async (asked) => another(await view.entries('', everything), ({ name }) => name === asked),
      entryByParty: async (asked) =>
        another(await view.entries('', everything), ({ user }) => user === asked),
    }),
  }),
})

const ignoreQuery = defineFault({
  kind: 'ignore-query',
  sentence: 'answers a list with all it has, whatever the prefix and the size of the page',
  effects: () => ({ see: (view) => ({ ...view, entries: () => view.entries('', everything) }) }),
})

function lying(salt: (context: NodeContext) => string): Effects {
  return {
    see: (view, context) => lyingView(view, context.network, () => salt(context)),
    say: (reply, ask, body) => falsified(reply, ask, body, salt(ask.context)),
  }
}

const lie = defineFault({
  kind: 'lie',
  sentence: 'tells plausible lies in every read, the same ones as the others that lie',
  options: { alone: z.boolean().default(false).describe('true: a lie of its own') },
  effects: ({ alone }) => lying(({ member }) => (alone ? member.name : 'together')),
})

const equivocate = defineFault({
  kind: 'equivocate',
  sentence: 'tells another lie each time it is asked',
  effects: () => {
    let told = 0
    return lying(({ member }) => `${member.name} ${told++}`)
  },
})

export const viewFaults = [
  lag,
  skew,
  late,
  pruned,
  deny,
  uninitialised,
  otherEntry,
  ignoreQuery,
  lie,
  equivocate,
] as const
