import { base64Of, tryBase64 } from '../lib/base64.ts'

/** A text with signatures over it, in the format of c2sp.org/signed-note. */
export interface SignedNote {
  /** The text ends with a newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export interface NoteSignature {
  readonly name: string
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

const longestNote = 16_384
const mostSignatures = 64

export function printNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(lineOfSignature).join('')}`
}

function lineOfSignature({ name, keyId, signature }: NoteSignature): string {
  return `\u2014 ${name} ${base64Of(Buffer.concat([keyId, signature]))}\n`
}

export function tryNote(note: string): SignedNote | undefined {
  if (note.length > longestNote || !note.isWellFormed() || hasControls(note)) return undefined
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n')) return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > mostSignatures) return undefined
  const signatures = lines.map(trySignature)
  if (!signatures.every((signature) => signature !== undefined)) return undefined
  return { text: note.slice(0, end + 1), signatures }
}

function hasControls(note: string): boolean {
  for (let at = 0; at < note.length; at++) {
    const code = note.charCodeAt(at)
    if (code < 32 && code !== newline) return true
  }
  return false
}

const newline = 10

function trySignature(line: string): NoteSignature | undefined {
  const [, name = '', encoded = ''] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? []
  const bytes = encoded === '' ? undefined : tryBase64(encoded)
  if (bytes === undefined || bytes.length <= 4) return undefined
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) }
}
