import { readFile } from 'node:fs/promises'
import type { ReceiptJwk, ReceiptPin } from '../client/receipts/receipts.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'

/** Thrown if the text of `--key` is no key. The message is a sentence. */
export class NoReceiptKey extends Error {
  override readonly name = 'NoReceiptKey'
}

/**
 * Reads `--key [NAME=]KEY`: the id of a key, or a file with a JWK or with the key directory of a daemon. All keys of one
 * text have one owner.
 * @throws NoReceiptKey
 */
export async function pinsOf(text: string): Promise<readonly ReceiptPin[]> {
  const [, name, key = text] = /^([^=/]+)=(.+)$/.exec(text) ?? []
  if (/^[\w-]{43}$/.test(key)) return [{ name: name ?? key.slice(0, 8), key }]
  const keys = await keysOf(key)
  if (keys.length === 0) throw new NoReceiptKey(`${key} has no public key of Ed25519 as a JWK.`)
  return keys.map((jwk) => ({ name: name ?? key, key: jwk }))
}

async function keysOf(file: string): Promise<readonly ReceiptJwk[]> {
  try {
    return keysIn(await readFile(file))
  } catch (error) {
    if (error instanceof MisshapenJson) throw new NoReceiptKey(`${file} is no JSON: ${error.message}.`)
    throw new NoReceiptKey(
      `${file} is neither the id of a key, which has 43 characters, nor a file that can be read.`,
    )
  }
}

/**
 * Finds the keys of Ed25519 in a JWK or a JWK set.
 * @throws MisshapenJson
 */
export function keysIn(json: Uint8Array): readonly ReceiptJwk[] {
  const value = parseJson(json)
  const keys: readonly unknown[] =
    isJsonObject(value) && Array.isArray(value['keys']) ? value['keys'] : [value]
  return keys.filter(isEd25519)
}

function isEd25519(key: unknown): key is ReceiptJwk {
  return isJsonObject(key) && key['kty'] === 'OKP' && key['crv'] === 'Ed25519' && typeof key['x'] === 'string'
}
