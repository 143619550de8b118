import type { Clock } from '../../base/lib/clock.ts'
import { AnsEntry } from '../ledger/daml/splice/ans.ts'
import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'

export interface PastEvent {
  /** `removed`: the entry had expired, and the ledger archived it. */
  readonly what: 'registered' | 'renewed' | 'removed'
  /** The time of the event, ISO 8601. */
  readonly at: string
}

const mostNames = 10_000
const mostEvents = 50

/**
 * Remembers the events of names since this object was made. Beyond `mostNames` names, it forgets
 * the name that has had no event for the longest time.
 */
export class NameHistory implements Disposable {
  readonly #byName = new Map<string, PastEvent[]>()
  readonly #stop: () => void

  constructor(ledger: Pick<EmbeddedLedger, 'watch'>, clock: Pick<Clock, 'wall'>) {
    // All names in one update get the same label: no command of the registry, the wallet or the
    // automation changes the entries of two names. Only `AnsEntry_Expire` archives an entry without
    // a new one.
    this.#stop = ledger.watch(({ created, archived, names }) => {
      const [isMade, isGone] = [created, archived].map((templates) => templates.includes(AnsEntry.name))
      const what = isMade ? (isGone ? 'renewed' : 'registered') : 'removed'
      const at = new Date(clock.wall()).toISOString()
      for (const { name } of new Map(names.map((touched) => [touched.name, touched])).values())
        this.#add(name, { what, at })
    })
  }

  of(name: string): readonly PastEvent[] {
    return this.#byName.get(name) ?? []
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  #add(name: string, event: PastEvent): void {
    const events = [...(this.#byName.get(name) ?? []), event].slice(-mostEvents)
    this.#byName.delete(name)
    this.#byName.set(name, events)
    if (this.#byName.size > mostNames) this.#byName.delete(this.#byName.keys().next().value as string)
  }
}
