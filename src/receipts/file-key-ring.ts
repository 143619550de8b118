import { rename, rm } from 'node:fs/promises'
import { type Clock, milliseconds } from '../base/lib/clock.ts'
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
  #keys: LoadedKeys
  #working: Promise<void> | undefined

  private constructor(path: string, deps: FileKeyRingDeps, keys: LoadedKeys) {
    this.#path = path
    this.#deps = deps
    this.#keys = keys
  }

  /**
   * Reads the keys, and makes the first one if there is none. A next key that is due replaces the
   * present key.
   * @throws KeyFileProblem if a file cannot be used.
   */
  static async open(path: string, deps: FileKeyRingDeps): Promise<FileKeyRing> {
    const key = (await readKey(path)) ?? (await makeKey(path))
    const ring = new FileKeyRing(path, deps, await loadKeys(path, key))
    await ring.#settle(deps.clock.wall())
    return ring
  }

  static async find(path: string, deps: FileKeyRingDeps): Promise<FileKeyRing | undefined> {
    const key = await readKey(path)
    return key && FileKeyRing.open(path, deps)
  }

  static async check(path: string): Promise<void> {
    const key = await readKey(path)
    if (key !== undefined) await loadKeys(path, key)
  }

  signing(wall: number): CurrentKey {
    const { next } = this.#keys.state
    if (next !== undefined && wall >= next.nbf * 1000) this.#promote(next)
    const { key, state } = this.#keys
    return { key, nbf: state.current.nbf }
  }

  listed(wall: number): readonly ListedKey[] {
    this.signing(wall)
    const { current, next, previous } = this.#keys.state
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
    return this.#keys.state.next?.nbf
  }

  /**
   * Makes the next key, which begins to sign after `announcedMs`. Returns false if there already is
   * one.
   */
  async rotate(): Promise<boolean> {
    const wall = this.#deps.clock.wall()
    await this.#settle(wall)
    const { key, state } = this.#keys
    if (state.next !== undefined) return false
    const made = newSigningKey()
    const next = { keyid: made.keyid, x: made.x, nbf: Math.ceil((wall + announcedMs) / 1000) }
    const crossSignature = { keyid: key.keyid, signature: crossSign(key, next) }
    await writeKey(nextKeyPath(this.#path), made, this.#path)
    const previous = state.previous.filter(({ exp }) => exp * 1000 > wall)
    await this.#keep({ key, next: made, state: { ...state, previous, next: { ...next, crossSignature } } })
    return true
  }

  /**
   * Removes a stolen key at once. If the stolen key signs now, a new key without a cross-signature
   * replaces it. The next key is then removed too, because the thief could read its file as well.
   */
  async revoke(keyid: string): Promise<'replaced' | 'removed' | 'unknown'> {
    const wall = this.#deps.clock.wall()
    await this.#settle(wall)
    const { key, state } = this.#keys
    const { current, next, previous } = state
    if (keyid === current.keyid) {
      const made = newSigningKey()
      const signing = { keyid: made.keyid, x: made.x, nbf: Math.floor(wall / 1000) }
      await writeKey(this.#path, made, this.#path)
      await this.#keep({ key: made, next: undefined, state: { current: signing, previous } })
      return 'replaced'
    }
    if (keyid === next?.keyid) {
      await this.#keep({ key, next: undefined, state: { current, previous } })
      return 'removed'
    }
    const left = previous.filter((former) => former.keyid !== keyid)
    if (left.length === previous.length) return 'unknown'
    await this.#keep({ ...this.#keys, state: { ...state, previous: left } })
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

  async #keep(keys: LoadedKeys): Promise<void> {
    await writeRotation(this.#path, keys.state)
    if (keys.next === undefined) await rm(nextKeyPath(this.#path), { force: true })
    this.#keys = keys
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
      const key = await readKey(this.#path)
      if (key !== undefined) this.#keys = await loadKeys(this.#path, key)
    } catch (error) {
      this.#deps.failed?.(error)
    }
  }

  /**
   * Lets the next key sign. The files are written in the background, because `signing` is
   * synchronous.
   */
  #promote(next: NonNullable<RotationState['next']>): void {
    const former = this.#keys.state.current
    const state = promoted(this.#keys.state, next)
    this.#keys = { key: this.#keys.next as SigningKey, next: undefined, state }
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

/** The next key is here where `state` names one. */
interface LoadedKeys {
  readonly key: SigningKey
  readonly next: SigningKey | undefined
  readonly state: RotationState
}

async function loadKeys(path: string, key: SigningKey): Promise<LoadedKeys> {
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
