import { SpliceError } from '../../base/errors/splice.ts'

const maxIdentifier = 185
const maxFingerprint = 68
const safe = /^[a-zA-Z0-9:\-_ ]*$/

/**
 * Checks a party id, `identifier::fingerprint`, and returns it unchanged.
 * @throws SpliceError with Splice's text (Canton: UniqueIdentifier.scala, SafeSimpleString).
 */
export function parseParty(id: string): string {
  const delimiter = id.indexOf('::')
  if (delimiter === 0) throw new SpliceError('identifierWithoutName', { id })
  if (id === '') throw new SpliceError('emptyIdentifier')
  if (delimiter < 0) throw new SpliceError('identifierWithoutNamespace', { id })
  const identifierProblem = problem(id.slice(0, delimiter), maxIdentifier)
  if (identifierProblem !== undefined)
    throw new SpliceError('malformedIdentifier', { id, why: identifierProblem })
  const fingerprintProblem = problem(id.slice(delimiter + 2), maxFingerprint)
  if (fingerprintProblem !== undefined)
    throw new SpliceError('malformedFingerprint', { id, why: fingerprintProblem })
  return id
}

export function isParty(id: string): boolean {
  try {
    parseParty(id)
    return true
  } catch {
    return false
  }
}

function problem(text: string, maxLength: number): string | undefined {
  if (text === '') return 'Daml-LF Party is empty'
  if (text.length > maxLength)
    return `The given string has a maximum length of ${maxLength} but a string of length ${text.length} was given`
  if (!safe.test(text)) {
    const strange = [...text].find((character) => !safe.test(character)) ?? ''
    return `non expected character 0x${strange.codePointAt(0)?.toString(16)} in Daml-LF Party`
  }
  if (text.includes('::')) return 'String contains reserved delimiter `::`.'
  return undefined
}
