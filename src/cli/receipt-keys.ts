import { basename, extname } from 'node:path'
import { keysIn } from '../client/receipts/pins.ts'
import type { ReceiptJwk, ReceiptPin } from '../client/receipts/receipts.ts'
import { MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { readGiven } from './read-given.ts'

export class NoReceiptKey extends Error {
  override readonly name = 'NoReceiptKey'
}

/**
 * Parses `[NAME=]KEY`. KEY is the id of a key, or a file with a JWK or with the key directory of a
 * daemon. All keys in one file count as keys of one owner.
 * @throws NoReceiptKey
 */
export async function pinsOf(text: string): Promise<readonly ReceiptPin[]> {
  const [, name, key = text] = /^([^=/]+)=(.+)$/.exec(text) ?? []
  if (/^[\w-]{43}$/.test(key)) return [{ name: name ?? key.slice(0, 8), key }]
  const keys = await keysOf(key)
  if (keys.length === 0)
    throw new NoReceiptKey(
      `${key} has no public key of Ed25519 as a JWK; the keys in a receipt do not count.`,
    )
  const shown = name ?? basename(key, extname(key))
  return keys.map((jwk) => ({ name: shown, owner: name ?? key, key: jwk }))
}

async function keysOf(file: string): Promise<readonly ReceiptJwk[]> {
  try {
    return keysIn(parseJson(await readGiven(file)))
  } catch (error) {
    if (error instanceof MisshapenJson) throw new NoReceiptKey(`${file} is no JSON: ${error.message}.`)
    throw new NoReceiptKey(
      `${file} is neither the id of a key, which has 43 characters, nor a file that can be read: ${(error as Error).message}.`,
    )
  }
}
