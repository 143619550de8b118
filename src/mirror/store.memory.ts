import type { Followed } from './following.ts'
import { justBefore } from './snapshot-grid.ts'
import {
  type MirrorContent,
  type MirrorStore,
  MissingUpdates,
  OlderMirrorSet,
  OtherMirrorSet,
  type OverlayEntry,
  UnusableMirrorFile,
} from './store.ts'
import type { Withheld } from './withheld-in-file.ts'

/**
 * Keeps the mirror's content in memory. The set of names that `replace` gets is not copied, to save
 * memory.
 */
export class MemoryMirrorStore implements MirrorStore {
  #kept: Pick<MirrorContent, 'set' | 'generation' | 'withheld'> | undefined
  #followed: Followed | undefined
  #overlay = new Map<string, OverlayEntry>()
  #isClosed = false

  async load(): Promise<MirrorContent | undefined> {
    this.#check()
    const overlay = [...this.#overlay.values()]
    return this.#kept && { ...this.#kept, overlay, followed: this.#followed }
  }

  async replace({ set, generation, overlay, followed, withheld }: MirrorContent): Promise<void> {
    this.#check()
    const kept = this.#kept?.set
    if (kept?.dso === set.dso && set.at < kept.at) throw new OlderMirrorSet(set.at, kept.at)
    this.#kept = { set, generation, withheld }
    this.#followed = followed
    this.#overlay = new Map(overlay.map((each) => [each.entry.name, each]))
  }

  async overlay(entry: OverlayEntry): Promise<void> {
    this.#check()
    this.#overlay.set(entry.entry.name, entry)
  }

  async follow(step: Followed): Promise<void> {
    this.#check()
    const kept = this.#kept && justBefore(this.#kept.set.at)
    if ((this.#followed?.at ?? kept) !== step.after)
      throw new MissingUpdates('updates before these are not kept')
    const updates = [...(this.#followed?.updates ?? []), ...step.updates]
    this.#followed = { ...step, after: this.#followed?.after ?? step.after, updates }
  }

  async withhold(digest: string, withheld: Withheld): Promise<void> {
    this.#check()
    if (this.#kept?.set.digest !== digest) throw new OtherMirrorSet('another set is kept')
    this.#kept = { ...this.#kept, withheld }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
  }

  #check(): void {
    if (this.#isClosed) throw new UnusableMirrorFile('closed', 'The mirror is closed.')
  }
}
