import type { Contract } from '../update.ts'

/** A contract without its created-event blob, which is made from the other members. */
export type Unsealed = Omit<Contract, 'createdEventBlob' | 'argumentText'>

const version = '2.1'
/** The first bytes of each blob in protobuf: field 1, which is the version as a text, and the tag of field 2. */
const head = Buffer.from(`\x0a${String.fromCharCode(version.length)}${version}\x12`, 'latin1')

/**
 * Returns the created-event blob of a contract: base64 of an envelope like Canton's (protobuf: a version, then
 * bytes), which contains the contract as JSON. Equal contracts have equal blobs. The ledger therefore accepts a
 * disclosed blob if it equals the one that the ledger itself makes.
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

/** Returns the contract with its blob. The blob is made at the first access. */
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
 * Returns the id of the contract in a blob. Undefined if the blob is malformed, or if other ledger software made it.
 */
export function contractIdIn(blob: string): string | undefined {
  const bytes = Buffer.from(blob, 'base64')
  if (!bytes.subarray(0, head.length).equals(head)) return undefined
  let start = head.length
  while (((bytes[start] ?? 0) & 0x80) !== 0) start++
  try {
    const content: unknown = JSON.parse(bytes.toString('utf8', start + 1))
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
