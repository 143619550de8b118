import type { LoadConfigOptions } from '../base/config/load.ts'
import { type Clock, systemClock } from '../base/lib/clock.ts'
import { suggestion } from '../base/lib/similar-words.ts'
import { whyUnusable } from '../base/lib/unusable-file.ts'
import { FileKeyRing } from '../receipts/file-key-ring.ts'
import { keyDirectory } from '../receipts/key-directory.ts'
import { KeyFileProblem } from '../receipts/key-files.ts'
import { publicPemOf } from '../receipts/signing-key.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { toldConfig } from './read-config.ts'

export function receiptsKey(
  { json }: { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  return withKeys(print, options, systemClock, async (ring) => {
    const wall = systemClock.wall()
    const { key } = ring.signing(wall)
    const directory = keyDirectory(ring.listed(wall))
    if (json) {
      printJson(print, { keyid: key.keyid, publicKey: publicPemOf(key), directory })
      return exitCodes.ok
    }
    print.out(`keyid: ${key.keyid}`)
    for (const line of publicPemOf(key).trimEnd().split('\n')) print.out(line)
    printJson(print, directory, 2)
    return exitCodes.ok
  })
}

/**
 * Makes the next key, which will sign from seven days later on, unless there already is a next key.
 * A running daemon publishes it within ten minutes, or at SIGHUP.
 */
export function receiptsRotate(
  print: Print,
  options: LoadConfigOptions = {},
  clock: Pick<Clock, 'wall'> = systemClock,
): Promise<number> {
  return withKeys(print, options, clock, async (ring) => {
    const isNew = await ring.rotate()
    const from = new Date((ring.nextFrom ?? 0) * 1000).toISOString()
    print.out(
      isNew
        ? `The next key is made. Receipts are signed with it from ${from} on. A daemon that runs lists it within ten minutes, or at SIGHUP.`
        : `A rotation is under way: receipts are signed with the next key from ${from} on.`,
    )
    return exitCodes.ok
  })
}

/**
 * Removes a stolen key from the directory. If it is the key that signs now, a new key takes its
 * place. A running daemon follows within ten minutes, or at SIGHUP.
 */
export function receiptsRevoke(
  keyid: string,
  print: Print,
  options: LoadConfigOptions = {},
  clock: Pick<Clock, 'wall'> = systemClock,
): Promise<number> {
  return withKeys(print, options, clock, async (ring) => {
    const listed = ring.listed(clock.wall()).map((key) => key.keyid)
    const outcome = await ring.revoke(keyid)
    if (outcome === 'unknown') return misused(print, `there is no key ${keyid}${suggestion(keyid, listed)}`)
    const { key } = ring.signing(clock.wall())
    if (outcome === 'replaced')
      print.out(`Receipts are signed with the new key ${key.keyid} from now on. No other key vouches for it.`)
    print.out(
      `The key ${keyid} is not listed any more. A daemon that runs follows within ten minutes, or at SIGHUP.`,
    )
    print.out('Tell whoever trusts this key: who verifies offline does not see that it was revoked.')
    return exitCodes.ok
  })
}

async function withKeys(
  print: Print,
  options: LoadConfigOptions,
  clock: Pick<Clock, 'wall'>,
  use: (ring: FileKeyRing) => Promise<number>,
): Promise<number> {
  const config = toldConfig(print, options)
  if (config === undefined) return exitCodes.badConfig
  const { keyFile } = config.receipts
  if (keyFile === undefined) {
    print.err(
      'There is no key: receipts.keyFile is not set. A localnet publishes its own key at /.well-known/http-message-signatures-directory.',
    )
    return exitCodes.failed
  }
  try {
    const ring = await FileKeyRing.find(keyFile, { clock })
    if (ring !== undefined) return await use(ring)
    print.err(`There is no key in ${keyFile} yet: the daemon makes it when it starts.`)
    return exitCodes.failed
  } catch (error) {
    const isKeyFile = error instanceof KeyFileProblem
    if (!isKeyFile && (error as NodeJS.ErrnoException).syscall === undefined) throw error
    print.err(`receipts.keyFile: ${isKeyFile ? error.message : whyUnusable(keyFile, error)}`)
    return isKeyFile ? exitCodes.badConfig : exitCodes.failed
  }
}
