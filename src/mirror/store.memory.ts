import {
  type MirrorContent,
  type MirrorStore,
  OlderMirrorSet,
  type OverlayEntry,
  UnusableMirrorFile,
} from './store.ts'

/** Keeps the mirror for the life of the process. It shares the set with its caller, so it costs no memory of its own. */
export class MemoryMirrorStore implements MirrorStore {
  #kept: Pick<MirrorContent, 'set' | 'generation'> | undefined
  #overlay = new Map<string, OverlayEntry>()
  #isClosed = false

  async load(): Promise<MirrorContent | undefined> {
    this.#check()
    return this.#kept && { ...this.#kept, overlay: [...this.#overlay.values()] }
  }

  async replace({ set, generation, overlay }: MirrorContent): Promise<void> {
    this.#check()
    const kept = this.#kept?.set
    if (kept?.dso === set.dso && set.at < kept.at) throw new OlderMirrorSet(set.at, kept.at)
    this.#kept = { set, generation }
    this.#overlay = new Map(overlay.map((each) => [each.entry.name, each]))
  }

  async overlay(entry: OverlayEntry): Promise<void> {
    this.#check()
    this.#overlay.set(entry.entry.name, entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
  }

  #check(): void {
    if (this.#isClosed) throw new UnusableMirrorFile('closed', 'The mirror is closed.')
  }
}
