import { isJsonObject, type Json, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { type PublicSigningKey, thumbprint } from '../receipts/signing-key.ts'
import { checkpointText } from './checkpoint.ts'
import { isSignedBy } from './note-signatures.ts'
import { jwkOf, type NotedEpoch } from './noted-epoch.ts'
import { mostObservations, tryObservation } from './observation.ts'
import { printNote, tryNote } from './signed-note.ts'

export const mostDocumentBytes = 786_432
export const mostCosigned = 64

/**
 * A daemon publishes this document about each epoch of ten minutes. It has the daemon's signed
 * observations, and the notes of its peers that the daemon cosigned.
 */
export interface EpochDocument {
  readonly noted: NotedEpoch
  readonly cosigned: readonly string[]
}

export function printDocument({ noted, cosigned }: EpochDocument): string {
  const { epoch, key, note, lines } = noted
  return JSON.stringify({
    v: 1,
    kind: 'observations',
    epoch,
    key: jwkOf(key),
    note: printNote(note),
    observations: lines,
    cosigned,
  })
}

export interface ExpectedDocument {
  readonly epoch: number
  readonly keyids: readonly string[]
}

/** The message is a clause about the document, such as "its note is malformed". */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused'
}

/**
 * Checks a peer's document: its format, key and signature, and that its note is about the listed
 * observations. The signatures of the `cosigned` notes are not checked.
 * @throws DocumentRefused
 */
export function checkedDocument(body: Uint8Array, expected: ExpectedDocument): EpochDocument {
  const document = parsed(body)
  const { epoch } = expected
  if (document['v'] !== 1 || document['kind'] !== 'observations' || document['epoch'] !== epoch)
    throw new DocumentRefused('it is no document of this epoch')
  const key = keyIn(document['key'])
  if (key === undefined || !expected.keyids.includes(key.keyid))
    throw new DocumentRefused('its key is not one that is configured')
  const note = typeof document['note'] === 'string' ? tryNote(document['note']) : undefined
  if (note === undefined) throw new DocumentRefused('its note is malformed')
  const lines = textsIn(document['observations'], mostObservations)
  if (lines === undefined || !isAscending(lines)) throw new DocumentRefused('its list is malformed')
  const observations = lines.map(tryObservation)
  if (!observations.every((observation) => observation !== undefined))
    throw new DocumentRefused('an observation is malformed')
  if (note.text !== checkpointText({ key, epoch }, lines))
    throw new DocumentRefused('its note is not about these observations')
  if (!isSignedBy(note, key)) throw new DocumentRefused('its signature is not valid')
  const cosigned = textsIn(document['cosigned'], mostCosigned)
  if (cosigned === undefined) throw new DocumentRefused('its cosigned notes are malformed')
  return { noted: { epoch, key, note, observations, lines }, cosigned }
}

function parsed(body: Uint8Array): { readonly [key: string]: Json } {
  try {
    const value = parseJson(body, { maxElements: mostObservations + mostCosigned + 64, maxDepth: 4 })
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof MisshapenJson)) throw error
  }
  throw new DocumentRefused('it is no JSON object')
}

function keyIn(jwk: Json | undefined): PublicSigningKey | undefined {
  if (!isJsonObject(jwk) || jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') return undefined
  const { x } = jwk
  if (typeof x !== 'string' || !/^[\w-]{43}$/.test(x)) return undefined
  return { keyid: thumbprint(x), x }
}

function textsIn(list: Json | undefined, most: number): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length > most) return undefined
  return list.every((item) => typeof item === 'string') ? list : undefined
}

function isAscending(lines: readonly string[]): boolean {
  return lines.every((line, index) => index === 0 || (lines[index - 1] as string) < line)
}
