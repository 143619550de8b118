import { checkpointText } from '../../src/observations/checkpoint.ts'
import { printDocument } from '../../src/observations/epoch-document.ts'
import { signNote } from '../../src/observations/note-signatures.ts'
import { lineOf, type SvObservation } from '../../src/observations/observation.ts'
import type { SigningKey } from '../../src/receipts/signing-key.ts'

export interface SignedDocumentOptions {
  readonly epoch: number
  readonly key: SigningKey
  readonly observations: readonly SvObservation[]
  readonly cosigned?: readonly string[]
  /** Signs the document. If `signer` is not `key`, the document is forged. */
  readonly signer?: SigningKey
}

export function signedDocument({
  epoch,
  key,
  observations,
  cosigned = [],
  signer = key,
}: SignedDocumentOptions) {
  const byLine = new Map(observations.map((observation) => [lineOf(observation), observation]))
  const lines = [...byLine.keys()].sort()
  const text = checkpointText({ key, epoch }, lines)
  const note = { text, signatures: [{ ...signNote(text, signer), name: `bft-scan-proxy/${key.keyid}` }] }
  const sorted = lines.map((line) => byLine.get(line) as SvObservation)
  return printDocument({ noted: { epoch, key, note, observations: sorted, lines }, cosigned })
}

/** The lines may be malformed, but the signature of the note is valid. */
export function documentOfLines(
  { epoch, key }: Pick<SignedDocumentOptions, 'epoch' | 'key'>,
  lines: readonly string[],
): string {
  const text = checkpointText({ key, epoch }, lines)
  const noted = { epoch, key, note: { text, signatures: [signNote(text, key)] }, observations: [], lines }
  return printDocument({ noted, cosigned: [] })
}
