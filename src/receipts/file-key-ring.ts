import { rename, rm } from 'node:fs/promises'
import { type Clock, milliseconds } from '../lib/clock.ts'
import type { ListedKey } from './key-directory.ts'
import {
  KeyFileProblem,
  makeKey,
  nextKeyPath,
  type RotationState,
  readKey,
  readRotation,
  rotationPath,
  writeKey,
  writeRotation,
  writtenAt,
} from './key-files.ts'
import { announcedMs, type CurrentKey, type KeyRing, unplannedEnd } from './key-ring.ts'
import { longestReceiptMs } from './receipt-lifetime.ts'
import { crossSign, newSigningKey, type SigningKey } from './signing-key.ts'

/**
 * The daemon reads the key file again after this time, because another process may have begun to
 * replace the keys. A new key is published seven days before it signs, so ten minutes are short
 * enough.
 */
const refreshMs = milliseconds('10m')

export interface FileKeyRingDeps {
  readonly clock: Pick<Clock, 'wall'>
  /**
   * The ring calls this if the key files cannot be read or written. The keys in memory stay as they
   * are.
   */
  readonly failed?: (error: unknown) => void
}

/**
 * The signing key in a file. Beside this file, `<key file>.next` has the next key, and
 * `<key file>.rotation.json` lists all public keys and their times.
 */
export class FileKeyRing implements KeyRing {
  readonly #path: string
  readonly #deps: FileKeyRingDeps
  #state: RotationState
  #current: CurrentKey
  #next: SigningKey | undefined
  #working: Promise<void> | undefined

  private constructor(path: string, deps: FileKeyRingDeps, loaded: LoadedKeys) {
    this.#path = path
    this.#deps = deps
    this.#state = loaded.state
    this.#current = { key: loaded.key, nbf: loaded.state.current.nbf }
    this.#next = loaded.next
  }

  /**
   * Reads the keys, and makes the first one if there is none. A next key that is due replaces the
   * present key.
   * @throws KeyFileProblem if a file cannot be used.
   */
  static async open(path: string, deps: FileKeyRingDeps): Promise<FileKeyRing> {
    const ring = new FileKeyRing(path, deps, await loadKeys(path, () => makeKey(path)))
    await ring.#settle(deps.clock.wall())
    return ring
  }

  static async find(path: string, deps: FileKeyRingDeps): Promise<FileKeyRing | undefined> {
    const key = await readKey(path)
    return key && FileKeyRing.open(path, deps)
  }

  static async check(path: string): Promise<void> {
    await loadKeys(path)
  }

  signing(wall: number): CurrentKey {
    const { next } = this.#state
    if (next !== undefined && this.#next !== undefined && wall >= next.nbf * 1000) this.#promote(next)
    return this.#current
  }

  listed(wall: number): readonly ListedKey[] {
    this.signing(wall)
    const { current, next, previous } = this.#state
    const end = next === undefined ? unplannedEnd(wall) : next.nbf + longestReceiptMs / 1000
    return [
      ...previous.filter(({ exp }) => exp * 1000 > wall),
      { ...current, exp: end },
      ...(next === undefined ? [] : [{ ...next, exp: unplannedEnd(next.nbf * 1000) }]),
    ]
  }

  /**
   * The time at which the next key begins to sign, in seconds since 1970. Undefined if no rotation
   * is under way.
   */
  get nextFrom(): number | undefined {
    return this.#state.next?.nbf
  }

  /**
   * Makes the next key, which begins to sign after `announcedMs`. Returns false if there already is
   * one.
   */
  async rotate(): Promise<boolean> {
    const wall = this.#deps.clock.wall()
    await this.#settle(wall)
    if (this.#state.next !== undefined) return false
    const { key } = this.#current
    const made = newSigningKey()
    const next = { keyid: made.keyid, x: made.x, nbf: Math.ceil((wall + announcedMs) / 1000) }
    const crossSignature = { keyid: key.keyid, signature: crossSign(key, next) }
    await writeKey(nextKeyPath(this.#path), made, this.#path)
    const previous = this.#state.previous.filter(({ exp }) => exp * 1000 > wall)
    const state = { ...this.#state, previous, next: { ...next, crossSignature } }
    await writeRotation(this.#path, state)
    this.#state = state
    this.#next = made
    return true
  }

  /**
   * Removes a stolen key at once. If the stolen key signs now, a new key without a cross-signature
   * replaces it. The next key is then removed too, because the thief could read its file as well.
   */
  async revoke(keyid: string): Promise<'replaced' | 'removed' | 'unknown'> {
    const wall = this.#deps.clock.wall()
    await this.#settle(wall)
    const { current, next, previous } = this.#state
    if (keyid === current.keyid) {
      const made = newSigningKey()
      const nbf = Math.floor(wall / 1000)
      await writeKey(this.#path, made, this.#path)
      await this.#keep({ current: { keyid: made.keyid, x: made.x, nbf }, previous })
      this.#current = { key: made, nbf }
      return 'replaced'
    }
    if (keyid === next?.keyid) {
      await this.#keep({ current, previous })
      return 'removed'
    }
    if (!previous.some((key) => key.keyid === keyid)) return 'unknown'
    const state = { ...this.#state, previous: previous.filter((key) => key.keyid !== keyid) }
    await writeRotation(this.#path, state)
    this.#state = state
    return 'removed'
  }

  /**
   * Lets a due next key sign, and waits for a pending write of the files. Methods that change the
   * files must call `#settle` first: otherwise that write could rename a next-key file that the
   * method has just written.
   */
  async #settle(wall: number): Promise<void> {
    this.signing(wall)
    await this.#working
  }

  async #keep(state: RotationState): Promise<void> {
    await writeRotation(this.#path, state)
    await rm(nextKeyPath(this.#path), { force: true })
    this.#state = state
    this.#next = undefined
  }

  /** Reads the files again every ten minutes (`refreshMs`), until the result is disposed of. */
  refreshing(clock: Pick<Clock, 'after'>): Disposable {
    let cancel = () => {}
    const refreshLater = () => {
      cancel = clock.after(refreshMs, () => void this.refresh().finally(refreshLater))
    }
    refreshLater()
    return { [Symbol.dispose]: () => cancel() }
  }

  async refresh(): Promise<void> {
    await this.#working
    try {
      const loaded = await loadKeys(this.#path)
      if (loaded === undefined) return
      this.#state = loaded.state
      this.#current = { key: loaded.key, nbf: loaded.state.current.nbf }
      this.#next = loaded.next
    } catch (error) {
      this.#deps.failed?.(error)
    }
  }

  /**
   * Lets the next key sign. The files are written in the background, because `signing` is
   * synchronous.
   */
  #promote(next: NonNullable<RotationState['next']>): void {
    const former = this.#state.current
    this.#state = promoted(this.#state, next)
    this.#current = { key: this.#next as SigningKey, nbf: next.nbf }
    this.#next = undefined
    const state = this.#state
    this.#working = this.#write(state, former.keyid).catch((error: unknown) => this.#deps.failed?.(error))
  }

  /**
   * Replaces the key file by the next key's file, then writes the rotation file. In this order, the
   * key file shows after a crash between the two steps that the rotation has happened.
   */
  async #write(state: RotationState, former: string): Promise<void> {
    const found = (await readKey(this.#path))?.keyid
    if (found === former) await rename(nextKeyPath(this.#path), this.#path)
    // The file has neither key: another process has revoked the key and written both files.
    else if (found !== state.current.keyid) return
    await writeRotation(this.#path, state)
  }
}

interface LoadedKeys {
  readonly key: SigningKey
  readonly next: SigningKey | undefined
  readonly state: RotationState
}

async function loadKeys(path: string, make: () => Promise<SigningKey>): Promise<LoadedKeys>
async function loadKeys(path: string): Promise<LoadedKeys | undefined>
async function loadKeys(path: string, make?: () => Promise<SigningKey>): Promise<LoadedKeys | undefined> {
  const key = (await readKey(path)) ?? (await make?.())
  if (key === undefined) return undefined
  const kept = await readRotation(rotationPath(path))
  if (kept === undefined) {
    const current = { keyid: key.keyid, x: key.x, nbf: await writtenAt(path) }
    return { key, next: undefined, state: { current, previous: [] } }
  }
  const { current, next } = kept
  if (next !== undefined && key.keyid === next.keyid)
    return { key, next: undefined, state: promoted(kept, next) }
  if (key.keyid !== current.keyid)
    throw new KeyFileProblem(
      `${path} holds another key than ${rotationPath(path)} says: remove the latter if the key was replaced on purpose`,
    )
  if (next === undefined) return { key, next: undefined, state: kept }
  const nextKey = await readKey(nextKeyPath(path))
  if (nextKey?.keyid !== next.keyid)
    throw new KeyFileProblem(
      `${nextKeyPath(path)} does not hold the next key that ${rotationPath(path)} names`,
    )
  return { key, next: nextKey, state: kept }
}

/**
 * Returns the state in which the next key signs. The former key stays listed until its last receipt
 * has expired.
 */
function promoted(
  { current, previous }: RotationState,
  { crossSignature: _, ...next }: NonNullable<RotationState['next']>,
): RotationState {
  const former = { ...current, exp: next.nbf + longestReceiptMs / 1000 }
  return { current: next, next: undefined, previous: [...previous, former] }
}
