import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cosignatureBy, cosignNote, isSignedBy, signNote } from '../../src/observations/note-signatures.ts'
import { isObservation, lineOf, tryObservation } from '../../src/observations/observation.ts'
import { printNote, tryNote } from '../../src/observations/signed-note.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { signatureOfWeakKey, weakKey } from '../support/ed25519-forgeries.ts'
import { testKey } from '../support/receipt-signer.ts'
import { isCosigned, isSigned, isValid, keyIdOf, readNote } from './verified.ts'

describe('a signed note', () => {
  test('of another implementation is read: text, key name, key id and signature', () => {
    const note =
      'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
    const read = tryNote(note)
    const key = Buffer.from('AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k', 'base64')
      .subarray(1)
      .toString('base64url')
    expect(read?.text).toBe('This is an example message.\n')
    const [line] = read?.signatures ?? []
    expect(line?.name).toBe('example.com/foo')
    expect(Buffer.from(line?.keyId ?? []).toString('hex')).toBe('530d903a')
    expect(keyIdOf('example.com/foo', 1, key)).toBe('530d903a')
    expect(isValid(read?.text ?? '', Buffer.from(line?.signature ?? []), key)).toBe(true)
    expect(read && printNote(read)).toBe(note)
  })

  const text = fc
    .array(
      fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll(/\p{Cc}/gu, '')),
      { minLength: 1 },
    )
    .map((lines) => `${lines.join('\n')}\n`)

  test('is read as it was printed, and verifies by a stranger, whatever its text', () => {
    const key = newSigningKey()
    const other = newSigningKey()
    fc.assert(
      fc.property(text, fc.nat(2 ** 31), (said, seconds) => {
        const note = { text: said, signatures: [signNote(said, key), cosignNote(said, other, seconds)] }
        const printed = printNote(note)
        const read = tryNote(printed)
        expect(read).toBeDefined()
        if (read === undefined) return
        expect(printNote(read)).toBe(printed)
        expect([isSignedBy(read, key), isSignedBy(read, other)]).toEqual([true, false])
        expect(
          [cosignatureBy(read, key), cosignatureBy(read, other)].map((each) => each !== undefined),
        ).toEqual([false, true])
        if (said.includes('\n\n') || said === '\n') return
        expect(readNote(printed).text).toBe(said)
        expect([isSigned(printed, key.x), isSigned(printed, other.x)]).toEqual([true, false])
        expect([isCosigned(printed, key.x), isCosigned(printed, other.x)]).toEqual([false, true])
      }),
    )
  })

  test('with one changed character is none, or is not signed', () => {
    const key = newSigningKey()
    const signed = printNote({ text: 'a\n1\n', signatures: [signNote('a\n1\n', key)] })
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const altered = signed.slice(0, at) + character + signed.slice(at + 1)
        fc.pre(altered !== signed)
        const read = tryNote(altered)
        expect(read !== undefined && isSignedBy(read, key)).toBe(false)
      }),
    )
  })

  test.each([
    ['', 'nothing'],
    ['a\n', 'a text without signatures'],
    ['a\n\n', 'an empty list of signatures'],
    ['a\n\n- name AAAAAAAA\n', 'a hyphen for a dash'],
    ['a\n\n\u2014 name AAAAAA==\n', 'a signature of four bytes'],
    ['a\n\n\u2014 name AAAAAAB=\n', 'base64 that is not the one text of its bytes'],
    ['a\n\n\u2014 na me AAAAAAAA\n', 'a name with a space'],
    ['a\n\n\u2014 na+me AAAAAAAA\n', 'a name with a plus'],
    ['a\n\n\u2014 na\u2003me AAAAAAAA\n', 'a name with another space of Unicode'],
    ['a\n\n\u2014 name AAAAAAAA', 'no newline at the end'],
    ['a\tb\n\n\u2014 name AAAAAAAA\n', 'a control character'],
    ['\ud800\n\n\u2014 name AAAAAAAA\n', 'half a surrogate pair'],
    [`a\n\n${'\u2014 name AAAAAAAA\n'.repeat(65)}`, 'too many signatures'],
    [`${'a'.repeat(20_000)}\n\n\u2014 name AAAAAAAA\n`, 'too long a text'],
  ])('is refused: %j, %s', (note) => {
    expect(tryNote(note)).toBeUndefined()
  })

  test('by a key of small order proves nothing, although some libraries accept such a signature', () => {
    const { jwk, keyid } = weakKey(testKey('weak'))
    const name = `bft-scan-proxy/${keyid}`
    const keyId = Buffer.from(keyIdOf(name, 1, jwk.x), 'hex')
    const signature = signatureOfWeakKey()
    expect(isSignedBy({ text: 'a\n', signatures: [{ name, keyId, signature }] }, { keyid, x: jwk.x })).toBe(
      false,
    )
  })
})

describe('a line of an observation', () => {
  const digest = 'A'.repeat(43)
  const observation = fc.record({
    sv: fc.string({ minLength: 1, maxLength: 200 }).filter((sv) => sv.isWellFormed()),
    subject: fc.constantFrom('contract x', 'snapshot 0 2026-01-01T00:00:00.000Z y', 'roster z'),
    digest: fc.constant(digest),
  })

  test('is read as what it was printed from', () => {
    fc.assert(
      fc.property(observation, (said) => {
        expect(isObservation(said)).toBe(true)
        expect(tryObservation(lineOf(said))).toEqual(said)
      }),
    )
  })

  test('has one text: other JSON of the same value is refused, and so is everything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          observation.map((said) => JSON.stringify(said, null, 1)),
        ),
        (line) => {
          const read = tryObservation(line)
          expect(read === undefined || lineOf(read) === line).toBe(true)
        },
      ),
    )
    const said = { sv: 'a', subject: 'b', digest }
    for (const line of [
      JSON.stringify(said, null, 1),
      JSON.stringify(said),
      lineOf({ ...said, more: 1 } as never),
      lineOf({ ...said, sv: '' }),
      lineOf({ ...said, sv: 'a'.repeat(201) }),
      lineOf({ ...said, subject: 'a\nb' }),
      lineOf({ ...said, digest: 'short' }),
      JSON.stringify({ digest, subject: 'b', sv: 'a', x: 1 }),
    ])
      if (line !== lineOf(said)) expect(tryObservation(line)).toBeUndefined()
  })
})
