import { parseJsonText } from '../../lib/parse-json-text.ts'
import type { Contract } from '../update.ts'

/**
 * A contract without the two fields that are computed from the others: the created-event blob and
 * `argumentText`.
 */
export type Unsealed = Omit<Contract, 'createdEventBlob' | 'argumentText'>

const version = '2.1'
/**
 * The first bytes of every blob. They are protobuf: field 1 with the version as a string, and the tag of
 * field 2.
 */
const head = Buffer.from(`\x0a${String.fromCharCode(version.length)}${version}\x12`, 'latin1')

/**
 * Returns the created-event blob of a contract in base64. Like Canton's blobs, it is a protobuf message with
 * a version and a field of bytes. Here, those bytes are the contract as JSON. Equal contracts must have equal
 * blobs, because the ledger compares a disclosed blob with the blob that it computes itself.
 */
export function blobOf(contract: Unsealed): string {
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = contract
  const content = JSON.stringify([
    contractId,
    templateId,
    packageName,
    argument,
    signatories,
    observers,
    createdAt,
  ])
  const body = Buffer.from(content)
  return Buffer.concat([head, varint(body.length), body]).toString('base64')
}

/** Adds the created-event blob to a contract. The blob is computed when it is accessed for the first time. */
export function sealed(contract: Unsealed): Contract {
  let blob: string | undefined
  return {
    ...contract,
    get createdEventBlob() {
      blob ??= blobOf(contract)
      return blob
    },
  }
}

/**
 * Returns the id of the contract that a blob contains. Undefined if the blob is malformed, or was made by other ledger
 * software.
 */
export function contractIdIn(blob: string): string | undefined {
  const bytes = Buffer.from(blob, 'base64')
  if (!bytes.subarray(0, head.length).equals(head)) return undefined
  let start = head.length
  while (((bytes[start] ?? 0) & 0x80) !== 0) start++
  try {
    const content: unknown = parseJsonText(bytes.toString('utf8', start + 1))
    return Array.isArray(content) && typeof content[0] === 'string' ? content[0] : undefined
  } catch {
    return undefined
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
