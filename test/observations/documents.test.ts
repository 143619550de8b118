import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkedDocument, DocumentRefused } from '../../src/observations/epoch-document.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { malleated } from '../support/ed25519-forgeries.ts'
import { documentOfLines, signedDocument } from './signed-document.ts'

const key = newSigningKey()
const other = newSigningKey()
const epoch = 2_945_376
const expected = { epoch, keyids: [key.keyid] }
const said = (sv: string, subject = 'contract x') => ({ sv, subject, digest: 'A'.repeat(43) })
const observations = ['sv-1', 'sv-2', 'sv-3', 'sv-4', 'sv-5'].map((sv) => said(sv))
const text = signedDocument({ epoch, key, observations })
const document = JSON.parse(text)

const read = (body: string | Buffer, wanted = expected) => checkedDocument(Buffer.from(body), wanted)

function refusal(body: string | Buffer): string | undefined {
  try {
    read(body)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentRefused)
    return (error as Error).message
  }
}

const anyText = fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units))

const changed = (members: object) => JSON.stringify({ ...document, ...members })

test('a document is read with the content that it was made from', () => {
  const { noted, cosigned } = read(text)
  expect(noted.observations).toEqual(observations)
  expect([noted.epoch, noted.key.keyid, cosigned]).toEqual([epoch, key.keyid, []])
  const empty = signedDocument({ epoch, key, observations: [] })
  expect(read(empty).noted.observations).toEqual([])
})

describe('a document is refused', () => {
  const lines: readonly string[] = document.observations
  const forOther = JSON.parse(signedDocument({ epoch, key: other, observations }))
  const flood = Array.from({ length: 1_025 }, (_, at) => said(`sv-${at}`))
  test.each([
    ['of another epoch', signedDocument({ epoch: epoch - 1, key, observations })],
    [
      'of another epoch that says it is of this one',
      JSON.stringify({ ...JSON.parse(signedDocument({ epoch: epoch - 1, key, observations })), epoch }),
    ],
    ['of a key that is not configured', JSON.stringify(forOther)],
    ['with the key of another', changed({ key: forOther.key })],
    ['with the note of another', changed({ note: forOther.note })],
    ['signed by another key under this name', signedDocument({ epoch, key, observations, signer: other })],
    ['without a line', changed({ observations: lines.slice(1) })],
    ['with a line more', changed({ observations: [...lines, lines[0]] })],
    ['with lines in another order', changed({ observations: lines.toReversed() })],
    ['with a line twice', changed({ observations: [lines[0], ...lines] })],
    ['with a line that is none', changed({ observations: ['{}'] })],
    ['whose signer put the lines in another order', documentOfLines({ epoch, key }, lines.toReversed())],
    ['whose signer has a line twice', documentOfLines({ epoch, key }, [lines[0] as string, ...lines])],
    ['whose signer has a line that is none', documentOfLines({ epoch, key }, ['{}'])],
    ['with too many observations', signedDocument({ epoch, key, observations: flood })],
    ['with too many cosigned notes', changed({ cosigned: Array(65).fill('') })],
    ['with cosigned notes that are no texts', changed({ cosigned: [1] })],
    ['with a note that is no text', changed({ note: 1 })],
    ['without a key', changed({ key: null })],
    ['with a key of another curve', changed({ key: { ...document.key, crv: 'X25519' } })],
    ['with a key in base64', changed({ key: { ...document.key, x: `${document.key.x}=` } })],
    ['of another kind', changed({ kind: 'votes' })],
    ['of another version', changed({ v: 2 })],
    ['that is a list', '[]'],
    ['that is empty', ''],
    ['that says a key twice', text.replace('"v":1', '"v":1,"v":1')],
    ['that is nested', `${'['.repeat(100_000)}`],
    ['that is not UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.of(0xff), Buffer.from('}')])],
    ['with half a surrogate pair', text.replace('"sv-1', '"\\ud800')],
  ])('%s', (_what, body) => {
    expect(refusal(body)).toBeDefined()
  })

  test('if its signature is another one of the same key and text', () => {
    const malleable = document.note.replace(/\S+\n$/, (encoded: string) => {
      const bytes = Buffer.from(encoded, 'base64')
      return `${Buffer.concat([bytes.subarray(0, 4), malleated(bytes.subarray(4))]).toString('base64')}\n`
    })
    expect(malleable).not.toBe(document.note)
    expect(refusal(changed({ note: malleable }))).toBe('its signature is not valid')
  })

  test('if anything in it is changed, removed or repeated, or else it says the same', () => {
    const genuine = read(text).noted
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), anyText, (at, length, put) => {
        const body = text.slice(0, at) + put + text.slice(at + length)
        try {
          const { noted } = read(body)
          expect(noted.lines).toEqual(genuine.lines)
          expect(noted.note.text).toBe(genuine.note.text)
        } catch (error) {
          expect(error).toBeInstanceOf(DocumentRefused)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('if it is any other JSON, or any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((json) => Buffer.from(json)),
          fc.uint8Array().map(Buffer.from),
        ),
        (body) => {
          expect(refusal(body)).toBeDefined()
        },
      ),
    )
    const members = fc.record({
      v: fc.constantFrom(1, '1', null),
      kind: fc.constantFrom('observations', 'x'),
      epoch: fc.constantFrom(epoch, String(epoch), epoch + 0.5),
      key: fc.oneof(fc.constant(document.key), fc.jsonValue()),
      note: fc.oneof(fc.constant(document.note), fc.jsonValue()),
      observations: fc.oneof(fc.shuffledSubarray(document.observations), fc.jsonValue()),
      cosigned: fc.oneof(fc.constant([]), fc.array(fc.string()), fc.jsonValue()),
    })
    fc.assert(
      fc.property(members, (made) => {
        const why = refusal(JSON.stringify(made))
        if (why === undefined) expect(made.observations).toEqual(document.observations)
      }),
      { numRuns: 500 },
    )
  })
})
